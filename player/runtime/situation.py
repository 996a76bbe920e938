"""State of the conductor as one frozen value: the view, the order and the snapshot follow from it; pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from menu.documents.manifest import LinkSettings, Rejection
from menu.documents.scene import Place
from menu.text.wording import Locality
from player.domain import events as ev
from player.domain.banners import Banners
from player.domain.commands import Commands
from player.domain.findings.connection import advice
from player.domain.findings.diagnosis import Telling
from player.domain.link.connection_care import ConnectionCare
from player.domain.link.contact import Call
from player.domain.link.fault import Fault
from player.domain.machine import Glass
from player.domain.pairing.notice import pairing_card, pairing_notice
from player.domain.panel.care import PanelCare
from player.domain.panel.panel import ScreenDisplay
from player.domain.playing import board as boards
from player.domain.playing.board import Board
from player.domain.playing.board_facts import all_rejections, failures_of, running_facts, span_faults, staged_facts
from player.domain.playing.frames import Frames
from player.domain.playing.intake import OLDER, Intake
from player.domain.playing.playback import Playback
from player.domain.playing.shown import Shown, shown_at
from player.domain.recovery.ladder import SAFE_CARD, Ladder
from player.domain.recovery.reported import Reported
from player.domain.recovery.undrawable import Undrawable
from player.domain.state import Device, Kind, PairingFacts, PairingPhase, PlayerState, Presented, Showing
from player.domain.strip import StripTimes, identity, strip
from player.domain.time.timekeeping import Timekeeping
from player.domain.time.wake_up import WakeUp, wake_up
from player.domain.view import DisplayOrder, HouseCard

MAX_REJECTIONS = 100
"""Rejected parts that the snapshot holds; the rest is in the log."""


class Situation(Struct, frozen=True, kw_only=True):
    """Values of the rules, and the plain facts beside them."""

    device: Device
    time: Timekeeping
    locality: Locality
    """The language of the device."""
    connection: ConnectionCare
    ladder: Ladder
    panel: PanelCare
    pairing: PairingFacts = PairingFacts()
    is_new: bool = False
    """Whether the screen was paired since the start, and has no manifest yet."""
    settings: LinkSettings = LinkSettings()
    display: ScreenDisplay = ScreenDisplay()
    intake: Intake = Intake()
    board: Board = Board()
    shown: Shown = Shown(view=HouseCard(), showing=Showing())
    frames: Frames = Frames()
    order: DisplayOrder | None = None
    wake_up: WakeUp | None = None
    banners: Banners = Banners()
    commands: Commands = Commands()
    reported: Reported = Reported()
    undrawable: Undrawable = Undrawable()
    restored_rejections: tuple[Rejection, ...] = ()
    crashes: int = 0
    health: ev.HealthRead = ev.HealthRead(health=ev.Health())
    addresses: ev.AddressesRead = ev.AddressesRead()
    glass: Glass | None = None
    frames_late: bool = False
    wanted_version: str | None = None
    found: Mapping[str, datetime] = {}
    telling: Telling = Telling()

    @property
    def is_paired(self) -> bool:
        """True if the service accepts the screen."""
        return self.pairing.phase is PairingPhase.PAIRED

    @property
    def goes_on(self) -> bool:
        """True if the board shows: also one that has to be paired again, as long as it has something to play."""
        return self.is_paired or self.board.playback is not None

    @property
    def is_read(self) -> bool:
        """True if the display has something that must be read, whatever the hours."""
        return self.is_new or not self.is_paired or self.banners.are_read(self.time.monotonic)

    @property
    def is_dark(self) -> bool:
        """True if a screen that is off is no fault."""
        return self.panel.is_dark_on_purpose(self.time.monotonic)

    @property
    def hears(self) -> bool:
        """True if heartbeats reach the service."""
        return self.is_paired and not self.connection.contact.of(Call.HEARTBEAT)

    @property
    def place(self) -> Place | None:
        """Place among the screens that draw one board."""
        location = self.board.location
        return location.place_of(self.pairing.screen_id) if location else None

    @property
    def strip_times(self) -> StripTimes:
        """Since when the service is away, and the first frame on the display."""
        return StripTimes(reached_at=self.connection.reached_at, presented_at=self.frames.first_at)

    @property
    def advice(self) -> str | None:
        """Actions against what keeps calls from the service."""
        failing = self.connection.contact.worst
        return None if failing is None else advice(failing.fault, self.device.service)

    def passing_over(self, board: Board) -> Board:
        """Returns the board without scenes that fail, and with those again whose time is over."""

        def failing(playback: Playback) -> frozenset[str]:
            return self.ladder.passed_over(playback.version, playback.unshowable, self.time.wall)

        overrides = board.overrides.refusing({one.key: failing(one.playback) for one in board.overrides.all})
        if overrides is not board.overrides:
            board = replace(board, overrides=overrides)
        return board if board.playback is None else boards.pass_over(board, failing(board.playback))

    def view_now(self) -> Shown:
        shown = Shown(view=HouseCard(), showing=Showing(kind=Kind.PAIRING))
        if self.goes_on:
            shown = shown_at(
                self.board,
                self.time.now,
                trusted=self.time.trusted,
                known=self.shown,
                before=self.frames.view,
                elsewhere=self.locality,
            )
        if self.goes_on and not self.is_new:
            return shown
        card = pairing_card(self.pairing, is_new=self.is_new, advice=self.advice, locality=self.locality)
        return Shown(view=card, showing=shown.showing)

    def next_wake_up(self) -> WakeUp | None:
        """Returns when the order may change next."""
        board, now, monotonic = self.board, self.time.now, self.time.monotonic
        back = boards.next_back(board) if self.time.trusted else None
        takes_over = board.staged.takes_over_at if board.staged else None
        override = board.overrides.next_change(now) if self.time.trusted else None
        return wake_up(
            instants=(self.shown.showing.until, self.panel.facts.until, back, takes_over, override),
            ends=(*self.banners.ends, self.strip_times.next_change(monotonic), *self.panel.ends),
            now=now,
            monotonic=monotonic,
        )

    def order_now(self, state: PlayerState | None) -> DisplayOrder:
        """Returns the order for the newest view, with what the snapshot, if there is one, reports of the board."""
        now, view, told, notice = self.time.monotonic, self.shown.view, None, None
        has_strip = self.ladder.safe_card or now < self.banners.details_until or self.strip_times.shows(view, now)
        if state is not None and has_strip:
            # That the safe card shows is what it says itself.
            findings = (finding for finding in state.findings if finding.code != SAFE_CARD.code)
            told = strip(state, next(findings, None), locale=self.locality.locale)
        location, rotation = self.board.location, self.display.rotation
        if not self.is_paired and self.goes_on:
            refused = self.connection.contact.fault is Fault.SCREEN_REFUSED
            notice = pairing_notice(self.pairing, location, trouble=None if refused else self.advice)
        if rotation is None:
            rotation = location.rotation if location else 0
        return DisplayOrder(
            serial=self.frames.serial,
            view=view,
            upcoming=self.shown.upcoming,
            clock_offset=self.time.estimate.state.offset,
            identify=identity(state) if state is not None and self.banners.names_screen(now) else None,
            notice=notice,
            strip=told,
            locality=self.locality,
            pin=self.banners.shown_pin(now),
            rotation=rotation,
            overscan=self.display.overscan or 0.0,
            place=self.place,
        )

    def snapshot(self) -> PlayerState:
        """Returns the snapshot, not diagnosed yet."""
        board, ladder, catalogue = self.board, self.ladder, self.board.catalogue
        unhandled = () if ladder.unhandled is None else (ladder.unhandled,)
        faults = (*ladder.faults(is_dark=self.is_dark), *failures_of(board), *unhandled)
        rejections = (
            *faults,
            *self.restored_rejections,
            *all_rejections(board),
            *span_faults(board, self.place, self.glass),
            *((OLDER,) if self.intake.refused else ()),
            *self.reported.faults.values(),
            *self.undrawable.told(board.missing),
        )
        return PlayerState(
            at=self.time.now,
            monotonic=self.time.monotonic,
            device=self.device,
            pairing=self.pairing,
            contact=self.connection.contact,
            connection=self.connection.test,
            links_lost=self.connection.links_lost,
            settings=self.settings,
            clock=self.time.estimate.state,
            clock_differs=self.time.differs,
            location=board.location,
            locale=board.location.locale if board.location else self.locality.locale,
            running=running_facts(board),
            staged=staged_facts(board),
            overrides=board.overrides.facts,
            revision=catalogue.revision if catalogue else None,
            revision_at=catalogue.revision_at if catalogue else None,
            serial=self.frames.serial,
            view=self.frames.view or HouseCard(),
            showing=self.shown.showing,
            presented=self.frames.presented if ladder.is_live and ladder.liveness.has_screen else Presented(),
            faults=faults,
            is_live=ladder.is_live,
            rejections=rejections[:MAX_REJECTIONS],
            health=self.health.health,
            wifi_signal=self.health.wifi_signal,
            glass=self.glass,
            panel=self.panel.facts,
            frames_late=self.frames_late,
            addresses=self.addresses.addresses,
            pages=self.addresses.pages,
            unpublished=board.unpublished,
            results=self.commands.results,
            crashes=self.crashes,
            wanted_version=self.wanted_version,
            found=self.found,
        )

    def forgotten(self) -> Situation:
        """Removes everything of the workspace that this screen belonged to: none of it may show again."""
        return replace(
            self,
            commands=self.commands.forgotten(),
            board=Board(),
            intake=Intake(),
            undrawable=Undrawable(),
        )
