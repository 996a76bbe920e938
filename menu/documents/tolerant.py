"""Reads untrusted JSON tolerantly: typed fields, bounds, and a rejection for each part that cannot be used.

It knows JSON values, annotated types and rejections; its callers know what a field means.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from enum import StrEnum
from itertools import islice
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, Struct
from msgspec.structs import FieldInfo

from menu.documents.converters import (
    ASSET_PREFIX,
    COSTS_PART,
    INLINE,
    Convert,
    FieldError,
    OneOf,
    Parts,
    all_of,
    array,
    asset,
    family,
    identifier,
    members,
)
from menu.documents.manifest import Rejection

MAX_REJECTIONS = 100
"""Rejections recorded for one document; the rest are counted."""
MAX_DETAIL = 200
"""Characters of a rejection's subject; its detail and pointer may have twice as many."""

NOT_THE_DOCUMENT = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""The errors of msgspec for bytes that are not JSON, or another document than was asked for."""

T = TypeVar("T")
D = TypeVar("D")
S = TypeVar("S", bound=Struct)


class RejectionLog:
    """Rejections of one document, up to `MAX_REJECTIONS`."""

    __slots__ = ("_more", "_recorded")

    def __init__(self) -> None:
        self._recorded: list[Rejection] = []
        self._more = 0

    def add(self, code: str, subject: str, detail: str, pointer: str = "", name: str = "") -> None:
        """Records one rejection; `pointer` is its place in the document, `name` its name for people."""
        if len(self._recorded) == MAX_REJECTIONS:
            self._more += 1
            return
        subject, name = subject[:MAX_DETAIL], name[:MAX_DETAIL]
        detail, pointer = detail[: 2 * MAX_DETAIL], pointer[: 2 * MAX_DETAIL]
        self._recorded.append(Rejection(code=code, subject=subject, detail=detail, pointer=pointer, name=name))

    def recorded(self) -> tuple[Rejection, ...]:
        """Returns all of them; a last one counts those above the bound."""
        if not self._more:
            return tuple(self._recorded)
        more = Rejection(code="rejections_cut", subject="manifest", detail=f"{self._more} more faults are not listed")
        return (*self._recorded, more)


class Fields:
    """Reads the fields of one JSON object by name. Null counts as absent; unknown fields are ignored.

    `subject` names the object in rejections, `pointer` is its place in the document. `called` is its name, or that of
    the object around it. References to assets may only name `assets`; None allows any.
    """

    __slots__ = ("_raw", "_rejections", "assets", "called", "pointer", "subject")

    def __init__(
        self,
        raw: object,
        *,
        subject: str,
        rejections: RejectionLog,
        pointer: str = "",
        within: str = "",
        assets: Container[str] | None = None,
    ) -> None:
        """Raises `FieldError` if `raw` is not an object."""
        self._raw: Mapping[str, object] = members(raw)
        self._rejections = rejections
        self.assets = assets
        self.subject = subject
        self.pointer = pointer
        name = self._raw.get("name")
        self.called = name if isinstance(name, str) and name else within

    def required(self, name: str, convert: Convert[T]) -> T:
        """Reads a field that must be present and valid; raises `FieldError`."""
        value = self._raw.get(name)
        if value is None:
            raise FieldError(f'"{name}" is missing')
        try:
            return convert(value)
        except FieldError as error:
            raise FieldError(f'"{name}" {error.detail}', error.code, f"/{name}{error.pointer}") from None

    def optional(self, name: str, convert: Convert[T], default: D) -> T | D:
        """Reads a field that may be absent; raises `FieldError` if it is bad, where the default would change the
        meaning."""
        return self.required(name, convert) if self.has(name) else default

    def lenient(self, name: str, convert: Convert[T], default: D, *, code: str = "field_bad") -> T | D:
        """Reads a field that may be absent or bad: it then has its default, and a bad value is recorded."""
        try:
            return self.optional(name, convert, default)
        except FieldError as error:
            self.reject(error, code)
            return default

    def has(self, name: str) -> bool:
        return self._raw.get(name) is not None

    def everything(self) -> Mapping[str, object]:
        """Returns all fields, where their names are data."""
        return self._raw

    def part(self, name: str) -> Fields:
        """Returns an object within this one; empty if it is absent or bad, and a bad one is recorded."""
        return self.lenient(name, lambda value: self.inner(name, value), None) or self.inner(name, {})

    def asset(self, value: object) -> str:
        """Parses a reference to an asset; returns the hex SHA-256."""
        digest = asset(value)
        if self.assets is not None and digest not in self.assets:
            raise FieldError(f"is {digest[:12]}…, which is not among the assets", "asset_undeclared")
        return digest

    def family(self, value: object) -> str:
        """Parses the name of a font family, or a reference to a font among the assets."""
        found = family(value)
        if found.startswith(ASSET_PREFIX):
            self.asset(found)
        return found

    def struct(self, kind: type[S], **given: Any) -> S:
        """Reads the object as this type, by the annotations of its fields; `given` are fields already known.

        A field without a default is required. A bad field with a default gets the default, and is recorded; with
        COSTS_PART it costs the object. A field without a converter is not read. Raises one `FieldError` for all fields.
        """
        errors = list[FieldError]()
        for name, read in _readers(kind):
            if name not in given:
                try:
                    given[name] = read(self)
                except FieldError as error:
                    errors.append(error)
        if errors:
            raise all_of(errors)
        return kind(**given)

    def inner(self, name: str, value: object, *, subject: str | None = None) -> Fields:
        return Fields(
            value,
            subject=self.subject if subject is None else subject,
            rejections=self._rejections,
            pointer=f"{self.pointer}/{name}",
            within=self.called,
            assets=self.assets,
        )

    def tuple_of(
        self, name: str, read: Callable[[Fields], T], *, code: str, limit: int, list_code: str = "field_bad"
    ) -> tuple[T, ...]:
        """Reads the parts of a list that may be absent or bad."""
        listed = self.lenient(name, array(), [], code=list_code)
        return tuple(self.parts(name, listed, lambda _, part: read(part), code=code, limit=limit).values())

    def all_of(self, name: str, value: object, parts: Parts) -> tuple[Any, ...]:
        """Reads the parts of a list, of which a bad one costs all."""
        found = []
        for at, one in enumerate(array(parts.limit)(value)):
            try:
                found.append(self.inner(f"{name}/{at}", one).struct(parts.kind))
            except FieldError as error:
                raise FieldError(error.detail, parts.code, f"/{at}{error.pointer}") from None
        return tuple(found)

    def parts(
        self,
        name: str,
        values: list[object] | dict[str, object],
        read: Callable[[str, Fields], T],
        *,
        subject: str | None = None,
        code: str,
        limit: int,
        id_prefix: str | None = None,
    ) -> dict[str, T]:
        """Reads the first `limit` parts of the list or object `name`, in order, by key: id, name or index.

        A part that `read` or its key refuses is left out and recorded with `code`. Its subject is `subject[index]` or
        `subject/name`; without one, `subject` is that of this object, none of the document, and `name`. With
        `id_prefix` a part has an id, unique among those that were read; its subject is then `id_prefix` and the id.
        """
        if subject is None:
            subject = f"{self.subject}/{name}" if self.pointer else name
        if len(values) > limit:
            detail = f"{len(values)} are listed, only the first {limit} are used"
            self._rejections.add("too_many", subject, detail, name=self.called)
        members, form = (values.items(), "{}/{}") if isinstance(values, dict) else (enumerate(values), "{}[{}]")
        found: dict[str, T] = {}
        for position, value in islice(members, limit):
            key, part_subject = str(position), form.format(subject, position)
            place, called = f"{name}/{position}", self.called
            try:
                fields = self.inner(place, value, subject=part_subject)
                called = fields.called
                if id_prefix is not None:
                    key = fields.required("id", identifier)
                    fields.subject = part_subject = id_prefix + key
                    if key in found:
                        raise FieldError("another has the same id", "duplicate_id")
                found[key] = read(key, fields)
            except FieldError as error:
                pointer = f"{self.pointer}/{place}{error.pointer}"
                self._rejections.add(error.code or code, part_subject, error.detail, pointer, called)
        return found

    def reject(self, error: FieldError, code: str) -> None:
        """Records a rejection of this object; `code` counts unless the error has one of its own."""
        self._rejections.add(error.code or code, self.subject, error.detail, self.pointer + error.pointer, self.called)


_READERS: dict[type[Struct], tuple[tuple[str, Callable[[Fields], object]], ...]] = {}


def _readers(kind: type[Struct]) -> tuple[tuple[str, Callable[[Fields], object]], ...]:
    if kind not in _READERS:
        found = ((info.name, _reader(info)) for info in msgspec.structs.fields(kind))
        _READERS[kind] = tuple((name, read) for name, read in found if read is not None)
    return _READERS[kind]


def _reader(info: FieldInfo) -> Callable[[Fields], object] | None:
    """Returns the reader of a field; None for one that no document has."""
    name, (kind, marks) = info.encode_name, kind_and_marks(info.type)
    parts = next((mark for mark in marks if isinstance(mark, Parts)), None)
    if parts is not None and not parts.whole:
        one = parts.kind
        return lambda fields: fields.tuple_of(name, lambda part: part.struct(one), code=parts.code, limit=parts.limit)
    if INLINE in marks:
        return lambda fields: fields.struct(kind)
    if (converter := _converter(name, kind, marks, parts)) is None:
        return None
    if info.required:
        return lambda fields: fields.required(name, converter(fields))
    default = info.default if info.default_factory is NODEFAULT else info.default_factory()
    read = Fields.optional if COSTS_PART in marks else Fields.lenient
    return lambda fields: read(fields, name, converter(fields), default)


def kind_and_marks(kind: Any) -> tuple[Any, list[Any]]:
    """Splits an annotation into its type, without None, and all its annotations."""
    marks = list[Any]()
    while (origin := get_origin(kind)) in (Annotated, Union, UnionType):
        kind, *more = get_args(kind)
        marks += more if origin is Annotated else ()
    return kind, marks


def _converter(name: str, kind: Any, marks: list[Any], parts: Parts | None) -> Callable[[Fields], Convert[Any]] | None:
    if parts is not None:
        return lambda fields: lambda value: fields.all_of(name, value, parts)
    if asset in marks:
        return lambda fields: fields.asset
    if family in marks:
        return lambda fields: fields.family
    convert = next(filter(callable, marks), None)
    if convert is None and isinstance(kind, type) and issubclass(kind, StrEnum):
        convert = OneOf(tuple(kind))
    if convert is None and isinstance(kind, type) and issubclass(kind, Struct):
        return lambda fields: lambda value: fields.inner(name, value).struct(kind)
    return None if convert is None else lambda _: convert
