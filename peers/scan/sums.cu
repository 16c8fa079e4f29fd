// Running sums, inclusive and exclusive, over every type.
//
// CUB adds u8, i8, u16 and i16 as int (the type of a + b in C++) and rounds f16 and
// bf16 at every addition. Sums of u8 that are u64 would overflow an int: they begin with
// a zero of 64 bits, in whose type they are added then.

#include <cub/device/device_scan.cuh>

#include <cuda/std/functional>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "peer.cuh"

namespace peer {

namespace {

template <typename In, typename Out = In>
cudaError_t inclusive(void *scratch, size_t &bytes, const Call &call)
{
    return with_count(call.n, [&](auto n) {
        return cub::DeviceScan::InclusiveSum(
            scratch, bytes, call.in<In>(), call.out<Out>(), n, call.stream);
    });
}

template <typename In, typename Out = In>
cudaError_t exclusive(void *scratch, size_t &bytes, const Call &call)
{
    return with_count(call.n, [&](auto n) {
        return cub::DeviceScan::ExclusiveSum(
            scratch, bytes, call.in<In>(), call.out<Out>(), n, call.stream);
    });
}

cudaError_t inclusive_u64(void *scratch, size_t &bytes, const Call &call)
{
    return with_count(call.n, [&](auto n) {
        return cub::DeviceScan::InclusiveScanInit(
            scratch, bytes, call.in<uint8_t>(), call.out<uint64_t>(), cuda::std::plus<>{},
            uint64_t{0}, n, call.stream);
    });
}

cudaError_t exclusive_u64(void *scratch, size_t &bytes, const Call &call)
{
    return with_count(call.n, [&](auto n) {
        return cub::DeviceScan::ExclusiveScan(
            scratch, bytes, call.in<uint8_t>(), call.out<uint64_t>(), cuda::std::plus<>{},
            uint64_t{0}, n, call.stream);
    });
}

const Entry kEntries[] = {
    {"inclusive_sum_u8", inclusive<uint8_t>},
    {"inclusive_sum_i8", inclusive<int8_t>},
    {"inclusive_sum_u8_u32", inclusive<uint8_t, uint32_t>},
    {"inclusive_sum_u8_u64", inclusive_u64},
    {"inclusive_sum_u16", inclusive<uint16_t>},
    {"inclusive_sum_i16", inclusive<int16_t>},
    {"inclusive_sum_f16", inclusive<__half>},
    {"inclusive_sum_bf16", inclusive<__nv_bfloat16>},
    {"inclusive_sum_i32", inclusive<int32_t>},
    {"inclusive_sum_u32", inclusive<uint32_t>},
    {"inclusive_sum_f32", inclusive<float>},
    {"inclusive_sum_i64", inclusive<int64_t>},
    {"inclusive_sum_u64", inclusive<uint64_t>},
    {"inclusive_sum_f64", inclusive<double>},
    {"exclusive_sum_u8", exclusive<uint8_t>},
    {"exclusive_sum_i8", exclusive<int8_t>},
    {"exclusive_sum_u8_u32", exclusive<uint8_t, uint32_t>},
    {"exclusive_sum_u8_u64", exclusive_u64},
    {"exclusive_sum_u16", exclusive<uint16_t>},
    {"exclusive_sum_i16", exclusive<int16_t>},
    {"exclusive_sum_f16", exclusive<__half>},
    {"exclusive_sum_bf16", exclusive<__nv_bfloat16>},
    {"exclusive_sum_i32", exclusive<int32_t>},
    {"exclusive_sum_u32", exclusive<uint32_t>},
    {"exclusive_sum_f32", exclusive<float>},
    {"exclusive_sum_i64", exclusive<int64_t>},
    {"exclusive_sum_u64", exclusive<uint64_t>},
    {"exclusive_sum_f64", exclusive<double>},
};

}  // namespace

Table sums()
{
    return {kEntries, sizeof(kEntries) / sizeof(kEntries[0])};
}

}  // namespace peer
