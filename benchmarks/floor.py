"""The least that a Qt Quick menu board can be, to measure against: three scenes in a loop, nothing around them.

Run as `python -m benchmarks.floor FOLDER WIDTHxHEIGHT`, with the scenes as `content.json` in FOLDER. It writes the
moment of its first frame into `first-frame` there, in seconds since the epoch.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

from player.display.backend import choose_backend


def main() -> int:
    folder, size = Path(sys.argv[1]), sys.argv[2]
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    choose_backend()
    from PySide6.QtCore import Qt, QUrl
    from PySide6.QtGui import QGuiApplication
    from PySide6.QtQuick import QQuickView

    app = QGuiApplication(sys.argv[:1])
    view = QQuickView()
    view.setResizeMode(QQuickView.ResizeMode.SizeRootObjectToView)
    view.resize(*(int(side) for side in size.split("x")))
    view.setInitialProperties({"content": json.loads((folder / "content.json").read_text())})

    def swapped() -> None:
        view.frameSwapped.disconnect(swapped)
        (folder / "first-frame").write_text(str(time.time()))

    view.frameSwapped.connect(swapped, Qt.ConnectionType.DirectConnection)
    view.setSource(QUrl.fromLocalFile(str(Path(__file__).with_name("Floor.qml"))))
    view.show()
    return app.exec()


if __name__ == "__main__":
    sys.exit(main())
