"""Sets OpenType features and variable axes of a font, through the format in which QDataStream writes fonts."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from PySide6.QtCore import QByteArray, QDataStream, QIODevice
from PySide6.QtGui import QFont

FORMAT = QDataStream.Version.Qt_6_8
_NONE_OF_EITHER = 8
"""Bytes at the end of a font without either: two lengths of zero."""


def with_tags(font: QFont, *, features: Mapping[str, int], axes: Mapping[str, float]) -> QFont:
    """The font, which has neither yet, with these features and variable axes by their tags of four letters.

    Debian 13's binding (6.8.2) cannot make the QFont.Tag that Qt's own calls take, so both are appended to the font as
    QDataStream writes them, and the whole is read back. The format of a version of QDataStream never changes.
    """
    written = QByteArray()
    writer = QDataStream(written, QIODevice.OpenModeFlag.WriteOnly)
    writer.setVersion(FORMAT)
    writer << font
    parts = [bytes(written.data())[:-_NONE_OF_EITHER], struct.pack(">I", len(features))]
    parts += [tag.encode("ascii") + struct.pack(">I", value) for tag, value in sorted(features.items())]
    parts += [struct.pack(">I", len(axes))]
    parts += [tag.encode("ascii") + struct.pack(">d", value) for tag, value in sorted(axes.items())]
    tagged = QFont()
    reader = QDataStream(QByteArray(b"".join(parts)))
    reader.setVersion(FORMAT)
    reader >> tagged
    if reader.status() is not QDataStream.Status.Ok or not reader.atEnd():
        raise RuntimeError("Qt writes fonts in another format than version 6.8's")
    return tagged
