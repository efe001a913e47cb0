#!/bin/bash
# Downloads public translation corpora and lays them out as the files in configs/ expect.
#   scripts/get_data.sh multi30k|multi30k-tok|iwslt14-en-de|wmt14-en-de ... [--base FOLDER_OR_URL] [--out FOLDER] [--lowercase]
# scripts/get_data.sh --help says more.
exec python3 "$(dirname "${BASH_SOURCE[0]}")/get_data.py" "$@"
