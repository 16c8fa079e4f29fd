// What the files of this folder share: a call, an entry of a table, rules, and the kernel.
//
// The folder is a shared library in C++ with a C interface (library.cu): one integral by a
// composite rule, as somebody who knows CUDA C++ writes it in an afternoon. A grid-stride
// loop whose grid fills the device, a few running sums a thread in registers, an unrolled
// turn whose abscissas are one number plus multiples of a stride, a reduction by shuffles,
// and the last block adds the blocks' sums up, so that it is one launch. The square root,
// exp, cos and the division are CUDA's own, -O3 without fast-math; nvcc contracts to fused
// multiply-adds, as it does by default.
//
// What it is not: it keeps nothing that additions lose, so that in f32 a long sum has lost
// digits (ours has not); it has no square root of its own; it does not begin before the
// launch ahead has ended. Sums are in f64 from where a thread's own are added up.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace peer {

constexpr int kParameters = 8;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
// Evaluations of a turn, of rules that have no more nodes a strip.
constexpr int kEvaluations = 8;

struct Call {
    double from;
    double to;
    // kParameters of the integrand; those that it has not are 0. Memory of the host.
    const double *parameters;
    // As many bytes as scratch_bytes() says, all 0 before the first launch; the device's.
    void *scratch;
    // One number of the entry's type; the device's.
    void *output;
    uint64_t strips;
    cudaStream_t stream;
};

using Function = cudaError_t (*)(const Call &call);

struct Entry {
    std::string name;
    Function function;
};

using Table = std::vector<Entry>;

// One of each file.
Table quarter_circle();
Table runge();
Table gaussian();
Table genz_oscillatory();

template <typename T>
struct Parameters {
    T value[kParameters];
};

// Blocks that the device holds, at most.
inline cudaError_t most_blocks(int &blocks)
{
    int device = 0, sms = 0, threads = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(
            &sms, cudaDevAttrMultiProcessorCount, device);
    }
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(
            &threads, cudaDevAttrMaxThreadsPerMultiProcessor, device);
    }
    blocks = sms * (threads / kThreads);
    return error;
}

// Blocks that have arrived, and a sum of each.
struct Scratch {
    unsigned arrived;
    unsigned padding;
    double sums[1];
};

inline size_t scratch_bytes(int blocks)
{
    return sizeof(Scratch) + sizeof(double) * blocks;
}

// A rule: nodes of a strip, each with its place in the strip and its weight, in units of the
// strip's width, both below 1; and what the upper limit of the integral counts more, and the
// lower one less, than those say.

struct Trapezoid {
    static constexpr const char *name = "trapezoid";
    static constexpr int nodes = 1;
    static constexpr double ends = 0.5;
    __host__ __device__ static constexpr double place(int) { return 0.0; }
    __host__ __device__ static constexpr double weight(int) { return 1.0; }
};

struct Midpoint {
    static constexpr const char *name = "midpoint";
    static constexpr int nodes = 1;
    static constexpr double ends = 0.0;
    __host__ __device__ static constexpr double place(int) { return 0.5; }
    __host__ __device__ static constexpr double weight(int) { return 1.0; }
};

struct Simpson {
    static constexpr const char *name = "simpson";
    static constexpr int nodes = 2;
    static constexpr double ends = 1.0 / 6.0;
    __host__ __device__ static constexpr double place(int k) { return 0.5 * k; }
    __host__ __device__ static constexpr double weight(int k) { return (1.0 + k) / 3.0; }
};

// Nodes and weights: Abramowitz and Stegun, table 25.4, as Newton's method on the Legendre
// polynomials gives them to the last digit.

struct GaussLegendre2 {
    static constexpr const char *name = "gauss-legendre-2";
    static constexpr int nodes = 2;
    static constexpr double ends = 0.0;
    __host__ __device__ static constexpr double place(int k)
    {
        return k == 0 ? 0.2113248654051871 : 0.7886751345948129;
    }
    __host__ __device__ static constexpr double weight(int) { return 0.5; }
};

struct GaussLegendre5 {
    static constexpr const char *name = "gauss-legendre-5";
    static constexpr int nodes = 5;
    static constexpr double ends = 0.0;
    __host__ __device__ static constexpr double place(int k)
    {
        constexpr double of[] = {
            0.046910077030668004, 0.23076534494715845, 0.5, 0.7692346550528415,
            0.953089922969332};
        return of[k];
    }
    __host__ __device__ static constexpr double weight(int k)
    {
        constexpr double of[] = {
            0.11846344252809454, 0.23931433524968324, 0.28444444444444444, 0.23931433524968324,
            0.11846344252809454};
        return of[k];
    }
};

struct GaussLegendre16 {
    static constexpr const char *name = "gauss-legendre-16";
    static constexpr int nodes = 16;
    static constexpr double ends = 0.0;
    __host__ __device__ static constexpr double place(int k)
    {
        constexpr double of[] = {
            0.005299532504175033, 0.02771248846338371, 0.06718439880608412, 0.12229779582249849,
            0.19106187779867811, 0.2709916111713863, 0.35919822461037054, 0.4524937450811813};
        return k < 8 ? of[k] : 1.0 - of[15 - k];
    }
    __host__ __device__ static constexpr double weight(int k)
    {
        constexpr double of[] = {
            0.013576229705877048, 0.031126761969323947, 0.04757925584124639,
            0.06231448562776694, 0.07479799440828837, 0.08457825969750127, 0.09130170752246179,
            0.09472530522753425};
        return of[k < 8 ? k : 15 - k];
    }
};

template <typename Rule>
constexpr int strips_of_turn = Rule::nodes < kEvaluations ? kEvaluations / Rule::nodes : 1;

// The terms of the strip that begins at x.
template <typename Integrand, typename Rule, typename T>
__device__ __forceinline__ T strip(T x, T width, const Parameters<T> &parameters)
{
    T sum = 0;
#pragma unroll
    for (int k = 0; k < Rule::nodes; ++k) {
        const T node = Rule::place(k) == 0.0 ? x : x + T(Rule::place(k)) * width;
        sum += T(Rule::weight(k)) * Integrand::eval(node, parameters);
    }
    return sum;
}

// The block's sum, in its first thread.
__device__ __forceinline__ double of_block(double own)
{
    __shared__ double sums[kWarps];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int distance = 16; distance > 0; distance /= 2) {
        own += __shfl_down_sync(0xffffffffu, own, distance);
    }
    __syncthreads();
    if (lane == 0) {
        sums[warp] = own;
    }
    __syncthreads();
    if (warp == 0) {
        own = lane < kWarps ? sums[lane] : 0.0;
        for (int distance = kWarps / 2; distance > 0; distance /= 2) {
            own += __shfl_down_sync(0xffffffffu, own, distance);
        }
    }
    return own;
}

template <typename Integrand, typename Rule, typename T>
__global__ void __launch_bounds__(kThreads) integrate(
    double from, double to, double width, uint64_t strips, Parameters<T> parameters,
    Scratch *scratch, T *output)
{
    constexpr int kStrips = strips_of_turn<Rule>;
    const uint64_t threads = uint64_t(gridDim.x) * kThreads;
    const uint64_t thread = uint64_t(blockIdx.x) * kThreads + threadIdx.x;
    const unsigned turns = unsigned(strips / (threads * kStrips));
    const double first = from + double(thread) * width;
    const double turn_width = double(threads * kStrips) * width;
    const T stride = T(double(threads) * width), narrow = T(width);
    T sums[kStrips] = {};
    for (unsigned turn = 0; turn < turns; ++turn) {
        const T x = T(first + double(turn) * turn_width);
#pragma unroll
        for (int k = 0; k < kStrips; ++k) {
            sums[k] += strip<Integrand, Rule>(x + T(k) * stride, narrow, parameters);
        }
    }
    for (uint64_t rest = turns * (threads * kStrips) + thread; rest < strips; rest += threads) {
        const T x = T(from + double(rest) * width);
        sums[0] += strip<Integrand, Rule>(x, narrow, parameters);
    }
    double own = 0;
#pragma unroll
    for (int k = 0; k < kStrips; ++k) {
        own += double(sums[k]);
    }
    own = of_block(own);

    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        scratch->sums[blockIdx.x] = own;
        __threadfence();
        // It is 0 again after the last block.
        is_last = atomicInc(&scratch->arrived, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!is_last) {
        return;
    }
    own = 0;
    for (unsigned block = threadIdx.x; block < gridDim.x; block += kThreads) {
        own += scratch->sums[block];
    }
    own = of_block(own);
    if (threadIdx.x == 0) {
        if (Rule::ends != 0.0) {
            const double low = Integrand::eval(T(from), parameters);
            const double high = Integrand::eval(T(to), parameters);
            own += Rule::ends * (high - low);
        }
        *output = T(own * width);
    }
}

template <typename Integrand, typename Rule, typename T>
cudaError_t run(const Call &call)
{
    const auto kernel = integrate<Integrand, Rule, T>;
    // The device is the same for all calls of a process.
    static int filling = 0;
    if (filling == 0) {
        int device = 0, sms = 0, of_each = 0;
        cudaError_t error = cudaGetDevice(&device);
        if (error == cudaSuccess) {
            error = cudaDeviceGetAttribute(
                &sms, cudaDevAttrMultiProcessorCount, device);
        }
        if (error == cudaSuccess) {
            error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_each, kernel, kThreads, 0);
        }
        if (error != cudaSuccess) {
            return error;
        }
        filling = sms * of_each;
    }
    const uint64_t turn = uint64_t(kThreads) * strips_of_turn<Rule>;
    const uint64_t enough = (call.strips + turn - 1) / turn;
    const unsigned blocks = unsigned(enough < uint64_t(filling) ? enough : filling);
    Parameters<T> parameters;
    for (int k = 0; k < kParameters; ++k) {
        parameters.value[k] = T(call.parameters[k]);
    }
    const double width = (call.to - call.from) / double(call.strips);
    kernel<<<blocks, kThreads, 0, call.stream>>>(
        call.from, call.to, width, call.strips, parameters,
        static_cast<Scratch *>(call.scratch), static_cast<T *>(call.output));
    return cudaGetLastError();
}

template <typename Integrand, typename T>
void add(Table &table, const std::string &head)
{
    table.push_back({head + Trapezoid::name, run<Integrand, Trapezoid, T>});
    table.push_back({head + Midpoint::name, run<Integrand, Midpoint, T>});
    table.push_back({head + Simpson::name, run<Integrand, Simpson, T>});
    table.push_back({head + GaussLegendre2::name, run<Integrand, GaussLegendre2, T>});
    table.push_back({head + GaussLegendre5::name, run<Integrand, GaussLegendre5, T>});
    table.push_back({head + GaussLegendre16::name, run<Integrand, GaussLegendre16, T>});
}

// Every rule in f64 and f32: quarter_circle_f64_trapezoid, ...
template <typename Integrand>
Table all(const std::string &name)
{
    Table table;
    add<Integrand, double>(table, name + "_f64_");
    add<Integrand, float>(table, name + "_f32_");
    return table;
}

}  // namespace peer

// A file's integrand, of x of type T and of parameters, and its table.
#define INTEGRAND(name, value)                                                         \
    namespace peer {                                                                   \
    namespace {                                                                        \
    struct Integrand {                                                                 \
        template <typename T>                                                          \
        __device__ static __forceinline__ T eval(T x, const Parameters<T> &parameters) \
        {                                                                              \
            return value;                                                              \
        }                                                                              \
    };                                                                                 \
    }                                                                                  \
    Table name()                                                                       \
    {                                                                                  \
        return all<Integrand>(#name);                                                  \
    }                                                                                  \
    }
