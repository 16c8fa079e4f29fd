// sqrt(1 - x^2): a root, rounded as IEEE has it.

#include "peer.cuh"

INTEGRAND(quarter_circle, sqrt(T(1) - x * x))
