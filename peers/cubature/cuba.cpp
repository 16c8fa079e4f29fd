// A routine of Cuba on an integral over the unit cube, in one process and in several, by Cuba's own `fork`:
//
//   c++ -O3 -march=native -std=c++17 -I CUBA/include -DINTEGRAND=oscillatory -DDIMENSIONS=8
//     -o cuba cuba.cpp -L CUBA/lib -lcuba -lm
//   ./cuba Cuhre 16 5 1e-3 1e-4
//
// The faster way counts, here of one process and of 16, which wait for work before they are timed. Each has
// 5 seconds. Vegas, Suave and Divonne have Sobol's points, and the settings of Cuba's demonstration but two:
// Suave's, with which it is off by 20 times its claim, and `key1`, with which Divonne is. Source: Hahn, Cuba:
// a library for multidimensional numerical integration, Computer Physics Communications 168, 2005.

#include <csignal>
#include <string>

#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cuba.h>

#include "peer.h"

// In place of the C library's: Cuba's memory goes with its last process, however that ends.
extern "C" void* shmat(int id, const void* at, int flags) noexcept {
  void* memory = reinterpret_cast<void*>(syscall(SYS_shmat, id, at, flags));
  shmctl(id, IPC_RMID, nullptr);
  return memory;
}

// Of all processes: whether the time is over.
static volatile int* is_late;

static int integrand(const int*, const double x[], const int*, double f[], void*) {
  constexpr int stop = -999;
  f[0] = INTEGRAND::at<DIMENSIONS>(x);
  return *is_late ? stop : 0;
}

struct Result {
  double value, claim, chance;
  long long evaluations;
  int regions, status;
};

static Result integrated(const std::string& routine, double relative, void* workers) {
  constexpr int d = DIMENSIONS;
  constexpr long long most = 1LL << 60;
  Result r{};
  if (routine == "Cuhre")
    llCuhre(d, 1, integrand, nullptr, 1, relative, 0, 0, 0, most, 0, nullptr, workers, &r.regions,
            &r.evaluations, &r.status, &r.value, &r.claim, &r.chance);
  else if (routine == "Vegas")
    llVegas(d, 1, integrand, nullptr, 1, relative, 0, 0, 0, 0, most, 1000, 500, 1000, 0, nullptr, workers,
            &r.evaluations, &r.status, &r.value, &r.claim, &r.chance);
  else if (routine == "Suave")
    llSuave(d, 1, integrand, nullptr, 1, relative, 0, 0, 0, 0, most, 10000, 10, 25, nullptr, workers,
            &r.regions, &r.evaluations, &r.status, &r.value, &r.claim, &r.chance);
  else
    llDivonne(d, 1, integrand, nullptr, 1, relative, 0, 0, 0, 0, most, 2000, 1, 1, 5, 0, 10, 0.25, 0, d,
              nullptr, 0, nullptr, nullptr, workers, &r.regions, &r.evaluations, &r.status, &r.value,
              &r.claim, &r.chance);
  return r;
}

int main(int count, char** arguments) {
  const std::string routine = arguments[1];
  const int all = std::atoi(arguments[2]), seconds = std::atoi(arguments[3]);
  void* shared = mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  is_late = static_cast<volatile int*>(shared);
  std::signal(SIGALRM, [](int) { *is_late = 1; });
  // Divonne's own processes end when the time is over, and what is written to them then is lost.
  std::signal(SIGPIPE, SIG_IGN);
  for (int i = 4; i < count; i++) {
    double best = INFINITY;
    Result shown{};
    std::string clock;
    for (int processes : {1, all}) {
      // 0 workers: all is done by the caller.
      const int workers = processes > 1 ? processes : 0, points = 10000;
      void* pool = nullptr;
      cubacores(&workers, &points);
      if (workers > 0) cubafork(&pool);
      *is_late = 0;
      alarm(seconds);
      Result found{};
      const double ms = fastest_of(3, [&] {
        const Result now = integrated(routine, std::atof(arguments[i]), workers > 0 ? &pool : nullptr);
        if (!*is_late) found = now;
        return !*is_late;
      });
      alarm(0);
      if (workers > 0) cubawait(&pool);
      if (ms < best) {
        best = ms;
        shown = found;
        clock = "the fastest of three calls, processes: " + std::to_string(processes);
      }
    }
    if (clock.empty()) {
      std::fprintf(stderr, "it took more than %d s\n", seconds);
      return 1;
    }
    say(arguments[i], best, shown.value, shown.claim, shown.evaluations, shown.status, clock.c_str());
  }
}
