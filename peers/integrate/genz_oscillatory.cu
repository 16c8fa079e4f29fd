// cos(2 pi u + a x), with the parameters a and u.

#include "peer.cuh"

namespace peer {

namespace {

struct GenzOscillatory {
    template <typename T>
    __device__ static __forceinline__ T eval(T x, const Parameters<T> &parameters)
    {
        return cos(parameters.value[0] * x + T(6.283185307179586) * parameters.value[1]);
    }
};

}  // namespace

Table genz_oscillatory()
{
    return all<GenzOscillatory>("genz_oscillatory");
}

}  // namespace peer
