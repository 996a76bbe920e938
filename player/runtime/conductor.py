"""The one writer of PlayerState: events in, decisions from the domain, actions and a new snapshot out.

It knows no Qt, no network and no disk: it asks for work with an Action, and hears of the result as an Event. All calls
come from one thread at a time.
"""

from __future__ import annotations

import logging
import math
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from player.domain import actions as act
from player.domain import events as ev
from player.domain.access import Pin
from player.domain.commands import KNOWN_COMMANDS, Outcome
from player.domain.connection import ConnectionFault, ConnectionTest, Step
from player.domain.contact import ON_THE_WAY, Call, Contact
from player.domain.documents.manifest import LinkSettings, Manifest, Rejection, VersionKey
from player.domain.documents.revisions import OLDER, OlderManifest, Revisions
from player.domain.findings.connection import advice
from player.domain.findings.diagnosis import diagnose, found_since, said_of
from player.domain.findings.texts import DISPLAY
from player.domain.machine import Glass
from player.domain.pairing_notice import pairing_notice
from player.domain.panel import AWAKE_SECONDS, WAKE_SECONDS, Power, PowerRule, ScreenDisplay
from player.domain.panel_care import PanelCare
from player.domain.playing import board as boards
from player.domain.playing.board import Board, Restored, StagedVersion
from player.domain.playing.playback import Playback, house_card
from player.domain.recovery import fallback
from player.domain.recovery.failures import Failures
from player.domain.recovery.liveness import GOOD_SECONDS, Fault, FaultCode, Liveness, slowness
from player.domain.recovery.undrawable import Undrawable
from player.domain.state import (
    Device,
    Kind,
    PairingFacts,
    PairingPhase,
    PlayerState,
    Presented,
    RunningFacts,
    Showing,
    StagedFacts,
)
from player.domain.strip import StripTimes, identity, strip
from player.domain.time.clock import Clock, ClockEstimate, Trust, true_time
from player.domain.time.eligibility import Eligibility
from player.domain.time.opening_hours import Opening, opening
from player.domain.view import DisplayOrder, HouseCard, PairingCard, PairingNotice, SceneView, Strip, View
from player.domain.words.phrase import in_language
from player.domain.words.wording import FALLBACK_LOCALE, locality_for, locality_of

log = logging.getLogger(__name__)

MAX_REJECTIONS = 100
"""Rejected parts that the snapshot holds; the rest is in the log."""

MAX_ORDERS_IN_FLIGHT = 32
"""Orders remembered until their frame is swapped; the display drops overtaken ones."""

NOTICEABLE_OFFSET = timedelta(milliseconds=500)
"""A smaller change of the clock's correction is network jitter, and moves no boundary."""

MAX_TIME_ASKED = 5
"""Heartbeats that are sent at once because the service's time is in doubt; after that they come at their usual pace."""

STORE_TIME_SECONDS = 6 * 3600.0
"""Between two writes of the time that it is: seldom, because a card wears out."""

WORTH_STORING = timedelta(minutes=1)
"""A correction of the clock by this much is stored at once."""

CLOCK_NOISE = timedelta(milliseconds=1)
"""The two clocks are not read at the same instant."""

WAKE_UP_SLACK_SECONDS = 0.02
"""A wake-up that a correction of the clock moves by no more than this is not ordered again."""

FINDINGS_SECONDS = 10.0
"""Between two heartbeats that are sent at once because what is wrong has changed: it may come and go."""

REPORT_SECONDS = 2.0
"""From a fault of the display to the restart: a heartbeat reports it first."""

TEST_LEAST_SECONDS = 5.0
"""Between two tests of the way to the service."""

TEST_MOST_SECONDS = 16.0
"""After which a test that was begun is not waited for any more; until then none is begun beside it."""

TEST_AGAIN_SECONDS = 30.0
"""Between two tests while the same fault lasts."""

MAX_LINKS_LOST = 100
"""Losses of the cable or the Wi-Fi that are remembered."""

IDENTIFY_SECONDS = 20.0
"""How long the banner with the screen's name shows."""

DETAILS_SECONDS = 30.0
"""How long banner and strip show after F1, unless it is pressed again."""

MAY_END_THE_PROCESS = frozenset({FaultCode.GRAPHICS_FAILED, FaultCode.DISPLAY_BROKEN})
"""Counted at once."""

WITH_COMPOSITOR = frozenset({FaultCode.FRAMES_STOPPED, FaultCode.DISPLAY_HANGS})
"""Faults in which the display's thread or the compositor answers nobody."""

NO_SETTINGS = ScreenDisplay()
NO_SCREEN = Rejection(code="no_screen", subject="display", detail="")
SAFE_CARD = Rejection(code="safe_card", subject="display", detail="")


class _Output(Struct, frozen=True, kw_only=True):
    """A scene on the board, and when it can be shown again without listing its menus: between `since` and `until`,
    while `facts` are the same."""

    facts: tuple[object, ...]
    since: datetime
    until: datetime
    view: SceneView
    upcoming: SceneView | None


class _WakeUp(Struct, frozen=True, kw_only=True):
    """The wake-up that was ordered last, in true time and in monotonic seconds; None where there is none."""

    instant: datetime | None
    due: float | None


class _Reckoning(Struct, frozen=True, kw_only=True):
    """The time by which the newest order was made, on both clocks, and whether schedules could be trusted."""

    now: datetime
    monotonic: float
    trusted: bool


class Conductor:
    """Decides what the board does. `locale` is in what language it speaks until it knows its location's, `own_display`
    what the device's own settings say of the panel's power and mode. `issue` takes the actions in order, `publish` each
    snapshot that differs from the last one in more than its time."""

    def __init__(
        self,
        *,
        device: Device,
        clock: Clock,
        restored: Restored,
        synchronised: bool = False,
        locale: str = FALLBACK_LOCALE,
        own_display: ScreenDisplay = NO_SETTINGS,
        loaded_in: float = 0.0,
        issue: Callable[[act.Action], None],
        publish: Callable[[PlayerState], None],
    ) -> None:
        self._device = device
        self._clock = clock
        self._issue = issue
        self._publish = publish
        self._clock_estimate = ClockEstimate()
        self._time_asked = 0
        self._time_stored: _Reckoning | None = None
        self._contact = Contact()
        self._connection: ConnectionTest | None = None
        self._links_lost: tuple[datetime, ...] = ()
        self._tested_at = float("-inf")
        self._test_owed = False
        self._testing = False
        self._settings = LinkSettings()
        self._health = ev.Health()
        self._wifi_signal: int | None = None
        self._pairing = PairingFacts(from_another_device=restored.from_another_device)
        self._board = boards.restore(restored)
        self._is_new = False
        """Paired since the start, and without a manifest yet."""
        self._programs_forgotten = restored.forgotten
        if restored.screen_id is not None:
            self._pairing = PairingFacts(phase=PairingPhase.PAIRED, screen_id=restored.screen_id)
        self._revisions = Revisions.of(restored.manifests)
        self._refused: OlderManifest | None = None
        for manifest in restored.manifests:
            self._know_from(manifest)
        if restored.known_time is not None:
            self._clock_estimate = self._clock_estimate.remembering(
                restored.known_time, restored.boot, wall=clock.wall(), monotonic=clock.monotonic()
            )
        self._clock_estimate = self._clock_estimate.with_system_clock(
            synchronised=synchronised, wall=clock.wall(), monotonic=clock.monotonic()
        )
        self._stored_rejections = restored.rejections
        self._undrawable = Undrawable()
        """Files of the running version that were checked because the display could not draw them."""
        self._disk_faults: OrderedDict[str, Rejection] = OrderedDict()
        self._failed_parts: OrderedDict[str, Rejection] = OrderedDict()
        self._serial = 0
        self._order: DisplayOrder | None = None
        self._in_flight: OrderedDict[int, View] = OrderedDict()
        self._output: _Output | None = None
        self._showing = Showing()
        self._published: PlayerState | None = None
        self._found: Mapping[str, datetime] = {}
        self._said: tuple[tuple[object, ...], ...] | None = None
        self._said_at = float("-inf")
        self._crashes = restored.crashes
        self._wanted_version: str | None = None
        self._staged_since: tuple[VersionKey | None, datetime] | None = None
        self._presented = Presented()
        self._strip_times = StripTimes(reached_at=clock.monotonic())
        self._addresses = ev.AddressesRead()
        self._locality = locality_for(locale)
        self._identify_until = self._details_until = float("-inf")
        self._pin: Pin | None = None
        self._wake_up: _WakeUp | None = None
        self._reckoning: _Reckoning | None = None
        self._safe_card = restored.safe_card
        self._failures = restored.failures
        self._liveness = Liveness(
            since=clock.monotonic(),
            patience=fallback.patience(restored.failures, clock.wall()),
            slowness=slowness(loaded_in),
        )
        if self._liveness.slowness > 1:
            log.info(
                "the program took %.0f s to load: pictures may take %.1f times as long as on a quick machine",
                loaded_in,
                self._liveness.slowness,
            )
        self._fault: Fault | None = None
        self._building: tuple[VersionKey, str] | None = None
        self._glass: Glass | None = None
        self._frames_late = False
        self._failed_view: View | None = None
        self._blamed: dict[str, int] = {}
        self._has_previous = restored.has_previous
        self._last_unhandled: Rejection | None = None
        self._restart_at: float | None = None
        self._retry_at = clock.monotonic() + fallback.SAFE_CARD_SECONDS
        self._board = self._without_failing_scenes(self._board)
        self._own_display, self._display = own_display, restored.display
        self._panel = PanelCare(awake_until=clock.monotonic() + AWAKE_SECONDS)
        self._opening: Opening | None = None
        self._commands = restored.commands.after_restart(at=self._known_now)

    def begin(self) -> PlayerState:
        """Issue the first actions: the order for the first view, then the link."""
        self._update_display()
        if self._programs_forgotten:
            self._issue(act.ForgetVersions())
        self._issue(boards.download_assets(self._board))
        if self._pairing.phase is PairingPhase.PAIRED:
            self._issue(act.StartLink())
        else:
            self._issue(act.AwaitPairing())
        self._published = self.state
        return self._published

    def handle(self, event: ev.Event) -> None:
        """Apply one event, issue the actions that follow, and publish the snapshot if anything in it has changed.

        Raises nothing: a defect of the player in handling one event must not end the board, so it is logged, and the
        view stays.
        """
        self._guard(event, lambda: self._apply(event))
        if not isinstance(event, ev.DisplayChecked):
            self._try_update()
            self._guard(event, self._forget_failing_files)
        for follow in (self._follow_commands, self._follow_faults, self._follow_findings, self._publish_news):
            self._guard(event, follow)

    def _guard(self, event: ev.Event, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:
            log.exception("%s could not be handled; the board stays as it was", type(event).__name__)
            self._liveness = self._liveness.miss_event(self._clock.monotonic())
            self._last_unhandled = unhandled(event, error)

    def _publish_news(self) -> None:
        state = self.state
        before = self._published
        if before is None or replace(state, at=before.at, monotonic=before.monotonic) != before:
            self._published = state
            self._publish(state)

    def _try_update(self) -> None:
        try:
            self._update_display()
            self._liveness = self._liveness.update()
        except Exception:
            log.exception("view could not be computed; the board stays as it was")
            self._liveness = self._liveness.miss_update(self._clock.monotonic())

    def _apply(self, event: ev.Event) -> None:
        match event:
            case ev.PairingChanged():
                self._change_pairing(event)
            case ev.ServiceAnswered():
                self._record_answer(event)
                if event.call == Call.MANIFEST:
                    self._doubt_what_is_newest()
            case ev.ServiceFailed(trouble=ev.Trouble.REFUSED) if self._pairing.refusal is not None:
                # It is known, and the service answers.
                self._record_answer(ev.ServiceAnswered(call=event.call, subject=event.subject))
            case ev.ServiceFailed():
                self._record_failure(event)
                if event.call == Call.MANIFEST:
                    self._end_all("reload", Outcome.FAILED, f"The menu could not be fetched: {event.detail}.")
            case ev.ServiceSilent() | ev.NetworkChanged():
                if isinstance(event, ev.NetworkChanged) and event.lost:
                    self._links_lost = (*self._links_lost, *(self._now(),) * event.lost)[-MAX_LINKS_LOST:]
                self._test_owed = True
                self._test_connection()
            case ev.ConnectionTested():
                self._record_test(event.test)
            case ev.ManifestArrived():
                self._take_manifest(event.manifest, event.body)
                older = " It is older than the one that shows, so it is not used." if self._refused else ""
                self._end_all("reload", Outcome.DONE, f"The menu was fetched again.{older}")
            case ev.CommandEnded():
                self._end_command(event.id, event.outcome, event.detail)
            case ev.HeartbeatWanted():
                self._issue(act.SendHeartbeat())
            case ev.HeartbeatAnswered():
                self._use_heartbeat_answer(event)
            case ev.AssetsVerified():
                self._apply_assets(event.key, missing={}, remaining=0)
                self._forget_failing_files(whole=event.key)
            case ev.AssetsMissing():
                self._apply_assets(event.key, missing=event.reasons, remaining=event.remaining)
            case ev.FramePresented():
                self._record_frame(event)
                self._confirm_identify(event)
            case ev.OrderFailed():
                log.error("order %d: %s (%s)", event.serial, event.detail, event.code)
                self._liveness = self._liveness.fail(event.code, event.serial, event.detail)
                # By the time that the fault is met, the next scene may have been ordered.
                self._failed_view = self._in_flight.get(event.serial, self._order.view if self._order else None)
            case ev.DisplayChecked():
                if self._test_owed:
                    self._test_connection()  # It was too soon after the last one, or one was under way.
                self._building, self._glass, self._frames_late = event.building, event.glass, event.frames_late
                self._liveness = self._liveness.look(
                    self._clock.monotonic(),
                    turned_at=event.turned_at,
                    has_screen=event.has_screen,
                    frames_seen=event.frames_seen and not self._safe_card and not self._dark_on_purpose,
                    frame_asked_at=event.frame_asked_at,
                )
            case ev.PanelChecked():
                self._panel = self._panel.look(event)
                if not event.obeys:
                    log.warning("panel disobeys; its commands are repeated")
                    self._wake_by_restart()
            case ev.WidgetUndrawable():
                self._record_undrawable(event)
            case ev.WidgetDrawn():
                self._undrawable = self._undrawable.drawn(event)
            case ev.DiskFailed():
                before = self._disk_faults.get(event.subject)
                # What a failing disk answers once its file system has protected itself.
                if event.code != "disk_read_only" or before is None or before.code != "disk_failing":
                    _record_fault(self._disk_faults, event)
            case ev.DiskWritten():
                for subject in event.subjects & self._disk_faults.keys():
                    log.info("%s is stored again", subject)
                    del self._disk_faults[subject]
            case ev.ClockChecked():
                self._check_clock(event)
            case ev.HealthRead():
                self._health, self._wifi_signal = event.health, event.wifi_signal
            case ev.TaskFailed():
                _record_fault(self._failed_parts, event)
            case ev.TaskRecovered():
                self._failed_parts.pop(event.subject, None)
            case ev.AddressesRead():
                self._addresses = event
            case ev.DetailsAsked():
                now = self._clock.monotonic()
                if now >= self._details_until:
                    self._issue(act.ShowPin())
                self._details_until = now if now < self._details_until else now + DETAILS_SECONDS
            case ev.StaffAsked():
                self._do_for_staff(event.action)
            case ev.PinAsked():
                self._issue(act.ShowPin())
            case ev.PinIssued():
                self._pin = event.pin
            case ev.PinEnded():
                self._pin = None
            case ev.TimePassed():
                # A wake-up that came a little early is due again.
                self._wake_up = None
            case _:
                assert_never(event)

    @property
    def board(self) -> Board:
        """What runs and what waits, with items and files."""
        return self._board

    @property
    def state(self) -> PlayerState:
        """The snapshot as it is now."""
        board = self._board
        faults, is_live = self._faults(), self._fault is None or not self._fault.keeps_from_glass
        return PlayerState(
            at=self._now(),
            monotonic=self._clock.monotonic(),
            device=self._device,
            pairing=self._pairing,
            contact=self._contact,
            connection=self._connection,
            links_lost=self._links_lost,
            settings=self._settings,
            clock=self._clock_estimate.state,
            location=board.location,
            locale=board.location.locale if board.location else self._locality.locale,
            running=_running_facts(board.playback, board.missing),
            staged=_staged_facts(board.staged, self._staged_since),
            revision=board.catalogue.revision if board.catalogue else None,
            revision_at=board.catalogue.revision_at if board.catalogue else None,
            serial=self._serial,
            view=self._order.view if self._order else HouseCard(),
            showing=self._showing,
            presented=self._presented if is_live and self._liveness.has_screen else Presented(),
            faults=faults,
            is_live=is_live,
            rejections=(
                *faults,
                *self._stored_rejections,
                *boards.all_rejections(board),
                *((OLDER,) if self._refused else ()),
                *self._disk_faults.values(),
                *self._failed_parts.values(),
                *self._undrawable.told(board.missing),
            )[:MAX_REJECTIONS],
            health=self._health,
            wifi_signal=self._wifi_signal,
            glass=self._glass,
            panel=self._panel.facts,
            frames_late=self._frames_late,
            addresses=self._addresses.addresses,
            pages=self._addresses.pages,
            clock_differs=self._clock_estimate.difference(wall=self._clock.wall(), monotonic=self._clock.monotonic()),
            unpublished=board.unpublished,
            results=self._commands.results,
            crashes=self._crashes,
            wanted_version=self._wanted_version,
            found=self._found,
        )

    # Time

    def _now(self) -> datetime:
        return true_time(self._clock.wall(), self._clock_estimate.state)

    @property
    def _known_now(self) -> datetime | None:
        return self._now() if self._schedules_trusted else None

    @property
    def _schedules_trusted(self) -> bool:
        return self._clock_estimate.state.trust is not Trust.UNKNOWN

    def _know(self, *instants: datetime) -> None:
        """Note instants that have been: the time is not before them."""
        for instant in instants:
            self._clock_estimate = self._clock_estimate.with_known(instant, monotonic=self._clock.monotonic())

    def _know_from(self, manifest: Manifest) -> None:
        published = (manifest.version.published_at,) if manifest.version else ()
        self._know(manifest.catalogue.revision_at, *published)

    def _check_clock(self, event: ev.ClockChecked) -> None:
        self._clock_estimate = self._clock_estimate.with_system_clock(
            synchronised=event.synchronised, wall=self._clock.wall(), monotonic=self._clock.monotonic()
        )
        if event.stepped:
            log.warning("the system clock stepped; recomputing the timeline")

    def _follow_clock(self) -> datetime:
        """The time. If it, or the trust in it, is not what the order on the glass was reckoned by: hold its scene until
        it may end, and fix the boundary and what is sold out again."""
        before = self._reckoning
        if before is not None and abs(self._shift_since(before)) >= NOTICEABLE_OFFSET:
            # A step that the clock watch has not told of yet.
            self._clock_estimate = self._clock_estimate.with_system_clock(
                wall=self._clock.wall(), monotonic=self._clock.monotonic()
            )
        now, trusted = self._now(), self._schedules_trusted
        self._reckoning = _Reckoning(now=now, monotonic=self._clock.monotonic(), trusted=trusted)
        if before is None:
            return now
        shift = self._shift_since(before)
        if abs(shift) <= CLOCK_NOISE and trusted is before.trusted:
            return now
        self._found = {code: since + shift for code, since in self._found.items()}
        if self._staged_since is not None:
            self._staged_since = self._staged_since[0], self._staged_since[1] + shift
        board = boards.correct_clock(
            self._board,
            now,
            shown_at=before.now,
            shift=shift,
            was_trusted=before.trusted,
            schedules_trusted=trusted,
        )
        held = board.playback is not None and board.playback.held is not None
        anew = held or trusted is not before.trusted or abs(shift) >= NOTICEABLE_OFFSET
        if anew and trusted:
            board = boards.bring_back(board, now, anew=True)
        self._board = boards.set_boundary(board, now, schedules_trusted=trusted, anew=anew)
        return now

    def _shift_since(self, before: _Reckoning) -> timedelta:
        """By how much the time has moved besides passing."""
        return self._now() - before.now - timedelta(seconds=self._clock.monotonic() - before.monotonic)

    def _ask_for_the_time(self) -> None:
        """If the service's time is in doubt, ask again soon; but not for ever."""
        if not self._clock_estimate.asks_again:
            self._time_asked = 0
        elif self._time_asked < MAX_TIME_ASKED:
            self._time_asked += 1
            log.info("time of the service unconfirmed; heartbeat sent again")
            self._issue(act.SendHeartbeat())

    def _store_time(self, now: datetime) -> None:
        """Have the time stored, if it is certain: seldom, and when it was corrected."""
        if not self._clock_estimate.certain:
            return
        before, monotonic = self._time_stored, self._clock.monotonic()
        if (
            before is not None
            and monotonic - before.monotonic < STORE_TIME_SECONDS
            and abs(self._shift_since(before)) < WORTH_STORING
        ):
            return
        self._time_stored = _Reckoning(now=now, monotonic=monotonic, trusted=True)
        self._issue(act.StoreTime(instant=now, at=monotonic))

    # The service

    def _record_answer(self, event: ev.ServiceAnswered) -> None:
        self._strip_times = replace(self._strip_times, reached_at=self._clock.monotonic())
        before, self._contact = self._contact, self._contact.answered(event, at=self._now())
        recovered = bool(before.failing) and not self._contact.failing
        if recovered:
            log.info("the service answers again")
        test = self._connection
        if test is None or test.failure is None:
            return
        if not self._contact.failing:
            # Over a slow line some calls are answered: it is tested now and then.
            is_first = before.last_answer_at is None or before.last_answer_at < test.at
            is_first = is_first and test.failure.fault != ConnectionFault.SLOW
            self._test_owed = self._test_owed or recovered or is_first
            self._test_connection()
        elif test.failure.step is not Step.SERVICE and self._contact.trouble not in ON_THE_WAY:
            self._test_connection()

    def _record_failure(self, event: ev.ServiceFailed) -> None:
        known = {(failing.call, failing.subject): failing.trouble for failing in self._contact.failing}
        if known.get((event.call, event.subject)) is not event.trouble:
            log.warning("%s failed: %s (%s)", event.call, event.detail, event.trouble)
            self._test_owed = self._test_owed or event.trouble in ON_THE_WAY
        self._contact = self._contact.failed(event, at=self._now())
        if event.trouble in ON_THE_WAY:
            self._test_connection()
        else:
            # The way is well, and the service may have asked for a rest. It tells of its own fault itself.
            self._strip_times = replace(self._strip_times, reached_at=self._clock.monotonic())

    def _record_test(self, test: ConnectionTest) -> None:
        self._testing = False
        if self._connection is not None and test.at == self._connection.at:
            return  # Two waited for it.
        self._connection = test = test.after(
            self._connection, answered_at=self._contact.last_answer_at, asked_at=self._contact.last_asked_at
        )
        self._test_owed = self._test_owed or test.overtaken
        if (failure := test.failure) is not None:
            log.warning("the way to the service ends: %s, %s %s", failure.step, failure.fault, failure.evidence)

    def _test_connection(self) -> None:
        """Have the way to the service tested: at once when something is new, and now and then while it lasts."""
        now = self._clock.monotonic()
        least = TEST_LEAST_SECONDS if self._test_owed else TEST_AGAIN_SECONDS
        if now - self._tested_at >= (max(least, TEST_MOST_SECONDS) if self._testing else least):
            self._tested_at, self._test_owed, self._testing = now, False, True
            self._issue(act.TestConnection())

    def _forget_failing_files(self, whole: VersionKey | None = None) -> None:
        """Forget the failures of files that are not asked for any more: nobody wants them, or they are `whole`."""
        if self._contact.of(Call.ASSET):
            versions = (version for version in boards.download_assets(self._board).versions if version.key != whole)
            self._contact = self._contact.wanting({digest for version in versions for digest in version.assets})

    def _take_manifest(self, manifest: Manifest, body: bytes) -> None:
        """Use a manifest, unless it is older than what the board has."""
        if not self._revisions.refuse(manifest):
            self._use_manifest(manifest, body)
            return
        before = self._refused
        if before is None:
            log.warning("the service has sent an older menu than the one that shows; it is not used")
            before = OlderManifest(manifest=manifest, body=body, since=self._clock.monotonic())
        self._refused = replace(before, manifest=manifest, body=body)
        self._issue(act.Contradict(holds=self._revisions.held(manifest)))

    def _doubt_what_is_newest(self) -> None:
        """Count an answer of a service that keeps to an older manifest; it is used when it has insisted for long."""
        if self._refused is None:
            return
        self._refused = replace(self._refused, answers=self._refused.answers + 1)
        if self._refused.believed(self._clock.monotonic()):
            log.warning("the service has sent nothing newer; its older menu is used")
            self._issue(act.Contradict(holds=""))
            self._use_manifest(self._refused.manifest, self._refused.body)

    def _use_manifest(self, manifest: Manifest, body: bytes) -> None:
        self._refused, self._is_new = None, False
        self._revisions = self._revisions.after(manifest)
        self._know_from(manifest)
        for rejection in manifest.rejections:
            log.warning("rejected %s: %s (%s)", rejection.subject, rejection.detail, rejection.code)
        self._use_settings(manifest.settings)
        self._board, actions = boards.apply_manifest(self._board, manifest, body)
        self._issue_all(actions)
        staged = self._board.staged
        if staged is None:
            self._staged_since = None
        elif self._staged_since is None or self._staged_since[0] != staged.key:
            self._staged_since = staged.key, self._now()

    def _use_heartbeat_answer(self, event: ev.HeartbeatAnswered) -> None:
        self._clock_estimate = self._clock_estimate.with_service_time(
            server_time=event.server_time,
            sent=event.sent,
            received=event.received,
            wall=self._clock.wall(),
            monotonic=self._clock.monotonic(),
        )
        self._ask_for_the_time()
        self._pairing = replace(self._pairing, screen_name=event.screen_name, two_devices=event.two_devices)
        self._wanted_version = event.wanted_version
        self._use_settings(event.settings)
        if event.display is not None and event.display != self._display:
            self._use_display(event.display)
        commands = self._commands.heard(event.told)
        if commands is not self._commands:
            self._commands = commands
            self._issue(act.StoreCommands(commands=commands))
        for command in event.commands:
            self._run_command(command)

    def _run_command(self, command: ev.Command) -> None:
        if command.id in self._commands.come:
            return
        self._commands = self._commands.began(command.id, command.type, since=self._clock.monotonic())
        if command.type not in KNOWN_COMMANDS:
            log.warning("unknown command received: %r", command.type)
            detail = f"This player does not know the command {command.type!r}. Update the player."
            self._end_command(command.id, Outcome.REFUSED, detail)
            return
        log.info("command received: %s", command.type)
        self._issue(act.StoreCommands(commands=self._commands))
        match command.type:
            case "identify":
                if not self._liveness.has_screen and not self._dark_on_purpose:
                    self._end_command(command.id, Outcome.FAILED, f"Not shown: {DISPLAY[NO_SCREEN.code].what}")
                elif self._safe_card or (self._order is not None and self._order.identify is not None):
                    # The safe card's frames are not told of, and where nothing changes no frame would confirm it.
                    self._end_identify(command.id)
                self._identify()
                self._issue(act.ShowPin())
            case "reload":
                self._issue(act.RefetchManifest())
            case "restart":
                self._issue(act.Restart())
            case "screenshot":
                self._issue(act.SendScreenshot(command=command.id))
            case "sendLogs":
                self._issue(act.SendLogs(command=command.id))

    def _end_command(self, identifier: str, outcome: Outcome, detail: str) -> None:
        """Note what has become of a command, and tell the service at once."""
        commands = self._commands.ended(identifier, outcome, detail, at=self._known_now)
        if commands is not self._commands:
            self._commands = commands
            self._issue(act.StoreCommands(commands=commands))
            self._issue(act.SendHeartbeat())

    def _end_identify(self, identifier: str) -> None:
        self._end_command(identifier, Outcome.DONE, "The screen shows its name.")

    def _end_all(self, kind: str, outcome: Outcome, detail: str) -> None:
        for command in self._commands.under_way(kind):
            self._end_command(command.id, outcome, detail)

    def _confirm_identify(self, event: ev.FramePresented) -> None:
        """The banner is on the glass once a frame that was asked for after it has been swapped."""
        if event.serial == self._serial:
            for command in self._commands.under_way("identify"):
                if event.at >= command.since:
                    self._end_identify(command.id)

    def _follow_commands(self) -> None:
        for command in self._commands.overdue(self._clock.monotonic()):
            self._end_command(command.id, Outcome.FAILED, "The player did not get it done in time.")

    def _identify(self) -> None:
        wakes = WAKE_SECONDS if self._panel.facts.wanted is Power.OFF_BY_SCHEDULE else 0.0
        self._identify_until = self._clock.monotonic() + IDENTIFY_SECONDS + wakes

    def _do_for_staff(self, action: ev.StaffAction) -> None:
        log.info("action of the page: %s", action)
        match action:
            case ev.StaffAction.IDENTIFY:
                self._identify()
            case ev.StaffAction.RELOAD:
                self._issue(act.RefetchManifest())
            case ev.StaffAction.FETCH:
                self._issue(act.RecheckAssets())
            case ev.StaffAction.TEST:
                self._test_owed = True
                self._test_connection()
            case ev.StaffAction.RESTART:
                self._issue(act.Restart())
            case ev.StaffAction.PAIR:
                self._issue(act.PairAgain())
            case _:
                assert_never(action)

    @property
    def _shown_pin(self) -> Pin | None:
        return self._pin if self._pin is not None and self._clock.monotonic() < self._pin.until else None

    def _use_settings(self, settings: LinkSettings) -> None:
        if settings != self._settings:
            self._settings = settings
            self._issue(act.UseSettings(settings=settings))

    def _use_display(self, display: ScreenDisplay) -> None:
        self._display = display
        self._issue(act.StoreScreen(display=display))

    def _change_pairing(self, event: ev.PairingChanged) -> None:
        before, self._pairing = self._pairing, self._pairing.changed(event)
        if event.forgets:
            self._forget()
            self._is_new = event.is_new
            if not event.is_new:
                log.warning("this screen is no longer paired; its menu is deleted, and it asks for a code")
                self._issue(act.AwaitPairing())
            self._issue(act.ForgetVersions())
        elif event.is_new:
            self._contact = Contact()
        elif event.refusal is None and before.refusal is not None:
            log.warning("the service accepts this screen again")
            self._contact = self._contact.without(call=Call.PAIRING)
        elif event.refusal is not before.refusal:
            log.warning("the service refuses this screen (%s); it goes on, and asks to be paired", event.refusal)
            self._contact = self._contact.without(trouble=ev.Trouble.REFUSED)
        if event.locale and self._board.location is None:
            self._locality = locality_for(event.locale)
        if event.is_new:
            self._issue(act.StartLink())

    def _forget(self) -> None:
        """Drop everything of the workspace that this screen belonged to: none of it may show again."""
        if self._display != NO_SETTINGS:
            self._use_display(NO_SETTINGS)
        self._commands = self._commands.forgotten()
        self._is_new = False
        self._board = Board()
        self._revisions, self._refused = Revisions(), None
        self._contact = Contact()
        self._undrawable = Undrawable()

    # The order to the display

    def _update_display(self) -> None:
        """Order what the facts and the time call for, and the next wake-up."""
        now = self._follow_clock()
        self._store_time(now)
        if self._schedules_trusted:
            self._board = boards.bring_back(self._board, now)
        elif self._clock_estimate.known is not None:
            self._board = boards.bring_back_by(self._board, self._clock_estimate.known.true_at(self._clock.monotonic()))
        self._board = boards.set_boundary(self._board, now, schedules_trusted=self._schedules_trusted)
        self._board, actions = boards.take_over(self._board, now)
        if actions:
            self._board = self._without_failing_scenes(self._board)
            self._try_new_version()
            self._forget_undrawable()
            log.info("%s", self._describe_take_over())
            self._issue_all(actions)
        view, upcoming = self._views_at(now)
        self._order_view(view, upcoming)
        self._order_panel(now)
        self._schedule_wake_up(now)

    def _describe_take_over(self) -> str:
        playback = self._board.playback
        if playback is None:
            return "no playlist is assigned"
        return f"playlist {playback.version.name!r} version {playback.version.key.version} runs"

    def _views_at(self, now: datetime) -> tuple[View, SceneView | None]:
        """The view to show, and the one to prepare."""
        if not self._goes_on:
            self._output, self._showing = None, Showing(kind=Kind.PAIRING)
            return self._pairing_card(), None
        staged, playback, trusted = self._board.staged, self._board.playback, self._schedules_trusted
        facts = (playback, self._board.rejoins_at, staged and (staged.takes_over_at, staged.playback), trusted)
        known = self._output
        if known is not None and known.since <= now < known.until and known.facts == facts:
            return known.view, known.upcoming
        output = boards.output(self._board, now, schedules_trusted=trusted)
        self._output, self._showing = None, output.showing
        view, until = output.view, output.showing.until
        if self._is_new:
            return self._pairing_card(), None
        if isinstance(view, HouseCard) and self._board.location is None and output.showing.house_reason is not None:
            view = house_card(None, output.showing.house_reason, elsewhere=self._locality)
        if not isinstance(view, SceneView):
            # A house card lists no menu, and what is scheduled next may have come within the timeline's horizon.
            return view, output.upcoming
        before = self._order.view if self._order else None
        if isinstance(before, SceneView) and _same_showing(before, view):
            # A scene that follows itself goes on: it does not come in again.
            view = replace(view, started_at=before.started_at)
        if until is not None:
            # A showing that covers entries which cannot be shown may go past the loop boundary, where its facts change.
            until = min(until, output.showing.loop_boundary or until)
            self._output = _Output(facts=facts, since=now, until=until, view=view, upcoming=output.upcoming)
        return view, output.upcoming

    @property
    def _goes_on(self) -> bool:
        """Whether the board shows: also one that has to be paired again, as long as it has something to play."""
        return self._pairing.phase is PairingPhase.PAIRED or self._board.playback is not None

    def _notice(self) -> PairingNotice | None:
        if self._pairing.phase is PairingPhase.PAIRED or not self._goes_on:
            return None
        trouble = self._contact.trouble
        told = None if trouble in (None, ev.Trouble.REFUSED) else advice(trouble, self._device.service)
        return pairing_notice(self._pairing, self._board.location, trouble=told)

    def _pairing_card(self) -> PairingCard:
        code, trouble = self._pairing.code, self._contact.trouble
        locality = self._locality
        told = None if trouble is None else in_language(advice(trouble, self._device.service), locality.locale)
        if self._is_new:
            name = self._pairing.screen_name or ""
            return PairingCard(is_paired=True, paired_as=name, trouble=told, locality=locality)
        if code is None:
            return PairingCard(trouble=told, locality=locality)
        return PairingCard(
            locality=locality,
            user_code=code.user_code,
            verification_uri=code.verification_uri,
            verification_uri_complete=code.verification_uri_complete,
            good_until=code.good_until,
            trouble=told,
        )

    def _order_view(self, view: View, upcoming: SceneView | None) -> None:
        before = self._order
        if before is None or view != before.view:
            self._serial += 1
            self._in_flight[self._serial] = view
            while len(self._in_flight) > MAX_ORDERS_IN_FLIGHT:
                self._in_flight.popitem(last=False)
        identified = self._clock.monotonic() < max(self._identify_until, self._details_until)
        if (location := self._board.location) is not None:
            # Kept when the screen is removed: the people in front of it still speak this language.
            self._locality = locality_of(location)
        order = DisplayOrder(
            serial=self._serial,
            view=view,
            upcoming=upcoming,
            clock_offset=self._clock_estimate.state.offset,
            identify=identity(self.state) if identified else None,
            notice=self._notice(),
            strip=self._strip(view),
            locality=self._locality,
            pin=self._shown_pin,
            rotation=self._rotation,
            overscan=self._display.overscan or 0.0,
        )
        if order != before:
            self._order = order
            if not self._safe_card:
                self._liveness = self._liveness.order(order.serial, self._clock.monotonic())
            self._issue(act.Show(order=order))

    @property
    def _rotation(self) -> int:
        if self._display.rotation is not None:
            return self._display.rotation
        return self._board.location.rotation if self._board.location else 0

    # The panel

    def _order_panel(self, now: datetime) -> None:
        """Order the panel's power and mode."""
        before, monotonic = self._panel, self._clock.monotonic()
        self._panel = before.follow(
            hours=self._hours_at(now),
            mode=self._own_display.mode or self._display.mode,
            is_read=self._has_readers(monotonic),
            now=monotonic,
        )
        if self._panel.order != before.order:
            self._issue(act.KeepPanel(order=self._panel.order))
        if self._panel.facts.wanted is not before.facts.wanted:
            on = self._panel.facts.wanted is Power.ON
            log.info("panel ordered: %s", "on" if on else "off: its location is closed")
            self._issue(act.SendHeartbeat())

    def _wake_by_restart(self) -> None:
        """A compositor that does not switch on what it has switched off does so at its start."""
        if self._panel.may_be_stuck_off and not self._liveness.has_screen:
            self._panel = self._panel.restarted()
            self._issue(act.Restart(with_compositor=True))

    def _hours_at(self, now: datetime) -> Eligibility | None:
        """Whether the location is open, and until when; None if that is not to switch the panel."""
        rule = self._own_display.power or self._display.power or PowerRule.HOURS
        location = self._board.location
        if rule is PowerRule.ALWAYS or location is None or not self._schedules_trusted:
            return None
        if self._opening is None or not self._opening.covers(location, now):
            self._opening = opening(location, now)
        return self._opening.found

    def _has_readers(self, monotonic: float) -> bool:
        """Whether somebody has to read what is on the glass, whatever the hours."""
        asked = monotonic < max(self._identify_until, self._details_until) or self._shown_pin is not None
        return asked or self._is_new or self._pairing.phase is not PairingPhase.PAIRED

    @property
    def _dark_on_purpose(self) -> bool:
        return self._panel.is_dark_on_purpose(self._clock.monotonic())

    def _strip(self, view: View) -> Strip | None:
        now = self._clock.monotonic()
        if not self._safe_card and now >= self._details_until and not self._strip_times.shows(view, now):
            return None
        try:
            state = self.state
            # That the safe card shows is what it says itself.
            found = (finding for finding in diagnose(state) if finding.code != SAFE_CARD.code)
            return strip(state, next(found, None), locale=self._locality.locale)
        except Exception:
            # The board comes before what is told of it.
            log.exception("findings of the strip could not be computed")
            return None

    def _schedule_wake_up(self, now: datetime) -> None:
        """Ask for a wake-up at the next instant at which the order may change."""
        hours = self._opening
        closes = hours.until if hours is not None and now < hours.until else None
        instants = [self._showing.next_change, self._board.rejoins_at, closes]
        if self._schedules_trusted:
            instants.append(boards.next_back(self._board))
        if self._board.staged:
            instants.append(self._board.staged.takes_over_at)
        monotonic = self._clock.monotonic()
        pin_until = self._pin.until if self._pin is not None else None
        ends = (
            self._identify_until,
            pin_until,
            self._details_until,
            self._strip_times.next_change(monotonic),
            *self._panel.ends,
        )
        # Rounded up: a wake-up that comes a part of a microsecond too early is followed by another one at once.
        lasts = (math.ceil((end - monotonic) * 1_000_000) for end in ends if end is not None and end > monotonic)
        instants += [now + timedelta(microseconds=last) for last in lasts]
        instant = min((instant for instant in instants if instant is not None), default=None)
        due = None if instant is None else self._clock.monotonic() + (instant - now).total_seconds()
        known = self._wake_up
        if (
            known is not None
            and known.instant == instant
            and (known.due is None or due is None or abs(known.due - due) <= WAKE_UP_SLACK_SECONDS)
        ):
            return
        self._wake_up = _WakeUp(instant=instant, due=due)
        self._issue(act.WakeAt(instant=instant, clock_offset=self._clock_estimate.state.offset))

    # Presented frames

    def _record_frame(self, event: ev.FramePresented) -> None:
        view = self._in_flight.get(event.serial)
        if view is None:
            return
        for serial in [serial for serial in self._in_flight if serial <= event.serial]:
            del self._in_flight[serial]
        self._liveness = self._liveness.show(event.serial)
        at = self._now() - timedelta(seconds=self._clock.monotonic() - event.at)
        if self._strip_times.presented_at is None:
            self._strip_times = replace(self._strip_times, presented_at=event.at)
        before, self._presented = self._presented, self._presented_by(event.serial, view, at)
        if _content(before) != _content(self._presented):
            self._issue(act.SendHeartbeat())

    def _presented_by(self, serial: int, view: View, at: datetime) -> Presented:
        before = self._presented
        if not isinstance(view, SceneView):
            kind = Kind.HOUSE if isinstance(view, HouseCard) else Kind.PAIRING
            since = before.since if before.kind is kind else at
            return Presented(serial=serial, kind=kind, since=since, at=at)
        goes_on = (before.key, before.entry_id) == (view.key, view.entry_id)
        latency, revised_at = before.latency, before.revised_at
        if before.revision != view.revision:
            revised_at = at
            catalogue = self._board.catalogue
            # The first revision after a start has no latency: its change was made while the player was off.
            known = before.revision is not None and catalogue is not None and catalogue.revision == view.revision
            latency = at - catalogue.revision_at if catalogue is not None and known else None
        return Presented(
            serial=serial,
            kind=Kind.SCENE,
            key=view.key,
            revision=view.revision,
            scene_id=view.scene.id,
            entry_id=view.entry_id,
            since=before.since if goes_on else at,
            at=at,
            latency=latency,
            revised_at=revised_at,
        )

    # Faults of the display, and of this conductor

    def _follow_faults(self) -> None:
        """Report a fault once, count it, and choose what follows."""
        now = self._clock.monotonic()
        if not self._liveness.has_screen or self._fault is not None:
            self._liveness = replace(self._liveness, since=now)
        fault = self._liveness.fault(now)
        if fault is not None and (self._fault is None or not fault.is_same(self._fault)):
            self._fault = fault
            self._meet(fault, now)
            self._issue(act.SendHeartbeat())
        elif fault is None and self._fault is not None:
            log.info("orders are on the glass again")
            self._fault = self._restart_at = None
            self._blamed.clear()
            self._issue(act.SendHeartbeat())
        if fault is None and self._liveness.shown and now - self._liveness.since >= GOOD_SECONDS:
            self._forgive()
        if fault is None:
            self._follow_failing_scenes()
        if self._safe_card and now >= self._retry_at:
            log.info("trying again to show the menu")
            self._restart_at, self._retry_at = now, float("inf")
        if self._restart_at is not None and now >= self._restart_at:
            self._restart_at = None
            self._count(self._blamed, self._clock.wall())
            waits_for_nobody = fault is not None and fault.code in WITH_COMPOSITOR
            self._issue(act.Restart(with_compositor=waits_for_nobody))

    def _meet(self, fault: Fault, now: float) -> None:
        log.error("%s", DISPLAY[fault.code].what)
        wall = self._clock.wall()
        view = self._order.view if self._order else None
        if fault.is_of_one_order:
            view = self._failed_view
        scene = (view.key, view.scene.id) if isinstance(view, SceneView) else None
        if fault.code is FaultCode.DISPLAY_HANGS:
            scene = self._building or scene
        playback = self._board.playback
        version = playback.version.key if playback is not None else None
        if version is not None and fallback.gives_way(self._failures, version, wall) and not self._has_previous:
            # There is nothing to give way to.
            version = None
        if (
            fault.code is FaultCode.EVENTS_FAIL
            and self._failures.of(fallback.EVENTS, wall) >= fallback.MOST_EVENT_RESTARTS
        ):
            return
        blamed = dict.fromkeys(fallback.subjects_of(fault.code, scene=scene, version=version), 1)
        if fault.code is FaultCode.DISPLAY_BROKEN:
            # What is broken for every view needs no second proof.
            blamed = dict.fromkeys(blamed, fallback.MOST_DISPLAY_FAILURES)
        if fault.code is FaultCode.DISPLAY_HANGS and self._building is not None:
            blamed[fallback.hang_subject(*self._building)] = 1
        refused = scene if fault.is_of_one_order else None
        if refused is not None or fault.code in MAY_END_THE_PROCESS:
            self._count(blamed, wall)
        else:
            # What ends by itself has not failed, and what makes the player restart has failed once.
            self._blamed |= blamed
        if refused is not None:
            gives_way = version is not None and fallback.gives_way(self._failures, version, wall) and self._has_previous
            if not gives_way and fallback.passes_over(self._failures, *refused, wall):
                self._follow_failing_scenes()
                return
        if self._restart_at is None:
            self._restart_at = now + REPORT_SECONDS

    def _count(self, blamed: Mapping[str, int], wall: datetime) -> None:
        """Count these as failed."""
        if blamed:
            failures = self._failures
            for subject, times in blamed.items():
                failures = failures.failed(subject, wall, times=times)
            self._store_failures(failures)

    def _without_failing_scenes(self, board: Board) -> Board:
        """Pass over the scenes that restarts have not helped, and try those again whose time is over."""
        return boards.pass_over(board, self._failing_scenes(board))

    def _failing_scenes(self, board: Board) -> frozenset[str]:
        playback = board.playback
        if playback is None or not self._failures.records:
            return frozenset()
        version, wall = playback.version, self._clock.wall()
        failures, key, scenes = self._failures, version.key, version.scenes
        failing = frozenset(scene for scene in scenes if fallback.passes_over(failures, key, scene, wall))
        out = failing.union(scene for scene in scenes if fallback.rests(failures, key, scene, wall))
        others = (entry for entry in version.entries if entry.id not in playback.unshowable)
        return out if any(entry.scene_id not in out for entry in others) else failing

    def _follow_findings(self) -> None:
        """Note since when each finding has been there, and tell the service at once when what is wrong has changed."""
        try:
            state = self.state
            self._found = found_since(state)
            said = said_of(diagnose(replace(state, found=self._found)))
        except Exception:
            # The board comes before what is told of it.
            log.exception("findings could not be computed")
            return
        if self._pairing.phase is not PairingPhase.PAIRED or self._contact.of(Call.HEARTBEAT) or self._said is None:
            # The next heartbeat that arrives tells it.
            self._said = said
        now = self._clock.monotonic()
        if said != self._said and now - self._said_at >= FINDINGS_SECONDS:
            self._said, self._said_at = said, now
            self._issue(act.SendHeartbeat())

    def _record_undrawable(self, event: ev.WidgetUndrawable) -> None:
        scene, order = event.subject.partition("/")[0], self._order
        # The display draws the first scene of the next version before that takes over, and may tell only once.
        views = (order.upcoming, order.view) if order is not None else ()
        drawn = next((view for view in views if isinstance(view, SceneView) and view.scene.id == scene), None)
        playback = self._board.playback
        named = drawn.scene if drawn is not None else playback.version.scenes.get(scene) if playback else None
        before = self._undrawable
        self._undrawable = before.record(
            event, key=drawn.key if drawn is not None else None, name=named.name if named is not None else ""
        )
        if self._undrawable != before:
            log.warning("%s: %s (%s)", event.subject, event.detail, event.code)
        if event.asset and event.asset not in self._undrawable.doubted | self._board.missing.keys():
            self._undrawable = self._undrawable.doubt(event.asset)
            self._issue(act.RecheckAssets(asset=event.asset))

    def _forget_undrawable(self) -> None:
        """Another version runs."""
        playback = self._board.playback
        self._undrawable = self._undrawable.of_version(playback.version.key if playback is not None else None)

    def _apply_assets(self, key: VersionKey, *, missing: Mapping[str, str | None], remaining: int) -> None:
        before = self._board.missing
        self._board = boards.apply_assets(self._board, key, missing=missing, remaining=remaining)
        self._undrawable = self._undrawable.checked().without_faults_of(before.keys() - self._board.missing.keys())

    def _follow_failing_scenes(self) -> None:
        board = self._without_failing_scenes(self._board)
        if board is not self._board:
            self._board = board
            self._output = None
            self._try_update()

    def _try_new_version(self) -> None:
        """Another version runs, so what failed before may not fail again."""
        self._has_previous = True
        if self._safe_card:
            self._store_failures(self._failures.cleared([fallback.DISPLAY]))
            self._restart_at = self._clock.monotonic() + REPORT_SECONDS

    def _forgive(self) -> None:
        """What shows has proved itself."""
        proven = [fallback.DISPLAY, fallback.FRAMES, fallback.EVENTS]
        if isinstance(view := self._order.view if self._order else None, SceneView):
            proven.append(fallback.scene_subject(view.key, view.scene.id))
            if not any(self._failing(view.key)):
                proven.append(fallback.version_subject(view.key))
        if any(subject in self._failures.records for subject in proven):
            self._store_failures(self._failures.cleared(proven))
        self._liveness = replace(self._liveness, since=self._clock.monotonic(), unhandled=())
        self._last_unhandled = None

    def _failing(self, key: VersionKey) -> Iterator[str]:
        prefix = f"{fallback.version_subject(key)}/"
        return (subject for subject in self._failures.records if subject.startswith(prefix))

    def _store_failures(self, failures: Failures) -> None:
        self._failures = failures.trimmed()
        self._issue(act.StoreFailures(content=self._failures.encoded()))

    def _faults(self) -> tuple[Rejection, ...]:
        """What keeps the board from showing what it should, the gravest first."""
        found: list[Rejection] = []
        if not self._liveness.has_screen and not self._dark_on_purpose:
            found.append(NO_SCREEN)
        if self._fault is not None:
            code, detail = self._fault.code.value, self._fault.detail
            found.append(Rejection(code=code, subject="display", detail=detail))
        if self._safe_card:
            found.append(SAFE_CARD)
        if (key := self._board.gave_way) is not None:
            found.append(Rejection(code="version_fails", subject=key.playlist_id, detail=""))
        playback = self._board.playback
        if playback is not None:
            found.extend(
                Rejection(code="scene_fails", subject=scene.id, detail="", name=scene.name)
                for scene in playback.version.scenes.values()
                if scene.refused
            )
        if self._last_unhandled is not None:
            found.append(self._last_unhandled)
        return tuple(found)

    def _issue_all(self, actions: Iterable[act.Action]) -> None:
        for action in actions:
            self._issue(action)


def unhandled(event: ev.Event, error: Exception) -> Rejection:
    """An event that could not be handled, as operators read it."""
    return Rejection(code="event_failed", subject=type(event).__name__, detail=type(error).__name__)


def _record_fault(faults: OrderedDict[str, Rejection], event: ev.DiskFailed | ev.TaskFailed) -> None:
    fault = Rejection(code=event.code, subject=event.subject, detail=event.detail)
    if faults.get(event.subject) != fault:
        log.warning("%s: %s (%s)", event.subject, event.detail, event.code)
    faults[event.subject] = fault
    while len(faults) > MAX_REJECTIONS:
        faults.popitem(last=False)


def _running_facts(playback: Playback | None, missing: Mapping[str, str | None]) -> RunningFacts | None:
    if playback is None:
        return None
    version = playback.version
    return RunningFacts(
        key=version.key,
        name=version.name,
        published_at=version.published_at,
        anchor=playback.anchor,
        entries=len(version.entries),
        missing=missing,
    )


def _staged_facts(staged: StagedVersion | None, since: tuple[VersionKey | None, datetime] | None) -> StagedFacts | None:
    if staged is None:
        return None
    return StagedFacts(
        key=staged.key,
        assets_remaining=staged.remaining,
        missing=staged.missing,
        takes_over_at=staged.takes_over_at,
        assets=len(staged.manifest.version.assets) if staged.manifest.version else 0,
        since=since[1] if since else None,
        unpublished=staged.manifest.unpublished,
    )


def _same_showing(one: SceneView, other: SceneView) -> bool:
    return (one.key, one.entry_id) == (other.key, other.entry_id)


def _content(presented: Presented) -> tuple[object, ...]:
    """What an operator can tell apart: the scene, version and revision, not each frame."""
    return (presented.kind, presented.key, presented.revision, presented.scene_id, presented.entry_id)
