"""The parts of a list or object: keys, bounds, and what is recorded of a bad part."""

from __future__ import annotations

from menu.documents.converters import Whole
from menu.documents.tolerant import Fields, RejectionLog


def parts(
    values: list[object] | dict[str, object], *, limit: int = 9, id_prefix: str | None = None
) -> tuple[dict[str, int], list[tuple[str, str, str]]]:
    """The sizes of the parts, and code, subject and pointer of each rejection."""
    rejections = RejectionLog()
    fields = Fields({}, subject="document", rejections=rejections, pointer="/document")
    found = fields.parts(
        "parts",
        values,
        lambda _, part: part.required("size", Whole(1, 9)),
        subject="parts",
        code="part_bad",
        limit=limit,
        id_prefix=id_prefix,
    )
    return found, [(one.code, one.subject, one.pointer) for one in rejections.recorded()]


def test_the_parts_of_a_list_are_keyed_by_index() -> None:
    found, rejected = parts([{"size": 1}, 5, {"size": 3}, {"size": "x"}])
    assert found == {"0": 1, "2": 3}
    assert rejected == [
        ("part_bad", "parts[1]", "/document/parts/1"),
        ("part_bad", "parts[3]", "/document/parts/3/size"),
    ]


def test_the_parts_of_an_object_are_keyed_by_name() -> None:
    found, rejected = parts({"a": {"size": 1}, "b": {"size": 0}})
    assert found == {"a": 1}
    assert rejected == [("part_bad", "parts/b", "/document/parts/b/size")]


def test_parts_with_an_id_are_keyed_by_it() -> None:
    found, rejected = parts([{"id": "a", "size": 1}, {"size": 2}, {"id": "b"}], id_prefix="scene/")
    assert found == {"a": 1}
    assert rejected == [
        ("part_bad", "parts[1]", "/document/parts/1"),
        ("part_bad", "scene/b", "/document/parts/2"),
    ]


def test_the_first_good_part_of_an_id_is_the_one() -> None:
    found, rejected = parts([{"id": "a"}, {"id": "a", "size": 2}, {"id": "a", "size": 3}], id_prefix="")
    assert found == {"a": 2}
    assert [code for code, _, _ in rejected] == ["part_bad", "duplicate_id"]


def test_parts_beyond_the_limit_are_not_read() -> None:
    found, rejected = parts([{"size": 1}, {"size": 2}, 5], limit=2)
    assert found == {"0": 1, "1": 2}
    assert rejected == [("too_many", "parts", "")]
