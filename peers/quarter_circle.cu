// The quarter circle by the trapezoid rule: the peer that the Rust kernels of
// `kernels-crate/src/integrate` are measured against.
//
// The algorithm is the published one: the strips are divided into one
// contiguous sub-range a thread, thread `ix` adds its terms from k = 0 in
// order, and writes one partial sum to partials[ix]. Strips that
// gridDim.x * blockDim.x does not divide are dropped by the integer division,
// as published; the program that launches these kernels refuses such shapes.
//
// The number of strips is a compile-time constant, as published, so that nvcc
// sees the same constants as the published program gave it:
//
//     nvcc -O3 -cubin -arch=sm_90 -DSTRIPS=16777216 quarter_circle.cu
//
// Launch: one-dimensional grid and block, no dynamic shared memory;
// partials has gridDim.x * blockDim.x elements. The integral of
// sqrt(1 - x*x) over 0..1 is the sum of the partials minus half a strip.

#ifndef STRIPS
#error "STRIPS is a compile-time constant: pass -DSTRIPS=16777216 or another number of strips"
#endif

// Parenthesised: -DSTRIPS=65536*256 must be one number in every expression.
// In braces: a number of strips that an int cannot hold does not compile.
static constexpr int kStrips{(STRIPS)};

static_assert(kStrips > 0, "STRIPS must be at least 1");

namespace {

struct SubRange {
    int thread;
    int first;
    int count;
};

__device__ SubRange sub_range()
{
    const int threads = static_cast<int>(gridDim.x * blockDim.x);
    const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int count = kStrips / threads;
    return {thread, thread * count, count};
}

// Real: the type in which the integrand is evaluated. Sum: the type to which
// it is rounded, and in which it is divided by the strips and added.
template <typename Real, typename Sum>
__device__ void sum_sub_range(Sum *partials)
{
    const SubRange range = sub_range();
    Sum sum = 0;
    for (int k = 0; k < range.count; ++k) {
        const Real x = static_cast<Real>(range.first + k) / static_cast<Real>(kStrips);
        sum += static_cast<Sum>(sqrt(Real(1) - x * x)) / static_cast<Sum>(kStrips);
    }
    partials[range.thread] = sum;
}

// The algorithm of the Rust kernels for strips = 2^p: every abscissa is an
// integer times 2^-p, so adding 2^-p to x is exact, and the finished sum is
// scaled instead of every term. The bits are those of sum_sub_range.
template <typename Sum>
__device__ void sum_dyadic_sub_range(Sum *partials)
{
    const SubRange range = sub_range();
    constexpr double step = 1.0 / kStrips;
    double x = range.first * step;
    Sum sum = 0;
    for (int k = 0; k < range.count; ++k) {
        sum += static_cast<Sum>(sqrt(fma(-x, x, 1.0)));
        x += step;
    }
    partials[range.thread] = sum * static_cast<Sum>(step);
}

}  // namespace

// Everything in f64.
extern "C" __global__ void quarter_circle_f64(double *partials)
{
    sum_sub_range<double, double>(partials);
}

// The integrand in f64, rounded to f32, the sum in f32.
extern "C" __global__ void quarter_circle_f32(float *partials)
{
    sum_sub_range<double, float>(partials);
}

// Everything in f32.
extern "C" __global__ void quarter_circle_f32_pure(float *partials)
{
    sum_sub_range<float, float>(partials);
}

// The two for a power of two of strips up to 2^26, by exact addition. Everything
// in f64.
extern "C" __global__ void quarter_circle_f64_dyadic(double *partials)
{
    sum_dyadic_sub_range<double>(partials);
}

// The integrand in f64, rounded to f32, the sum in f32.
extern "C" __global__ void quarter_circle_f32_dyadic(float *partials)
{
    sum_dyadic_sub_range<float>(partials);
}
