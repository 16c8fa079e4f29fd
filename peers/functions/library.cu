// Elementary functions of CUDA C++: a kernel for each and for f64 and f32, which adds up as many
// values, of the same arguments, as ours does (bench-crate/functions). -O3 without fast-math; f32
// has the functions of float.
//
// The C interface works in the calling thread's current context, which has to be the device's
// primary one, on a stream of the driver (CUstream is cudaStream_t), and never waits, so that what
// it does can be recorded in a graph.

#include <cmath>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

// A name that the library does not have. cudaError_t has no negative values.
constexpr int kUnknown = -1;
constexpr int kSums = 4;

struct Call {
    void *results;
    unsigned blocks, threads, turns;
    double first, apart, step, second;
    cudaStream_t stream;
};

template <typename Function, typename T>
__global__ void sums(T *results, unsigned turns, T first, T apart, T step, T second)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    T sum[kSums] = {}, x[kSums];
    for (int k = 0; k < kSums; ++k) {
        x[k] = first + T(thread * kSums + k) * apart;
    }
    for (unsigned turn = 0; turn < turns; ++turn) {
#pragma unroll
        for (int k = 0; k < kSums; ++k) {
            sum[k] += Function::of(x[k], second);
            x[k] += step;
        }
    }
    results[thread] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

template <typename Function, typename T>
cudaError_t run(const Call &call)
{
    sums<Function, T><<<call.blocks, call.threads, 0, call.stream>>>(
        static_cast<T *>(call.results), call.turns, T(call.first), T(call.apart), T(call.step),
        T(call.second));
    return cudaGetLastError();
}

struct Entry {
    std::string name;
    cudaError_t (*function)(const Call &);
};

__device__ double both(double x)
{
    double sine, cosine;
    sincos(x, &sine, &cosine);
    return sine + cosine;
}

__device__ float both(float x)
{
    float sine, cosine;
    sincosf(x, &sine, &cosine);
    return sine + cosine;
}

#define FUNCTION(name, value) \
    struct name##_ { \
        template <typename T> \
        __device__ static __forceinline__ T of(T x, T y) { return value; } \
    };
#define FAST FUNCTION
#include "list.inc"
#undef FUNCTION
#undef FAST

const std::vector<Entry> &entries()
{
    static const std::vector<Entry> all = {
#define FUNCTION(name, value) \
    {#name "_f64", run<name##_, double>}, {#name "_f32", run<name##_, float>},
#define FAST(name, value) {#name "_f32", run<name##_, float>},
#include "list.inc"
#undef FUNCTION
#undef FAST
    };
    return all;
}

}  // namespace

// Such as "nvcc 13.0.88, -O3".
EXPORT const char *quadscan_peer_version()
{
    static const std::string text = "nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "."
        + std::to_string(__CUDACC_VER_MINOR__) + "." + std::to_string(__CUDACC_VER_BUILD__)
        + ", -O3";
    return text.c_str();
}

// All names, with a space after each.
EXPORT const char *quadscan_peer_names()
{
    static const std::string text = [] {
        std::string names;
        for (const Entry &entry : entries()) {
            names.append(entry.name).append(" ");
        }
        return names;
    }();
    return text.c_str();
}

// What a code of the function below means.
EXPORT const char *quadscan_peer_error(int code)
{
    return code == kUnknown ? "no such function"
                            : cudaGetErrorString(static_cast<cudaError_t>(code));
}

// Asks the stream for the sums of a function, a number of the name's type for each thread at
// `results`. 0 or a code.
EXPORT int quadscan_peer_function(
    const char *what, void *results, unsigned blocks, unsigned threads, unsigned turns,
    double first, double apart, double step, double second, void *stream)
{
    for (const Entry &entry : entries()) {
        if (entry.name == what) {
            return entry.function(
                {results, blocks, threads, turns, first, apart, step, second,
                 static_cast<cudaStream_t>(stream)});
        }
    }
    return kUnknown;
}
