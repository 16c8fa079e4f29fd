// m-Cubes on an integral over the unit cube, with a checkout of github.com/marcpaterno/gpuintegration:
//
//   nvcc -O3 -std=c++17 --extended-lambda --expt-relaxed-constexpr -w -arch=sm_90 \
//     -I CHECKOUT -DINTEGRAND=gaussian -DDIMENSIONS=9 -o mcubes mcubes.cu
//   ./mcubes 1e-2 1e-3
//
// Rounds of ever more evaluations are timed; those of full iterations count. Of the 30 iterations of a round
// the first ten move the grid and do not count; it ends early where the tolerance is met. Source: Sakiotis
// and others, m-Cubes: an efficient and portable implementation of multi-dimensional integration for GPUs,
// 2022.

#include "cuda/mcubes/vegasT.cuh"

#include "peer.h"

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
    const double ms = fastest_of(1, [&] {
      for (double calls = least; calls <= most; calls *= 8) {
        found = cuda_mcubes::integrate<INTEGRAND, DIMENSIONS>(
          integrand, relative, 1e-40, calls, &cube, 30, 10, 10);
        evaluations += static_cast<size_t>(calls) * found.iters;
        if (found.status == 0) break;
      }
      return cudaDeviceSynchronize() == cudaSuccess;
    });
    say(arguments[i], ms, found.estimate, found.errorest, evaluations, found.status,
        "rounds of up to 30 iterations");
  }
}
