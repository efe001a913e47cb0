#!/bin/bash
# Set-up and build. Extra arguments go to the first cmake call:
#   scripts/build.sh [-DMHA_BUILD_BENCH=ON ...]         MHA_PRESET=dev|release|asan chooses the preset (default release)
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
"$root/scripts/setup.sh"

# ccache refuses to compile when it cannot make its folder.
if [ -z "${CCACHE_DIR:-}" ]; then
  cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/ccache
  { mkdir -p "$cache" && [ -w "$cache" ]; } 2> /dev/null || export CCACHE_DIR="$build_dir/.ccache"
fi
cd "$root"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! cmake --preset "$preset" "$@" > "$log" 2>&1; then
  cat "$log" >&2
  die "the build could not be configured, see above" "If $build_dir was made in another place or with other tools, remove it and run this again."
fi
cmake --build --preset "$preset"
