"""The link to the service: pairing, polls for manifests, heartbeats and downloads."""

import sys
from importlib.util import find_spec

# httpx loads its command-line program too, and for that rich and Pygments where they are installed, as on Debian:
# 5 MiB. None is Python's word for a module that is not there (its reference, 5.3.1).
sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]

# httpcore asks for this one with every lock, and Python looks for a module that is not there in all folders each time.
if find_spec("sniffio") is None:
    sys.modules["sniffio"] = None  # type: ignore[assignment]
