// Scans with other operators than the sum, and the sum by key.

#include <cub/device/device_scan.cuh>

#include <cuda/functional>
#include <cuda/std/functional>
#include <cuda/std/limits>

#include "peer.cuh"

namespace peer {

namespace {

struct Min {
    using Operator = cuda::minimum<>;

    template <typename T>
    static T identity()
    {
        using Limits = cuda::std::numeric_limits<T>;
        return Limits::has_infinity ? Limits::infinity() : Limits::max();
    }
};

struct Max {
    using Operator = cuda::maximum<>;

    template <typename T>
    static T identity()
    {
        using Limits = cuda::std::numeric_limits<T>;
        return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    }
};

struct Product {
    using Operator = cuda::std::multiplies<>;

    template <typename T>
    static T identity()
    {
        return T(1);
    }
};

// The map x -> a * x + b.
struct alignas(16) Affine {
    double a;
    double b;
};

// Applies `first`, then `second`: it is not commutative.
struct Compose {
    struct Operator {
        __host__ __device__ Affine operator()(const Affine &first, const Affine &second) const
        {
            return {second.a * first.a, second.a * first.b + second.b};
        }
    };

    template <typename T>
    static T identity()
    {
        return {1.0, 0.0};
    }
};

template <typename By, typename T>
cudaError_t inclusive(void *scratch, size_t &bytes, const Call &call)
{
    return with_count(call.n, [&](auto n) {
        return cub::DeviceScan::InclusiveScan(
            scratch, bytes, call.in<T>(), call.out<T>(), typename By::Operator{}, n, call.stream);
    });
}

template <typename By, typename T>
cudaError_t exclusive(void *scratch, size_t &bytes, const Call &call)
{
    return with_count(call.n, [&](auto n) {
        return cub::DeviceScan::ExclusiveScan(
            scratch, bytes, call.in<T>(), call.out<T>(), typename By::Operator{},
            By::template identity<T>(), n, call.stream);
    });
}

template <typename T>
cudaError_t inclusive_by_key(void *scratch, size_t &bytes, const Call &call)
{
    return with_count(call.n, [&](auto n) {
        return cub::DeviceScan::InclusiveSumByKey(
            scratch, bytes, call.keys(), call.in<T>(), call.out<T>(), n,
            cuda::std::equal_to<>{}, call.stream);
    });
}

const Entry kEntries[] = {
    {"inclusive_min_i32", inclusive<Min, int32_t>},
    {"inclusive_min_f32", inclusive<Min, float>},
    {"inclusive_max_i32", inclusive<Max, int32_t>},
    {"inclusive_max_f32", inclusive<Max, float>},
    {"inclusive_product_i32", inclusive<Product, int32_t>},
    {"inclusive_product_f32", inclusive<Product, float>},
    {"inclusive_affine_f64x2", inclusive<Compose, Affine>},
    {"exclusive_min_i32", exclusive<Min, int32_t>},
    {"exclusive_min_f32", exclusive<Min, float>},
    {"exclusive_max_i32", exclusive<Max, int32_t>},
    {"exclusive_max_f32", exclusive<Max, float>},
    {"exclusive_product_i32", exclusive<Product, int32_t>},
    {"exclusive_product_f32", exclusive<Product, float>},
    {"exclusive_affine_f64x2", exclusive<Compose, Affine>},
    {"inclusive_sum_by_key_i32", inclusive_by_key<int32_t>},
    {"inclusive_sum_by_key_f32", inclusive_by_key<float>},
};

}  // namespace

Table operators()
{
    return {kEntries, sizeof(kEntries) / sizeof(kEntries[0])};
}

}  // namespace peer
