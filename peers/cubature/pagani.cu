// PAGANI on one of seven integrands over the unit cube; `cubature.py` compiles it with a checkout of
// github.com/marcpaterno/gpuintegration for each integrand and number of dimensions:
//
//   nvcc -O3 -std=c++17 --extended-lambda --expt-relaxed-constexpr -w -arch=sm_90 \
//     -I CHECKOUT -DINTEGRAND=oscillatory -DDIMENSIONS=8 -o pagani pagani.cu
//   ./pagani 1e-3 1e-4
//
// A line for each relative tolerance: the tolerance, the fastest of three calls of `integrate` by the
// host's clock in ms, value, claim, evaluations and status. Source: Sakiotis and others, PAGANI: a
// parallel adaptive GPU algorithm for numerical integration, 2021.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <iostream>
#include <string>
#include <vector>

#include "cuda/pagani/quad/quad.h"
#include "common/cuda/cudaUtil.h"
#include "cuda/pagani/quad/GPUquad/Workspace.cuh"
#include "common/cuda/Volume.cuh"
#include "common/integration_result.hh"

// Some of the library is in this namespace, and some is not.
using namespace quad;

// The library's calls take a coordinate an argument.
#define INTEGRAND_OF(name, body)                              \
  struct name {                                               \
    template <class... T>                                     \
    __host__ __device__ double operator()(T... coordinates) { \
      const double x[] = {static_cast<double>(coordinates)...}; \
      constexpr int d = sizeof...(T);                         \
      body                                                    \
    }                                                         \
  };

INTEGRAND_OF(oscillatory, {
  double sum = 0;
  for (int k = 0; k < d; k++) sum += (k + 1) * x[k];
  return cos(sum);
})

INTEGRAND_OF(product_peak, {
  double product = 1;
  for (int k = 0; k < d; k++) product *= 1 / 2500.0 + (x[k] - 0.5) * (x[k] - 0.5);
  return 1 / product;
})

INTEGRAND_OF(corner_peak, {
  double sum = 1;
  for (int k = 0; k < d; k++) sum += (k + 1) * x[k];
  return pow(sum, -(d + 1.0));
})

INTEGRAND_OF(gaussian_peak, {
  double sum = 0;
  for (int k = 0; k < d; k++) sum += 625 * (x[k] - 0.5) * (x[k] - 0.5);
  return exp(-sum);
})

INTEGRAND_OF(continuous, {
  double sum = 0;
  for (int k = 0; k < d; k++) sum += 10 * fabs(x[k] - 0.5);
  return exp(-sum);
})

INTEGRAND_OF(discontinuous, {
  double sum = 0;
  for (int k = 0; k < d; k++) {
    if (x[k] >= (4.0 + k) / 10) return 0;
    sum += (k + 5) * x[k];
  }
  return exp(sum);
})

INTEGRAND_OF(power_of_squares, {
  double sum = 0;
  for (int k = 0; k < d; k++) sum += x[k] * x[k];
  return pow(sum, 11.0);
})

int main(int count, char** arguments) {
  for (int i = 1; i < count; i++) {
    const double relative = std::atof(arguments[i]);
    double best = INFINITY;
    numint::integration_result found;
    for (int turn = 0; turn < 3; turn++) {
      Workspace<double, DIMENSIONS> workspace;
      Volume<double, DIMENSIONS> cube;
      INTEGRAND integrand;
      cudaDeviceSynchronize();
      const auto start = std::chrono::steady_clock::now();
      found = workspace.template integrate<INTEGRAND>(integrand, relative, 1e-40, cube);
      cudaDeviceSynchronize();
      const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
      best = std::fmin(best, spent.count());
      if (best > 5000) break;
    }
    std::printf("RESULT %s %.6f %.17g %.17g %zu %d\n", arguments[i], best, found.estimate,
                found.errorest, found.neval, found.status);
    std::fflush(stdout);
  }
}
