// sqrt(1 - x^2): a root, rounded as IEEE has it.

#include "peer.cuh"

namespace peer {

namespace {

struct QuarterCircle {
    template <typename T>
    __device__ static __forceinline__ T eval(T x, const Parameters<T> &)
    {
        return sqrt(T(1) - x * x);
    }
};

}  // namespace

Table quarter_circle()
{
    return all<QuarterCircle>("quarter_circle");
}

}  // namespace peer
