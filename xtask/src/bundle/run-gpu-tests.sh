#!/usr/bin/env bash
# Runs every GPU test of this folder on the machine's CUDA device, or that which
# the first argument names (`fixtures`). Arguments go to each test program: a
# filter (`emulator::` for the same tests on the CPU), --list, --test-threads 1.
# A machine without a device fails the tests here, and does not skip them.
set -uo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
export QUADSCAN_REQUIRE_DEVICE="${QUADSCAN_REQUIRE_DEVICE:-cuda}"

# The tests and the kernels that they launch; quadscan's are in the program.
[ -d "$here/ptx/subjects" ] || tar -xzf "$here/gpu-tests.tar.gz" -C "$here" || exit 2
[ -f "$here/ptx/quadscan/manifest.json" ] || "$here/quadscan" artifact --write "$here/ptx/quadscan" >/dev/null || exit 2
export QUADSCAN_ARTIFACT="$here/ptx/quadscan"
export QUADSCAN_TEST_KERNELS="$here/ptx/conformance"
export QUADSCAN_SUBJECTS="$here/ptx/subjects"

suites=("$here"/gpu-tests/*)
if [ $# -gt 0 ] && [ -x "$here/gpu-tests/$1" ]; then
    suites=("$here/gpu-tests/$1")
    shift
fi
if [ $# -eq 0 ]; then
    set -- cuda::
fi
failed=0
for suite in "${suites[@]}"; do
    echo "==> ${suite##*/}"
    "$suite" "$@" || failed=1
done
exit "$failed"
