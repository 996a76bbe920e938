"""The documentation is true of the files: paths in backticks and relative links exist, and decisions are listed."""

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.proofs import INDEX, index, proofs, rows

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
DECISIONS = ROOT / "docs" / "adr"

CODE_BLOCK = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
IN_BACKTICKS = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?) *#*$", re.MULTILINE)
NAME_IN_FILE = re.compile(r"`([\w/.-]+\.(?:py|qml))`: `([\w.]+)`")
"""A row of a table, or a sentence, that says where a name stands: "`player/version.py`: `VERSION`"."""
DECISION = re.compile(r"(?:docs/adr/|\bADR )(\d{1,4})\b")


@cache
def tracked() -> frozenset[str]:
    """Every file and folder of the repository."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    files = [Path(line) for line in listing.stdout.splitlines() if (ROOT / line).exists()]
    return frozenset(str(path) for file in files for path in (file, *file.parents))


def names_a_file(text: str) -> bool:
    """Whether it looks like a path in this repository: source files always do, others when they begin as one."""
    if not re.fullmatch(r"[\w./*<>-]+", text):
        return False
    top, slash, _ = text.partition("/")
    return text.endswith((".py", ".qml")) or (bool(slash) and top in tracked() and (ROOT / top).is_dir())


def matches(text: str) -> bool:
    """`*`, and a placeholder as in `<type>.py`, stand for any name."""
    if text.rstrip("/") in tracked():
        return True
    pattern = re.sub(r"\\?<[^>]*>|\\\*", "[^/]*", re.escape(text.rstrip("/")))
    return any(re.fullmatch(pattern, path) for path in tracked())


def anchors(page: Path) -> Iterator[str]:
    """The fragments by which GitHub links to a page's headings."""
    for heading in HEADING.findall(CODE_BLOCK.sub("", page.read_text(encoding="utf-8"))):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        yield re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")


def test_paths_in_backticks_exist() -> None:
    for page in PAGES:
        text = CODE_BLOCK.sub("", page.read_text(encoding="utf-8"))
        missing = [path for path in IN_BACKTICKS.findall(text) if names_a_file(path) and not matches(path)]
        assert not missing, f"{page.relative_to(ROOT)} names files that do not exist: give paths from the root"


def test_names_in_files_exist() -> None:
    for page in PAGES:
        for path, name in NAME_IN_FILE.findall(page.read_text(encoding="utf-8")):
            source = (ROOT / path).read_text(encoding="utf-8")
            for part in name.split("."):
                assert re.search(rf"\b{part}\b", source), f"{page.relative_to(ROOT)}: {path} has no {name}"


def test_relative_links_resolve() -> None:
    targets = (
        (page, target)
        for page in PAGES
        for target in LINK.findall(CODE_BLOCK.sub("", page.read_text(encoding="utf-8")))
    )
    for page, target in targets:
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), f"{page.relative_to(ROOT)} links to {target}, which does not exist"
        if anchor:
            assert anchor in set(anchors(linked)), f"{page.relative_to(ROOT)}: {path or page.name} has no #{anchor}"


def test_every_decision_is_in_the_index() -> None:
    index = (DECISIONS / "README.md").read_text(encoding="utf-8")
    for decision in sorted(DECISIONS.glob("[0-9]*.md")):
        number = int(decision.name[:4])
        title = decision.read_text(encoding="utf-8").splitlines()[0]
        assert title.startswith(f"# {number}. "), f"{decision.name} has another number in its title"
        assert f"[{number}]({decision.name})" in index, f"docs/adr/README.md does not list {decision.name}"


def test_decisions_that_are_named_exist() -> None:
    known = {int(decision.name[:4]) for decision in DECISIONS.glob("[0-9]*.md")}
    for name in sorted(tracked()):
        if not name.endswith((".py", ".md", ".toml", ".txt", ".qml", "Makefile")):
            continue
        for number in DECISION.findall((ROOT / name).read_text(encoding="utf-8")):
            assert int(number) in known, f"{name} names decision {number}, which does not exist"


def test_a_test_proves_every_row_of_the_table_of_faults() -> None:
    names = rows()
    assert len(names) == len(set(names)) > 100
    assert set(names) == {row for row, *_ in proofs()}, 'mark the test with @pytest.mark.proves("row")'


def test_the_index_of_proofs_is_current() -> None:
    assert INDEX.read_text(encoding="utf-8") == index(), "run `python -m tests.proofs`"


def test_docstrings_begin_with_a_verb_or_the_thing_itself() -> None:
    rooms = ("menu/", "player/", "service/", "guard/")
    sources = [name for name in tracked() if name.startswith(rooms) and name.endswith(".py")]
    found = [
        f"{name}: {line.strip()}"
        for name in sorted(sources)
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines()
        if re.match(r'\s*"""(What|How|Of|Those|That|Who)\b', line)
    ]
    assert not found, "say it as a verb (Returns …, Parses …) or as the thing itself (Modules that …)"


def test_every_locked_package_has_its_licence_listed() -> None:
    listed = set(re.findall(r"^\| ([\w.-]+) \|", (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8"), re.MULTILINE))
    locked = {
        name
        for lock in ROOT.glob("requirements*.lock")
        for name in re.findall(r"^([\w.-]+)(?:\[[\w,]+\])?==", lock.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert locked, "no locked packages found"
    assert locked <= listed, f"THIRD_PARTY.md lacks {sorted(locked - listed)}"


def test_the_pictures_of_the_desk_are_shown_and_small() -> None:
    pictures = sorted((ROOT / "docs" / "desk").iterdir())
    page = (ROOT / "docs" / "desk.md").read_text(encoding="utf-8")
    assert pictures
    assert [one.name for one in pictures if f"(desk/{one.name})" not in page] == []
    assert sum(one.stat().st_size for one in pictures) < 1_000_000
