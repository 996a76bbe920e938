"""Members of the `Qt` namespace that the first frame needs, as numbers; imports nothing.

The first use of `PySide6.QtCore.Qt` creates all of its ninety enumerations, which takes 20 to 35 ms. So it is not used
before a menu is displayed (ADR 0080); code that runs later, or on a desktop only, imports it locally.
"""

from __future__ import annotations

USER_ROLE = 0x0100
"""Qt.ItemDataRole.UserRole."""
PRECISE_TIMER = 0
"""Qt.TimerType.PreciseTimer."""
FRAMELESS_WINDOW = 0x0801
"""Qt.WindowType.Window | Qt.WindowType.FramelessWindowHint."""
