"""Every type of widget has a view model, and a file that draws it."""

from __future__ import annotations

from typing import get_args

import pytest

from menu.documents.scene import Widget
from player.display.widgets.table import view_model_of
from player.display.window.window import QML


@pytest.mark.film
@pytest.mark.parametrize("widget", get_args(Widget), ids=lambda widget: str(widget.__name__))
def test_a_widget_has_a_view_model_and_a_file(widget: type[Widget]) -> None:
    assert (QML / "widgets" / view_model_of(widget).file_name).is_file()
