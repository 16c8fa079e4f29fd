// exp(-x^2 / 2).

#include "peer.cuh"

namespace peer {

namespace {

struct Gaussian {
    template <typename T>
    __device__ static __forceinline__ T eval(T x, const Parameters<T> &)
    {
        return exp(T(-0.5) * x * x);
    }
};

}  // namespace

Table gaussian()
{
    return all<Gaussian>("gaussian");
}

}  // namespace peer
