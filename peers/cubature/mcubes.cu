// m-Cubes on one of five integrands over the unit cube; `cubature.py` compiles it with a checkout of
// github.com/marcpaterno/gpuintegration for each integrand and number of dimensions:
//
//   nvcc -O3 -std=c++17 --extended-lambda --expt-relaxed-constexpr -w -arch=sm_90 \
//     -I CHECKOUT -DINTEGRAND=gaussian -DDIMENSIONS=9 -o mcubes mcubes.cu
//   ./mcubes 1e-2 1e-3
//
// A line for each relative tolerance: the tolerance, the time of rounds of ever more evaluations by the
// host's clock in ms, value, standard error, evaluations of full iterations and status. Of the 30 iterations
// of a round the first ten move the grid and do not count; it ends early where the tolerance is met. Source:
// Sakiotis and others, m-Cubes: an efficient and portable implementation of multi-dimensional integration
// for GPUs, 2022.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "cuda/mcubes/vegasT.cuh"

#define INTEGRAND_OF(name, body)                              \
  struct name {                                               \
    template <class... T>                                     \
    __host__ __device__ double operator()(T... coordinates) { \
      const double x[] = {static_cast<double>(coordinates)...}; \
      constexpr int d = sizeof...(T);                         \
      body                                                    \
    }                                                         \
  };

INTEGRAND_OF(plane_wave, {
  double sum = 0.2 * 3.14159265358979323846;
  for (int k = 0; k < d; k++) sum += x[k];
  return cos(sum);
})

INTEGRAND_OF(lorentzians, {
  double product = 1;
  for (int k = 0; k < d; k++) product *= 0.25 + (x[k] - 0.5) * (x[k] - 0.5);
  return 1 / product;
})

INTEGRAND_OF(gaussian, {
  double sum = 0;
  for (int k = 0; k < d; k++) sum += 25 * (x[k] - 0.5) * (x[k] - 0.5);
  return exp(-sum);
})

INTEGRAND_OF(kinks, {
  double sum = 0;
  for (int k = 0; k < d; k++) sum += 2 * fabs(x[k] - 0.5);
  return exp(-sum);
})

INTEGRAND_OF(steps, {
  double sum = 0;
  for (int k = 0; k < d; k++) {
    if (x[k] >= 0.9) return 0;
    sum += x[k];
  }
  return exp(sum);
})

int main(int count, char** arguments) {
  constexpr double least = 1 << 16, most = 1 << 28;
  quad::Volume<double, DIMENSIONS> cube;
  INTEGRAND integrand;
  // The first call starts the device.
  cuda_mcubes::integrate<INTEGRAND, DIMENSIONS>(integrand, 1e-1, 1e-40, least, &cube);
  for (int i = 1; i < count; i++) {
    const double relative = std::atof(arguments[i]);
    numint::integration_result found;
    size_t evaluations = 0;
    const auto start = std::chrono::steady_clock::now();
    for (double calls = least; calls <= most; calls *= 8) {
      found = cuda_mcubes::integrate<INTEGRAND, DIMENSIONS>(
        integrand, relative, 1e-40, calls, &cube, 30, 10, 10);
      evaluations += static_cast<size_t>(calls) * found.iters;
      if (found.status == 0) break;
    }
    cudaDeviceSynchronize();
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
    std::printf("RESULT %s %.6f %.17g %.17g %zu %d\n", arguments[i], spent.count(), found.estimate,
                found.errorest, evaluations, found.status);
    std::fflush(stdout);
  }
}
