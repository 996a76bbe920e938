"""The smallest possible Qt Quick menu board, as the lower bound of the comparison: three scenes in a loop.

Run as `python -m benchmarks.floor FILE`; `content.write_floor` writes FILE.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtQuick import QQuickView


def main() -> int:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ.setdefault("QT_QUICK_BACKEND", "software")
    app = QGuiApplication(sys.argv[:1])
    view = QQuickView()
    view.setInitialProperties({"menu": json.loads(Path(sys.argv[1]).read_text())})
    view.setSource(QUrl.fromLocalFile(str(Path(__file__).with_name("Floor.qml"))))
    view.setPosition(0, 0)
    view.show()
    return app.exec()


if __name__ == "__main__":
    sys.exit(main())
