#!/bin/bash
# Set-up, build, and all tests; ends with ctest's summary. Arguments go to ctest, e.g. scripts/test.sh -L unit -R attention
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
"$root/scripts/build.sh" -DMHA_BUILD_TESTS=ON
ctest --test-dir "$root/build" --output-on-failure -j "$(nproc)" "$@"
