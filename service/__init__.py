"""The menu display service: boards, items and playlists behind a REST API, and the protocol that players speak."""

import sys

# httpx loads its command-line program too, and for that rich and Pygments where they are installed, as on Debian. None
# is Python's word for a module that is not there (its reference, 5.3.1).
sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]
