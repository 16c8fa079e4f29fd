// PAGANI on an integral over the unit cube, with a checkout of github.com/marcpaterno/gpuintegration:
//
//   nvcc -O3 -std=c++17 --extended-lambda --expt-relaxed-constexpr -w -arch=sm_90 \
//     -I CHECKOUT -DINTEGRAND=oscillatory -DDIMENSIONS=8 -o pagani pagani.cu
//   ./pagani 1e-3 1e-4
//
// What is timed is `integrate`, with the allocations in it; the workspace and the volume are made before.
// Source: Sakiotis and others, PAGANI: a parallel adaptive GPU algorithm for numerical integration, 2021.

#include <iostream>
#include <string>
#include <vector>

#include "cuda/pagani/quad/quad.h"
#include "common/cuda/cudaUtil.h"
#include "cuda/pagani/quad/GPUquad/Workspace.cuh"
#include "common/cuda/Volume.cuh"
#include "common/integration_result.hh"

#include "peer.h"

// Some of the library is in this namespace, and some is not.
using namespace quad;

struct Prepared {
  Workspace<double, DIMENSIONS> workspace;
  Volume<double, DIMENSIONS> cube;
  INTEGRAND integrand;
  Prepared() { cudaDeviceSynchronize(); }
};

int main(int count, char** arguments) {
  for (int i = 1; i < count; i++) {
    const double relative = std::atof(arguments[i]);
    numint::integration_result found;
    const auto prepare = [] { return Prepared(); };
    const double ms = fastest_of(3, prepare, [&](Prepared& of) {
      found = of.workspace.template integrate<INTEGRAND>(of.integrand, relative, 1e-40, of.cube);
      return cudaDeviceSynchronize() == cudaSuccess;
    });
    say(arguments[i], ms, found.estimate, found.errorest, found.neval, found.status,
        "the fastest of three calls");
  }
}
