// 1 / (1 + x^2): a division, rounded as IEEE has it.

#include "peer.cuh"

INTEGRAND(runge, T(1) / (T(1) + x * x))
