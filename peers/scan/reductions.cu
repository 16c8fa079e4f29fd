// Reductions, whole and segmented; the segmented scan, where this CUB has one; and a
// copy to compare the rest with.

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#if __has_include(<cub/device/device_segmented_scan.cuh>)
#include <cub/device/device_segmented_scan.cuh>
#define PEER_HAS_SEGMENTED_SCAN
#endif

#include "peer.cuh"

namespace peer {

namespace {

template <typename T>
cudaError_t sum(void *scratch, size_t &bytes, const Call &call)
{
    return with_count(call.n, [&](auto n) {
        return cub::DeviceReduce::Sum(
            scratch, bytes, call.in<T>(), call.out<T>(), n, call.stream);
    });
}

template <typename T>
cudaError_t min(void *scratch, size_t &bytes, const Call &call)
{
    return with_count(call.n, [&](auto n) {
        return cub::DeviceReduce::Min(
            scratch, bytes, call.in<T>(), call.out<T>(), n, call.stream);
    });
}

template <typename T>
cudaError_t max(void *scratch, size_t &bytes, const Call &call)
{
    return with_count(call.n, [&](auto n) {
        return cub::DeviceReduce::Max(
            scratch, bytes, call.in<T>(), call.out<T>(), n, call.stream);
    });
}

template <typename T>
cudaError_t segmented_sum(void *scratch, size_t &bytes, const Call &call)
{
    const uint32_t *offsets = call.keys();
    return cub::DeviceSegmentedReduce::Sum(
        scratch, bytes, call.in<T>(), call.out<T>(), static_cast<int64_t>(call.segments),
        offsets, offsets + 1, call.stream);
}

#ifdef PEER_HAS_SEGMENTED_SCAN
template <typename T>
cudaError_t segmented_inclusive_sum(void *scratch, size_t &bytes, const Call &call)
{
    const uint32_t *offsets = call.keys();
    return cub::DeviceSegmentedScan::InclusiveSegmentedSum(
        scratch, bytes, call.in<T>(), call.out<T>(), offsets, offsets + 1,
        static_cast<int64_t>(call.segments), call.stream);
}
#endif

__global__ void copy_vectors(const uint4 *__restrict__ input, uint4 *__restrict__ output, uint64_t n)
{
    const uint64_t step = static_cast<uint64_t>(gridDim.x) * blockDim.x;
    for (uint64_t i = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        output[i] = input[i];
    }
}

// n vectors of 16 bytes, by as many blocks as the device holds at once.
cudaError_t copy(void *scratch, size_t &bytes, const Call &call)
{
    constexpr int threads = 256;
    if (scratch == nullptr) {
        bytes = 1;
        return cudaSuccess;
    }
    int device = 0, sms = 0, blocks_each = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(
            &sms, cudaDevAttrMultiProcessorCount, device);
    }
    if (error == cudaSuccess) {
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks_each, copy_vectors, threads, 0);
    }
    if (error != cudaSuccess || call.n == 0) {
        return error;
    }
    const uint64_t wanted = (call.n + threads - 1) / threads;
    const uint64_t resident = static_cast<uint64_t>(sms) * blocks_each;
    const unsigned blocks = static_cast<unsigned>(wanted < resident ? wanted : resident);
    copy_vectors<<<blocks, threads, 0, call.stream>>>(
        call.in<uint4>(), call.out<uint4>(), call.n);
    return cudaGetLastError();
}

const Entry kEntries[] = {
    {"reduce_sum_i32", sum<int32_t>},
    {"reduce_sum_f32", sum<float>},
    {"reduce_sum_i64", sum<int64_t>},
    {"reduce_sum_f64", sum<double>},
    {"reduce_min_i32", min<int32_t>},
    {"reduce_min_f32", min<float>},
    {"reduce_max_i32", max<int32_t>},
    {"reduce_max_f32", max<float>},
    {"segmented_reduce_sum_i32", segmented_sum<int32_t>},
    {"segmented_reduce_sum_f32", segmented_sum<float>},
    {"segmented_reduce_sum_f64", segmented_sum<double>},
#ifdef PEER_HAS_SEGMENTED_SCAN
    {"segmented_inclusive_sum_i32", segmented_inclusive_sum<int32_t>},
    {"segmented_inclusive_sum_f32", segmented_inclusive_sum<float>},
    {"segmented_inclusive_sum_f64", segmented_inclusive_sum<double>},
#endif
    {"copy", copy},
};

}  // namespace

Table reductions()
{
    return {kEntries, sizeof(kEntries) / sizeof(kEntries[0])};
}

}  // namespace peer
