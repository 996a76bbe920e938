"""`python -m tests.settings_table` writes the table of all settings into docs/install.md; tests/player/test_settings.py
holds that page against it."""

from __future__ import annotations

from pathlib import Path

from player.boot_file.document import KNOWN, MACHINE
from player.setting_values import flag
from player.settings import SETTINGS

PAGE = Path(__file__).parent.parent / "docs" / "install.md"
BEGIN, END = "<!-- settings -->\n", "\n<!-- end of settings -->"


def table() -> str:
    """Every setting as Markdown."""
    rows = ["| setting | flag | what it does (without it) | boot file |", "|---|---|---|---|"]
    for name, setting in {**SETTINGS, **MACHINE}.items():
        option, where = "", "only there" if name in MACHINE else "yes" if name in KNOWN else "no"
        words = name.replace("_", "-")
        if name == "mode":
            option = "`--windowed`, `--offscreen`"
        elif setting.read is flag and name in SETTINGS:
            option = f"`--{words}`, `--no-{words}`"
        elif setting.metavar:
            option = f"`--{words}`"
        rows.append(f"| `{name}` | {option} | {setting.help} | {where} |")
    return "\n".join(rows)


def parts() -> tuple[str, str, str]:
    """Splits the page into the text before the table, the table, and the text behind it."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    there, _, after = rest.partition(END)
    return before, there, after


def main() -> None:
    before, _, after = parts()
    PAGE.write_text(f"{before}{BEGIN}{table()}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
