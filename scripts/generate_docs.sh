#!/bin/bash
# Writes docs/configuration.md, docs/config.schema.json and docs/report.md from the tables in the tool: scripts/generate_docs.sh BINARY [FOLDER]
set -euo pipefail
tool=${1:?usage: scripts/generate_docs.sh BINARY [FOLDER]}
folder=${2:-$(dirname "${BASH_SOURCE[0]}")/../docs}
mkdir -p "$folder"
"$tool" config docs > "$folder/configuration.md"
"$tool" config schema > "$folder/config.schema.json"
"$tool" report docs > "$folder/report.md"
