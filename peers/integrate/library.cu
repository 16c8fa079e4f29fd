// The C interface. It works in the calling thread's current context, which has to be
// the device's primary one, on a stream of the driver (CUstream is cudaStream_t), and
// never waits, so that what it does can be recorded in a graph.

#include "peer.cuh"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

// A name that the library does not have. cudaError_t has no negative values.
constexpr int kUnknown = -1;

const peer::Table &entries()
{
    static const peer::Table all = [] {
        peer::Table all;
        for (const peer::Table &table :
             {peer::quarter_circle(), peer::runge(), peer::gaussian(), peer::genz_oscillatory()}) {
            all.insert(all.end(), table.begin(), table.end());
        }
        return all;
    }();
    return all;
}

}  // namespace

// Such as "nvcc 13.0.88, -O3".
EXPORT const char *quadscan_peer_version()
{
    static const std::string text = "nvcc " + std::to_string(__CUDACC_VER_MAJOR__) + "."
        + std::to_string(__CUDACC_VER_MINOR__) + "." + std::to_string(__CUDACC_VER_BUILD__)
        + ", -O3";
    return text.c_str();
}

// All names, with a space after each.
EXPORT const char *quadscan_peer_names()
{
    static const std::string text = [] {
        std::string names;
        for (const peer::Entry &entry : entries()) {
            names.append(entry.name).append(" ");
        }
        return names;
    }();
    return text.c_str();
}

// What a code of the functions below means.
EXPORT const char *quadscan_peer_error(int code)
{
    return code == kUnknown ? "no such integral"
                            : cudaGetErrorString(static_cast<cudaError_t>(code));
}

// Bytes of scratch memory, whatever the integral. 0 or a code.
EXPORT int quadscan_peer_scratch(size_t *bytes)
{
    int blocks = 0;
    const cudaError_t error = peer::most_blocks(blocks);
    *bytes = peer::scratch_bytes(blocks);
    return error;
}

// Asks the stream for the integral from `from` to `to` over `strips` strips, a number of the
// name's type at `output`. `parameters` are 8 numbers of the host's, which are read before
// it returns; `scratch` has as many bytes as quadscan_peer_scratch says, all 0 before the
// first call, and calls with it are one after the other. 0 or a code.
EXPORT int quadscan_peer_integrate(
    const char *what, void *scratch, double from, double to, const double *parameters,
    void *output, uint64_t strips, void *stream)
{
    for (const peer::Entry &entry : entries()) {
        if (entry.name == what) {
            return entry.function(
                {from, to, parameters, scratch, output, strips,
                 static_cast<cudaStream_t>(stream)});
        }
    }
    return kUnknown;
}
