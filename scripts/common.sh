# Sourced by the other scripts: strict mode, the project's root, messages.
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
