#!/usr/bin/env bash
# Runs every GPU test of this folder on the machine's CUDA device. Arguments go
# to each test program: a filter, --list, --test-threads 1. A machine without a
# device fails the tests here, and does not skip them.
set -uo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
export QUADSCAN_REQUIRE_DEVICE="${QUADSCAN_REQUIRE_DEVICE:-cuda}"

failed=0
for suite in "$here"/gpu-tests/*; do
    echo "==> ${suite##*/}"
    "$suite" "$@" || failed=1
done
exit "$failed"
