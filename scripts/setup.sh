#!/bin/bash
# Installs what the build and the tests need: Debian/Ubuntu packages, a Python environment in .venv with LibTorch (the torch
# wheel) in it, and the embedded corpus. Does only what is missing, so running it again costs a fraction of a second.
#   scripts/setup.sh [--cpu | --cuda] [--bench]
#     --cpu, --cuda   which torch wheel; the choice is kept until the other one is asked for (default --cpu)
#     --bench         also what the benchmarks need
#   LIBTORCH=/path or a CMAKE_PREFIX_PATH with a LibTorch 2.6 or newer: uses that one, and installs no torch wheel.
#   MHA_SYSTEM_PACKAGES=no: leaves the system's packages alone, for machines where you provide the libraries yourself.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

packages=(
  g++ cmake ninja-build ccache pkg-config  # compiler and build
  libspdlog-dev nlohmann-json3-dev libcli11-dev libsentencepiece-dev libssl-dev zlib1g-dev  # libraries
  libgtest-dev libgmock-dev  # tests
  python3-venv  # the environment in .venv
)
torch_version=2.13.0
torch_cpu_index=https://download.pytorch.org/whl/cpu
variant=''
while [ $# -gt 0 ]; do
  case $1 in
    --cpu | --cuda) variant=${1#--} ;;
    --bench) packages+=(libbenchmark-dev) ;;
    -h | --help) sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) die "unknown option $1" "scripts/setup.sh --help lists the options." ;;
  esac
  shift
done

# Two set-ups at once in one tree would write into one environment; the second waits and then finds everything done.
# NFS locks only what is open for writing.
{ exec 9<> "${BASH_SOURCE[0]}"; } 2> /dev/null || exec 9< "${BASH_SOURCE[0]}"
flock 9 || say "setup: this file system has no locks: let no other set-up run in this folder at the same time" >&2

install_packages() {
  if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
    local tool
    for tool in g++ cmake ninja pkg-config; do
      command -v $tool > /dev/null || die "$tool is missing, and this is not Debian or Ubuntu, where it could be installed from here" \
        "Install what these Debian packages hold with your own package manager, then run this again:" "${packages[*]}"
    done
    return 0 # the libraries are cmake's to find
  fi
  local installed package missing=()
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${packages[@]}" 2> /dev/null || true)
  for package in "${packages[@]}"; do
    grep -qxF "installed $package" <<< "$installed" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  local run=(env DEBIAN_FRONTEND=noninteractive)
  local wait=(-o DPkg::Lock::Timeout=300) # seconds; a fresh machine updates itself meanwhile
  local by_hand="apt-get update && apt-get install --no-install-recommends ${missing[*]}"
  say "setup: installing the system packages that the build and the tests need: ${missing[*]}"
  if [ "$(id -u)" != 0 ]; then
    command -v sudo > /dev/null || die "installing packages needs root, and there is no sudo" "As root: $by_hand" "Then run this again."
    if [ ! -t 0 ] && ! sudo -n true 2> /dev/null; then
      die "installing packages needs root, and sudo asks for a password but there is no terminal" "In a terminal: sudo sh -c '$by_hand'" "Then run this again."
    fi
    say "setup: using sudo, since only root may install packages"
    run=(sudo "${run[@]}")
  fi
  local log
  log=$(mktemp)
  if ! "${run[@]}" apt-get "${wait[@]}" update -q > "$log" 2>&1; then
    tail -n 5 "$log" >&2
    say "setup: apt-get update failed; trying with the package lists that are there" >&2
  fi
  if ! "${run[@]}" apt-get "${wait[@]}" install -y -q --no-install-recommends "${missing[@]}" > "$log" 2>&1; then
    tail -n 15 "$log" >&2
    rm -f "$log"
    die "the packages could not be installed: ${missing[*]}" \
      "Without a network they must be installed beforehand. Debian 12 and Ubuntu 24.04, and newer, have all of them; older ones do not." \
      "By hand, as root: $by_hand"
  fi
  rm -f "$log"
}

# Prints the folder of a LibTorch named by LIBTORCH or CMAKE_PREFIX_PATH, or nothing.
find_libtorch() {
  local prefix file prefixes
  IFS=: read -ra prefixes <<< "${LIBTORCH:-}${LIBTORCH:+:}${CMAKE_PREFIX_PATH:-}"
  for prefix in "${prefixes[@]}"; do
    for file in "$prefix"/share/cmake/Torch/TorchConfigVersion.cmake "$prefix"/torch/share/cmake/Torch/TorchConfigVersion.cmake; do
      [ -f "$file" ] || continue
      local version
      version=$(sed -n 's/.*set(PACKAGE_VERSION "\([0-9.]*\).*/\1/p' "$file" | head -n 1)
      [ "$(printf '%s\n' 2.6 "$version" | sort -V | head -n 1)" = 2.6 ] ||
        die "LibTorch $version in $prefix is too old: 2.6 or newer is needed" "Unset LIBTORCH and CMAKE_PREFIX_PATH to have $torch_version installed into .venv."
      say "$prefix"
      return 0
    done
  done
  [ -z "${LIBTORCH:-}" ] || die "LIBTORCH=$LIBTORCH holds no LibTorch" \
    "Name the folder that holds include/, lib/ and share/cmake/Torch/, or unset LIBTORCH to have one installed into .venv."
}

# The stamp holds what the environment was made for; "unfinished" until it is.
venv=$root/.venv python=$root/.venv/bin/python stamp=$root/.venv/setup-stamp
# Runs pip in the environment, quietly unless it fails.
pip_install() { "$python" -m pip install --disable-pip-version-check --quiet --progress-bar off "$@" > "$venv/setup.log" 2>&1; }
check_environment() { "$python" "$root/scripts/check_environment.py" "$root/requirements.txt" $torch_version "$1"; }

install_torch() {
  local wanted=$1 plain="torch==$torch_version"
  if [ "$wanted" = cuda ]; then
    say "setup: installing torch $torch_version with CUDA (several gigabytes)"
    "$python" -m pip uninstall --quiet -y torch > /dev/null 2>&1 || true
    # '===' compares the whole name: '==' would be content with 2.13.0+cpu.
    pip_install "torch===$torch_version" && return 0
  else
    say "setup: installing LibTorch: torch $torch_version for the processor (about 200 MB)"
    pip_install "$plain+cpu" && return 0
    pip_install "$plain+cpu" --extra-index-url "$torch_cpu_index" && return 0
    say "setup: no wheel for the processor alone was found; trying the plain name, which may be the much larger CUDA build"
    pip_install "$plain" && return 0
  fi
  tail -n 15 "$venv/setup.log" >&2
  die "torch $torch_version could not be installed" \
    "It needs a network (or pip settings that name a local index), a 64-bit Linux and a Python that it has wheels for (here $("$python" -V))." \
    "A LibTorch that you have already can be used instead: LIBTORCH=/path/to/libtorch scripts/setup.sh"
}

make_environment() {
  local torch=$1
  if [ -e "$venv" ] && ! check_environment "$torch" > /dev/null 2>&1; then
    if [ ! -e "$stamp" ]; then
      local aside=$venv-$(date +%Y%m%d-%H%M%S)
      say "setup: .venv lacks what is needed and was not made by this script; moving it to $aside"
      mv "$venv" "$aside"
    elif "$python" -m pip --version > /dev/null 2>&1; then
      say "setup: .venv is not what is wanted any more; updating it"
    else
      say "setup: .venv is there but incomplete; making it again"
      rm -rf "$venv"
    fi
  fi
  mkdir -p "$venv"
  say "$torch unfinished" > "$stamp"
  if [ ! -x "$python" ]; then
    say "setup: making the Python environment .venv"
    python3 -m venv "$venv" || die "python3 -m venv failed" "On Debian and Ubuntu: apt-get install python3-venv"
  fi
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || die "$("$python" -V) is too old: 3.11 or newer is needed" \
    "Debian 12 and Ubuntu 24.04 have one. Another python3 that comes first in PATH is used as well."
  if ! pip_install -r "$root/requirements.txt"; then
    tail -n 15 "$venv/setup.log" >&2
    die "the Python packages of requirements.txt could not be installed" "They need a network, or pip settings that name a local index."
  fi
  if [ "$torch" != external ]; then
    if [ "$old_torch-$torch" = cuda-cpu ] || ! check_environment "$torch" > /dev/null 2>&1; then install_torch "$torch"; fi
  fi
  check_environment "$torch" || die "the environment in .venv is not usable, see above" "Remove the folder .venv and run this again."
}

[ "${MHA_SYSTEM_PACKAGES:-yes}" = no ] || install_packages
libtorch=$(find_libtorch)
old_torch='' old_hash=''
[ ! -s "$stamp" ] || read -r old_torch old_hash < "$stamp"
if [ -n "$libtorch" ]; then
  torch=external
  say "setup: using the LibTorch in $libtorch; no torch wheel is installed"
else
  torch=${variant:-$old_torch}
  [ -n "$torch" ] && [ "$torch" != external ] || torch=${variant:-cpu}
fi
hash=$({ cat "$root/requirements.txt" && echo "$torch_version $(readlink -f "$(command -v python3)")"; } | sha256sum | cut -c 1-16)
if [ "$old_torch $old_hash" != "$torch $hash" ] || [ ! -x "$python" ]; then
  make_environment "$torch"
  say "$torch $hash" > "$stamp"
fi

if [ -f "$root/data/generate.py" ]; then
  "$python" "$root/data/generate.py" --out "$root/data/grammar"
fi
