#!/bin/bash
# From a fresh machine to a trained and scored model: set-up, build, then the main job on the embedded corpus.
# Arguments go to mha-train, e.g. scripts/quickstart.sh --seed 2 --set attention.num_heads=8; runs/ is made in the current folder.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
"$root/scripts/build.sh" -DMHA_BUILD_TESTS=OFF
exec "$build_dir/bin/mha-train" --config "$root/configs/quickstart.json" "$@"
