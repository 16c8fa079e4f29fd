// exp(-x^2 / 2).

#include "peer.cuh"

INTEGRAND(gaussian, exp(T(-0.5) * x * x))
