"""Makes scripts/bench importable."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(os.environ["MHA_SOURCE_DIR"], "scripts")))
