#!/usr/bin/env bash
# Runs every GPU test of this folder on the machine's CUDA device. Arguments go
# to each test program: a filter (`emulator::` for the same tests on the CPU),
# --list, --test-threads 1. A machine without a device fails the tests here, and
# does not skip them.
set -uo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
export QUADSCAN_REQUIRE_DEVICE="${QUADSCAN_REQUIRE_DEVICE:-cuda}"

if [ $# -eq 0 ]; then
    set -- cuda::
fi
failed=0
for suite in "$here"/gpu-tests/*; do
    echo "==> ${suite##*/}"
    "$suite" "$@" || failed=1
done
exit "$failed"
