// The C interface. It works in the calling thread's current context, which has to be
// the device's primary one, on a stream of the driver (CUstream is cudaStream_t), and
// never waits, so that what it does can be recorded in a graph.

#include <cstring>
#include <string>

#include <cub/version.cuh>
#include <cuda/version>

#include "peer.cuh"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

// A name that the library does not have. cudaError_t has no negative values.
constexpr int kUnknown = -1;

template <typename Visit>
void each_entry(Visit visit)
{
    for (const peer::Table table : {peer::sums(), peer::operators(), peer::reductions(), peer::selections()}) {
        for (size_t i = 0; i < table.count; ++i) {
            visit(table.entries[i]);
        }
    }
}

peer::Function find(const char *what)
{
    peer::Function found = nullptr;
    each_entry([&](const peer::Entry &entry) {
        if (std::strcmp(entry.name, what) == 0) {
            found = entry.function;
        }
    });
    return found;
}

std::string three(int major, int minor, int patch)
{
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

}  // namespace

// Such as "CUB 3.0.1, CCCL 3.0.1, nvcc 13.0.88".
EXPORT const char *quadscan_peer_version()
{
    static const std::string text =
        "CUB " + three(CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION) + ", CCCL "
        + three(CCCL_MAJOR_VERSION, CCCL_MINOR_VERSION, CCCL_PATCH_VERSION) + ", nvcc "
        + three(__CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__);
    return text.c_str();
}

// All names, with a space after each.
EXPORT const char *quadscan_peer_names()
{
    static const std::string text = [] {
        std::string names;
        each_entry([&](const peer::Entry &entry) { names.append(entry.name).append(" "); });
        return names;
    }();
    return text.c_str();
}

// What a code of the functions below means.
EXPORT const char *quadscan_peer_error(int code)
{
    return code == kUnknown ? "no such operation" : cudaGetErrorString(static_cast<cudaError_t>(code));
}

// Bytes of scratch memory for n elements in `segments` segments, at least 1. 0 or a code.
EXPORT int quadscan_peer_scratch(const char *what, uint64_t n, uint64_t segments, size_t *bytes)
{
    const peer::Function function = find(what);
    if (function == nullptr) {
        return kUnknown;
    }
    const peer::Call call{nullptr, nullptr, nullptr, n, segments, nullptr};
    *bytes = 0;
    const cudaError_t error = function(nullptr, *bytes, call);
    *bytes = *bytes == 0 ? 1 : *bytes;
    return error;
}

// Asks the stream for the operation. `scratch` has `bytes` bytes, as many as
// quadscan_peer_scratch says or more. 0 or a code.
EXPORT int quadscan_peer_run(
    const char *what, void *scratch, size_t bytes, const void *input,
    const void *keys_or_offsets, void *output, uint64_t n, uint64_t segments, void *stream)
{
    const peer::Function function = find(what);
    if (function == nullptr) {
        return kUnknown;
    }
    const peer::Call call{
        input, keys_or_offsets, output, n, segments, static_cast<cudaStream_t>(stream)};
    return function(scratch, bytes, call);
}
