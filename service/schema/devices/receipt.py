"""Receipts: content that a screen has presented, as its player reports and the API shows it (docs/protocol.md)."""

from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import AfterValidator, StringConstraints, model_validator

from service.schema.base import Input, ResponseModel
from service.schema.devices.device import Counter
from service.schema.fields import Instant, InstantText, Whole, fault, storable

MAX_REPORTED_RECEIPTS = 200
"""Receipts in one report."""
MAX_STEPS = 100
MAX_RECEIPT_MILLISECONDS = 25 * 3600 * 1000
"""Longer than a day on which the clocks are put back."""

Kind = Literal["scene", "house", "pairing", "nothing", "off"]
BeforeReason = Literal["stopped", "cut", "clock", "dropped"]
GapReason = Literal["stopped", "cut", "clock", "dropped", "not_reported"]

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,100}$")]
"""An id or a code: nothing that a spreadsheet would read as a formula."""
Offset = Annotated[Whole, Ge(0), Le(MAX_RECEIPT_MILLISECONDS)]


class ReportedStep(Input):
    """A scene that came in so many milliseconds after the begin; `language` where its showings differ by it."""

    at: Offset
    scene_id: Name
    entry_id: Name
    language: Annotated[str, MaxLen(35), AfterValidator(storable)] | None = None


class ReportedReceipt(Input):
    """A stretch of time on the glass, without a change of anything but the scene. All steps but the first come again
    every `period` milliseconds. `before` says why nothing is known of the time before it."""

    sequence: Annotated[Whole, Ge(1), Le(2**31 - 1)]
    from_: Instant
    to: Instant
    kind: Kind
    before: BeforeReason | None = None
    playlist_id: Name | None = None
    version: Counter | None = None
    revision: Counter | None = None
    history: Annotated[str, MaxLen(100), AfterValidator(storable)] | None = None
    location_id: Name | None = None
    override: Name | None = None
    why: Name | None = None
    steps: Annotated[list[ReportedStep], MaxLen(MAX_STEPS)] = []  # noqa: RUF012  (pydantic copies it)
    period: Annotated[Offset, Ge(1)] | None = None

    @model_validator(mode="after")
    def _in_order(self) -> "ReportedReceipt":
        if not 0 < (self.to - self.from_).total_seconds() * 1000 <= MAX_RECEIPT_MILLISECONDS:
            raise fault("out_of_range", "to lies after from, by 25 hours at most.")
        offsets = [step.at for step in self.steps]
        if offsets != sorted(offsets) or (offsets and offsets[0] != 0):
            raise fault("out_of_order", "The first step is at 0, and each lies after the one before.")
        if (self.kind == "scene") != bool(self.steps):
            raise fault("out_of_order", "A scene has steps, and nothing else has.")
        return self


class ReceiptReport(Input):
    """Receipts of the log of a device, the oldest first. Each may come again, with a later end."""

    log: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
    receipts: Annotated[list[ReportedReceipt], MinLen(1), MaxLen(MAX_REPORTED_RECEIPTS)]


class ReceiptsTaken(ResponseModel):
    """The number of receipts of a report that are stored by now; the others lie ahead, or are too many or too old."""

    taken: int


class ReceiptGap(ResponseModel):
    """A time of which nothing is known, and why."""

    reason: GapReason
    from_: InstantText
    to: InstantText


class ShownScene(ResponseModel):
    """A scene that came onto the glass so many seconds after the begin."""

    scene: str
    entry: str
    language: str | None
    after_seconds: float


class ReceiptResponse(ResponseModel):
    """A stretch of time on the glass of a screen. `kind` is `scene`, or what showed instead: the card of the `house`, a
    `pairing` code, `nothing` (`reason` is the fault), or a panel that was `off` by its hours. After the last scene they
    come again from the second on, every `repeatsEverySeconds`, until `to`. `gapBefore` is the time before it of which
    nothing is known."""

    from_: InstantText
    to: InstantText
    kind: Kind
    reason: str | None
    playlist: str | None
    version: int | None
    revision: int | None
    override: str | None
    location: str | None
    scenes: list[ShownScene]
    repeats_every_seconds: float | None
    gap_before: ReceiptGap | None
