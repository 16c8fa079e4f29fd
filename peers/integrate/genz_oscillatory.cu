// cos(2 pi u + a x), with the parameters a and u.

#include "peer.cuh"

INTEGRAND(genz_oscillatory, cos(parameters.value[0] * x + T(6.283185307179586) * parameters.value[1]))
