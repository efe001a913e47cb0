# Sourced by the other scripts: strict mode, the project's root, messages, what is built where.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

say() { printf '%s\n' "$*"; }
# die MESSAGE [REMEDY ...]: one line a piece on stderr, exit code 1.
die() {
  printf 'error: %s\n' "$1" >&2
  shift
  local line
  for line in "$@"; do printf '  %s\n' "$line" >&2; done
  exit 1
}

# Which preset of CMakePresets.json the scripts build and test, and its folder there.
preset=${MHA_PRESET:-release}
case $preset in
  release) build_dir=$root/build ;;
  dev | asan) build_dir=$root/build-$preset ;;
  *) die "there is no preset $preset" "MHA_PRESET is release, dev or asan." ;;
esac
