"""On import, runs an application until a café is open: the processes that are forked from this one then have what it
has built, the readers of its routes' parameters and the text of its SQL."""

import tempfile
import threading
from pathlib import Path

from tests.service.support.opened_cafe import opened_cafe
from tests.service.support.quick_start import shorten_starts
from tests.support.patience import PATIENCE_SECONDS

shorten_starts()
with tempfile.TemporaryDirectory() as _folder:
    opened_cafe(Path(_folder) / "data")
for _thread in threading.enumerate():
    if _thread is not threading.main_thread():
        # The loop that it worked for is closed: it ends, at some time.
        _thread.join(PATIENCE_SECONDS)
assert threading.active_count() == 1, "a fork would have no part of the other threads but their locks"
