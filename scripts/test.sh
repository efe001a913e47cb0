#!/bin/bash
# Set-up, build, and all tests; ends with ctest's summary. Arguments go to ctest, e.g. scripts/test.sh -L unit -R attention
# MHA_PRESET chooses the preset, as for scripts/build.sh.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
"$root/scripts/build.sh" -DMHA_BUILD_TESTS=ON
cd "$root" # where ctest looks for the presets
ctest --preset "$preset" -j "$(nproc)" "$@"
