// What the programs on integrals over the unit cube share: the integrands of
// bench-crate/src/workload/boxes.rs, the clock, and the line that `cubature.py` reads. It compiles a program
// for each integrand and number of dimensions, INTEGRAND and DIMENSIONS, and starts it with relative
// tolerances.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#ifdef __CUDACC__
#define EVERYWHERE __host__ __device__ __forceinline__
#else
#define EVERYWHERE inline
#endif

// Of a point, and of a coordinate an argument.
#define INTEGRAND_OF(name, body)                                  \
  struct name {                                                   \
    template <int d>                                              \
    EVERYWHERE static double at(const double* x) body             \
    template <class... T>                                         \
    EVERYWHERE double operator()(T... coordinates) {              \
      const double x[] = {static_cast<double>(coordinates)...};   \
      return at<sizeof...(T)>(x);                                 \
    }                                                             \
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

// The least time of so many calls, ms by the host's clock; none follows one of more than five seconds, or one
// that says that it was broken off. Each gets what `prepare` makes anew, which is not timed.
template <class Prepare, class Call>
double fastest_of(int calls, Prepare prepare, Call call) {
  double best = INFINITY;
  for (int turn = 0; turn < calls && (turn == 0 || best <= 5000); turn++) {
    auto prepared = prepare();
    const auto start = std::chrono::steady_clock::now();
    if (!call(prepared)) break;
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
    best = std::fmin(best, spent.count());
  }
  return best;
}

// The same where nothing is to be prepared.
template <class Call>
double fastest_of(int calls, Call call) {
  return fastest_of(calls, [] { return 0; }, [&](int) { return call(); });
}

// What came of a tolerance, where status 0 has converged, and what was timed.
inline void say(const char* tolerance, double ms, double value, double claim, long long evaluations,
                int status, const char* clock) {
  std::printf("RESULT %s %.6f %.17g %.17g %lld %d %s\n", tolerance, ms, value, claim, evaluations, status,
              clock);
  std::fflush(stdout);
}
