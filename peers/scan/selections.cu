// Selections of the elements greater than a number: 3, or 0 of floats.

#include <cub/device/device_select.cuh>

#include "peer.cuh"

namespace peer {

namespace {

template <typename T>
struct Greater {
    __host__ __device__ bool operator()(const T &element) const
    {
        return element > (T(0.5) == T(0) ? T(3) : T(0));
    }
};

template <typename T>
cudaError_t greater(void *scratch, size_t &bytes, const Call &call)
{
    return cub::DeviceSelect::If(
        scratch, bytes, call.in<T>(), call.out<T>(), call.count(), static_cast<int64_t>(call.n),
        Greater<T>{}, call.stream);
}

const Entry kEntries[] = {
    {"select_u8", greater<uint8_t>},
    {"select_u16", greater<uint16_t>},
    {"select_i32", greater<int32_t>},
    {"select_f32", greater<float>},
    {"select_i64", greater<int64_t>},
    {"select_f64", greater<double>},
};

}  // namespace

Table selections()
{
    return {kEntries, sizeof(kEntries) / sizeof(kEntries[0])};
}

}  // namespace peer
