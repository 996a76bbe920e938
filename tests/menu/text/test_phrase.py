"""In which language to speak, by what a terminal says of itself."""

import pytest

from menu.text.phrase import language_of_terminal


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "fr_FR.UTF-8"}, "fr"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "ar_KW@euro"}, "ar"),
        ({"LANG": "", "LC_ALL": "", "LC_MESSAGES": "es_MX"}, "es"),
        ({"LANG": "POSIX"}, "en"),
        ({"LANG": "ja_JP.UTF-8"}, "en"),
        ({}, "en"),
    ],
)
def test_a_terminal_says_its_language(environment: dict[str, str], language: str) -> None:
    assert language_of_terminal(environment) == language
