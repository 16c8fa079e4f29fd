// What the files of this folder share: a call, an entry of a table, and how a call
// becomes one of CUB.
//
// The folder is a shared library in C++ with a C interface (library.cu) around
// CUB's scans, reductions and selections: the peer of our own. It compiles with the CUB of the
// CUDA toolkit, from 3.0 on, and with a newer one whose folder stands before it on the
// include path. CUB gets what it is fastest with: plain pointers, 32-bit counts where
// they hold n, and its own accumulator types.

#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

namespace peer {

// Pointers are the device's. What an operation does not have is null or 0.
struct Call {
    const void *input;
    // Keys of a scan by key, u32; segments + 1 offsets of segmented operations, u32; room for
    // the number of selected elements, u64.
    const void *keys_or_offsets;
    // n elements, of a selection at most; one for a reduction, `segments` for a segmented one.
    void *output;
    uint64_t n;
    uint64_t segments;
    cudaStream_t stream;

    template <typename T>
    const T *in() const
    {
        return static_cast<const T *>(input);
    }

    template <typename T>
    T *out() const
    {
        return static_cast<T *>(output);
    }

    const uint32_t *keys() const
    {
        return static_cast<const uint32_t *>(keys_or_offsets);
    }

    uint64_t *count() const
    {
        return static_cast<uint64_t *>(const_cast<void *>(keys_or_offsets));
    }
};

// As all of CUB's: without scratch it says how many bytes it needs, and does nothing.
using Function = cudaError_t (*)(void *scratch, size_t &bytes, const Call &call);

struct Entry {
    const char *name;
    Function function;
};

struct Table {
    const Entry *entries;
    size_t count;
};

// One of each file.
Table sums();
Table operators();
Table reductions();
Table selections();

// CUB has kernels for 32-bit and for 64-bit counts, and those for 32 are not slower.
template <typename Work>
cudaError_t with_count(uint64_t n, Work work)
{
    return n <= UINT32_MAX ? work(static_cast<uint32_t>(n)) : work(n);
}

}  // namespace peer
