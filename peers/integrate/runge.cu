// 1 / (1 + x^2): a division, rounded as IEEE has it.

#include "peer.cuh"

namespace peer {

namespace {

struct Runge {
    template <typename T>
    __device__ static __forceinline__ T eval(T x, const Parameters<T> &)
    {
        return T(1) / (T(1) + x * x);
    }
};

}  // namespace

Table runge()
{
    return all<Runge>("runge");
}

}  // namespace peer
