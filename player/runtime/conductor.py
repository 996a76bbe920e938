"""Sole writer of PlayerState: events in, decisions from the domain, actions and a new snapshot out.

It knows no Qt, no network and no disk: it requests work with an Action, and receives the result as an Event. All calls
come from one thread at a time. It routes, and has no rules of its own: each rule is a frozen value of the domain, of
which a step gives the next value and the actions that follow. Each event gives one snapshot, which is diagnosed once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from menu.documents.manifest import LinkSettings, Manifest
from menu.documents.revisions import Revisions
from menu.text.wording import FALLBACK_LOCALE, locality_for, locality_of
from player.domain import actions as act
from player.domain import events as ev
from player.domain.commands import Begun, Commands, Outcome
from player.domain.findings.diagnosis import diagnosed
from player.domain.link.connection_care import ConnectionCare
from player.domain.link.contact import Call
from player.domain.link.fault import Fault
from player.domain.panel.care import PanelCare
from player.domain.panel.panel import AWAKE_SECONDS, ScreenDisplay
from player.domain.playing import board as boards
from player.domain.playing.board import Board, Restored
from player.domain.playing.intake import Intake
from player.domain.recovery.fault_texts import DISPLAY
from player.domain.recovery.ladder import NO_SCREEN, Ladder
from player.domain.state import Device, PairingFacts, PairingPhase, PlayerState
from player.domain.time.clock import Clock
from player.domain.time.timekeeping import Timekeeping
from player.runtime.situation import Situation

log = logging.getLogger(__name__)

NO_SETTINGS = ScreenDisplay()

_WORK: Mapping[str, Callable[[str], act.Action]] = {
    "identify": lambda _: act.ShowPin(),
    "reload": lambda _: act.RefetchManifest(),
    "restart": lambda _: act.Restart(),
    "screenshot": lambda identifier: act.Upload(command=identifier, what="screenshot"),
    "sendLogs": lambda identifier: act.Upload(command=identifier, what="sendLogs"),
}
"""Commands of the operator."""

_FOR_STAFF: Mapping[ev.StaffAction, act.Action] = {
    ev.StaffAction.RELOAD: act.RefetchManifest(),
    ev.StaffAction.FETCH: act.RecheckAssets(),
    ev.StaffAction.RESTART: act.Restart(),
    ev.StaffAction.PAIR: act.PairAgain(),
}
"""Actions of the page; the conductor identifies the screen and tests the connection itself."""


class Conductor:
    """Decides what the board does. `locale` is its language until it knows its location's, `own_display` the device's
    own settings of the panel's power and mode. `issue` takes the actions in order, `publish` each snapshot that differs
    from the last one in more than its time."""

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
        self._clock, self._issue, self._publish = clock, issue, publish
        self._forgotten = restored.forgotten
        time = Timekeeping(wall=clock.wall(), monotonic=clock.monotonic()).restored(
            been=[at for manifest in restored.manifests for at in manifest.instants],
            known=restored.known_time,
            boot=restored.boot,
            synchronised=synchronised,
        )
        ladder = Ladder.begin(
            restored.failures,
            safe_card=restored.safe_card,
            has_previous=restored.has_previous,
            loaded_in=loaded_in,
            now=time.monotonic,
            wall=time.wall,
        )
        phase = PairingPhase.UNPAIRED if restored.screen_id is None else PairingPhase.PAIRED
        self._now = Situation(
            device=device,
            time=time,
            locality=locality_for(locale),
            connection=ConnectionCare(reached_at=time.monotonic),
            ladder=ladder,
            panel=PanelCare(own=own_display, awake_until=time.monotonic + AWAKE_SECONDS),
            pairing=PairingFacts(
                phase=phase,
                screen_id=restored.screen_id,
                screen_name=restored.display.name,
                from_another_device=restored.from_another_device,
            ),
            display=restored.display,
            intake=Intake(revisions=Revisions.of(restored.manifests)),
            commands=restored.commands.after_restart(at=time.known),
            restored_rejections=restored.rejections,
            crashes=restored.crashes,
        )
        self._set(board=self._now.passing_over(boards.restore(restored)))
        self._state = self._published = self._now.snapshot()
        self._is_decided = False
        """Whether the view was decided by the present event."""
        self._due: list[act.Action] = []

    def begin(self) -> PlayerState:
        """Issue the first actions: the order for the first view, then the link."""
        self._decide()
        self._tell()
        if self._forgotten:
            self._ask(act.ForgetVersions())
        link = act.StartLink() if self._now.is_paired else act.AwaitPairing()
        self._ask(boards.download_assets(self._now.board), link)
        self._issue_due()
        self._published = self._state
        return self._state

    def handle(self, event: ev.Event) -> None:
        """Apply one event, publish the snapshot if anything in it has changed, and issue the actions that follow.

        Raises nothing: a defect of the player in handling one event must not end the board, so it is logged, and the
        view stays.
        """
        self._set(time=self._now.time.at(self._clock.wall(), self._clock.monotonic()))
        self._guard(event, lambda: self._apply(event))
        if not isinstance(event, ev.DisplayChecked):
            self._try_to_decide()
        for follow in (self._give_up_commands, self._follow_faults, self._tell, self._publish_news, self._issue_due):
            self._guard(event, follow)

    @property
    def board(self) -> Board:
        """Running and staged version, with items and files."""
        return self._now.board

    @property
    def state(self) -> PlayerState:
        """Newest snapshot, as of now."""
        return self._state.as_of(self._clock.monotonic())

    def _guard(self, event: ev.Event, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:
            kind = type(event).__name__
            log.exception("%s could not be handled; the board stays as it was", kind)
            self._set(ladder=self._now.ladder.miss_event(kind, error, self._now.time.monotonic))

    def _set(self, **values: Any) -> None:
        self._now = replace(self._now, **values)

    def _take(self, **steps: tuple[Any, Iterable[act.Action]]) -> None:
        """Sets the next values, and issues the actions that follow from each."""
        for name, (value, actions) in steps.items():
            self._set(**{name: value})
            self._due += actions

    def _ask(self, *actions: act.Action) -> None:
        self._due += actions

    def _issue_due(self) -> None:
        # What is issued may be answered with an event at once.
        due, self._due = self._due, []
        for action in due:
            self._issue(action)

    # From events to values

    def _apply(self, event: ev.Event) -> None:
        known, at, now = self._now, self._now.time.now, self._now.time.monotonic
        match event:
            case ev.PairingChanged():
                self._change_pairing(event)
            case ev.ServiceFailed(fault=Fault.SCREEN_REFUSED) if known.pairing.refusal is not None:
                # It is known, and the service answers.
                self._apply(ev.ServiceAnswered(call=event.call))
            case ev.ServiceAnswered():
                self._take(connection=known.connection.answer(event, at=at, now=now))
                if event.call == Call.MANIFEST:
                    self._use_manifest(known.intake.answered(now))
            case ev.ServiceFailed():
                self._take(connection=known.connection.fail(event, at=at, now=now))
                if event.call == Call.MANIFEST:
                    self._end_reload(Outcome.FAILED, f"The menu could not be fetched: {event.detail}.")
            case ev.ServiceSilent() | ev.NetworkChanged():
                self._take(connection=known.connection.change(event, at=at, now=now))
            case ev.ConnectionTested():
                self._set(connection=known.connection.finish(event.test))
            case ev.ManifestArrived():
                is_used = self._use_manifest(known.intake.arrive(event.manifest, event.body, now))
                older = "" if is_used else " It is older than the one that shows, so it is not used."
                self._end_reload(Outcome.DONE, f"The menu was fetched again.{older}")
            case ev.CommandEnded():
                self._end_commands(lambda one: one.id == event.id, event.outcome, event.detail)
            case ev.HeartbeatWanted():
                self._ask(act.SendHeartbeat())
            case ev.HeartbeatAnswered():
                self._use_heartbeat_answer(event)
            case ev.AssetsVerified():
                self._apply(ev.AssetsMissing(key=event.key))
            case ev.AssetsMissing():
                board = boards.apply_assets(known.board, event.key, missing=event.reasons, remaining=event.remaining)
                come = known.board.missing.keys() - board.missing.keys()
                self._set(board=board, undrawable=known.undrawable.checked().without_faults_of(come))
            case ev.PartFailed():
                self._set(reported=known.reported.failed(event))
            case ev.PartWell():
                self._set(reported=known.reported.well(event))
            case ev.ClockChecked():
                self._set(time=known.time.checked(event))
            case ev.HealthRead():
                self._set(health=event)
            case ev.AddressesRead():
                self._set(addresses=event)
            case ev.TimePassed():
                # A wake-up that came a little early is due again.
                self._set(wake_up=None)
            case _:
                self._apply_at_screen(event)

    def _apply_at_screen(self, event: ev.Event) -> None:
        """Applies an event of the display, the panel, or a person in front of them."""
        known, now = self._now, self._now.time.monotonic
        match event:
            case ev.FramePresented():
                self._present(event)
            case ev.OrderFailed():
                view = known.frames.in_flight.get(event.serial, known.frames.view)
                self._set(ladder=known.ladder.refuse(event, view))
            case ev.DisplayChecked():
                ladder = known.ladder.look(event, now, is_dark=known.is_dark)
                self._set(ladder=ladder, glass=event.glass, frames_late=event.frames_late)
                if known.connection.owed:
                    # It was too soon after the last test, or one was under way.
                    self._take(connection=known.connection.due(now))
            case ev.PanelChecked():
                self._take(panel=known.panel.look(event, has_screen=known.ladder.liveness.has_screen))
            case ev.WidgetUndrawable():
                running = known.board.playback.version if known.board.playback is not None else None
                missing = known.board.missing
                self._take(undrawable=known.undrawable.tell(event, known.order, running=running, missing=missing))
            case ev.WidgetDrawn():
                self._set(undrawable=known.undrawable.drawn(event))
            case ev.DetailsAsked():
                self._take(banners=known.banners.press_f1(now))
            case ev.StaffAsked():
                log.info("action of the page: %s", event.action)
                if event.action is ev.StaffAction.IDENTIFY:
                    self._set(banners=known.banners.identify(now, wakes_in=known.panel.wakes_in))
                elif event.action is ev.StaffAction.TEST:
                    self._take(connection=replace(known.connection, owed=True).due(now))
                else:
                    self._ask(_FOR_STAFF[event.action])
            case ev.PinAsked():
                self._ask(act.ShowPin())
            case ev.PinChanged():
                self._set(banners=replace(known.banners, pin=event.pin))
            case _:
                raise NotImplementedError(type(event).__name__)

    def _change_pairing(self, event: ev.PairingChanged) -> None:
        before, pairing = self._now.pairing, self._now.pairing.changed(event)
        refused = before.refusal is not None
        self._set(pairing=pairing, connection=self._now.connection.pair(event, refused=refused))
        self._use_display(NO_SETTINGS if event.forgets else self._now.display)
        if event.forgets:
            self._now = replace(self._now.forgotten(), is_new=event.is_new)
            if not event.is_new:
                log.warning("this screen is no longer paired; its menu is deleted, and it asks for a code")
                self._ask(act.AwaitPairing())
            self._ask(act.ForgetVersions())
        elif not event.is_new and event.refusal is not before.refusal:
            log.warning("the service refuses this screen: %s", event.refusal or "no more")
        if event.locale and self._now.board.location is None:
            self._set(locality=locality_for(event.locale))
        if event.is_new:
            self._ask(act.StartLink())

    def _use_manifest(self, step: tuple[Intake, tuple[Manifest, bytes] | None, tuple[act.Action, ...]]) -> bool:
        """Uses the manifest, if the step has one."""
        intake, found, actions = step
        self._take(intake=(intake, actions))
        if found is None:
            return False
        manifest, body = found
        self._set(is_new=False, time=self._now.time.having_been(manifest.instants))
        self._use_settings(manifest.settings)
        known = self._now
        self._take(
            board=boards.apply_manifest(
                known.board, manifest, body, at=known.time.now, screen_id=known.pairing.screen_id
            )
        )
        return True

    def _use_heartbeat_answer(self, event: ev.HeartbeatAnswered) -> None:
        self._take(time=self._now.time.answered(event))
        pairing = replace(self._now.pairing, screen_name=event.screen_name, two_devices=event.two_devices)
        self._set(pairing=pairing, wanted_version=event.wanted_version)
        self._use_settings(event.settings)
        self._use_display(event.display or self._now.display)
        self._use_commands(self._now.commands.heard(event.told))
        for command in event.commands:
            self._carry_out(command)

    def _use_display(self, display: ScreenDisplay) -> None:
        display = replace(display, name=self._now.pairing.screen_name)
        if display != self._now.display:
            self._set(display=display)
            self._ask(act.StoreScreen(display=display))

    def _use_settings(self, settings: LinkSettings) -> None:
        if settings != self._now.settings:
            self._set(settings=settings)
            self._ask(act.UseSettings(settings=settings))

    def _carry_out(self, command: ev.Command) -> None:
        known, time = self._now, self._now.time
        if command.id in known.commands.come:
            return
        commands = known.commands.began(command.id, command.type, since=time.monotonic)
        if (work := _WORK.get(command.type)) is None:
            log.warning("unknown command received: %r", command.type)
            detail = f"This player does not know the command {command.type!r}. Update the player."
            commands = commands.ended(lambda one: one.id == command.id, Outcome.REFUSED, detail, at=time.known)
            self._use_commands(commands)
            return
        log.info("command received: %s", command.type)
        self._use_commands(commands)
        self._ask(work(command.id))
        if command.type != "identify":
            return
        if not known.ladder.liveness.has_screen and not known.is_dark:
            detail = f"Not shown: {DISPLAY[NO_SCREEN.code].what}"
            self._end_commands(lambda one: one.id == command.id, Outcome.FAILED, detail)
        elif known.ladder.safe_card or (known.order is not None and known.order.identify is not None):
            # The safe card's frames are not told of, and where nothing changes no frame would confirm it.
            self._identified(time.monotonic)
        self._set(banners=known.banners.identify(time.monotonic, wakes_in=known.panel.wakes_in))

    def _end_reload(self, outcome: Outcome, detail: str) -> None:
        self._end_commands(lambda one: one.type == "reload", outcome, detail)

    def _identified(self, at: float) -> None:
        """Notes that the banner of `identify` is on the display: once a frame that was requested after it has been
        swapped."""
        done = "The screen shows its name."
        self._end_commands(lambda one: one.type == "identify" and at >= one.since, Outcome.DONE, done)

    def _end_commands(self, which: Callable[[Begun], bool], outcome: Outcome, detail: str) -> None:
        self._use_commands(self._now.commands.ended(which, outcome, detail, at=self._now.time.known))

    def _use_commands(self, commands: Commands) -> None:
        """Stores what is new, and reports a result to the service at once."""
        before = self._now.commands
        if commands != before:
            self._set(commands=commands)
            self._ask(act.StoreCommands(commands=commands))
        if any(result not in before.results for result in commands.results):
            self._ask(act.SendHeartbeat())

    def _give_up_commands(self) -> None:
        time = self._now.time
        self._use_commands(self._now.commands.given_up(time.monotonic, at=time.known))

    def _present(self, event: ev.FramePresented) -> None:
        known, time = self._now, self._now.time
        at = time.now - timedelta(seconds=time.monotonic - event.at)
        if event.serial in known.frames.in_flight:
            self._set(ladder=known.ladder.show(event.serial))
        self._take(frames=known.frames.show(event, at=at, catalogue=known.board.catalogue))
        if event.serial == known.frames.serial:
            self._identified(event.at)

    # From values to the view

    def _try_to_decide(self) -> None:
        try:
            self._decide()
            self._set(ladder=self._now.ladder.update())
        except Exception:
            log.exception("view could not be computed; the board stays as it was")
            self._set(ladder=self._now.ladder.miss_update(self._now.time.monotonic))

    def _decide(self) -> None:
        """Decides what the values and the time require, and when to decide again."""
        time, correction = self._now.time.followed()
        if correction is not None:
            self._set(found={code: since + correction.shift for code, since in self._now.found.items()})
        self._take(time=time.storing())
        board, actions = boards.follow(self._now.board, self._now.time, correction)
        self._set(board=board)
        if actions:
            self._take_over(board)
            self._ask(*actions)
        if board.location is not None:
            # Kept when the screen is removed: the people in front of it still speak this language.
            self._set(locality=locality_of(board.location))
        self._set(shown=self._now.view_now())
        self._set(frames=self._now.frames.order(self._now.shown.view))
        known = self._now
        self._set(ladder=known.ladder.order(known.frames.serial, known.time.monotonic))
        panel = known.panel.step(location=board.location, display=known.display, is_read=known.is_read, time=known.time)
        self._take(panel=panel)
        wake = self._now.next_wake_up()
        if wake is not None and wake.replaces(known.wake_up, now=known.time.now):
            self._set(wake_up=wake)
            self._ask(act.WakeAt(instant=wake.instant, clock_offset=known.time.estimate.state.offset))
        self._is_decided = True

    def _take_over(self, board: Board) -> None:
        """Handles the change to another version, or to none."""
        playback = board.playback
        key = playback.version.key if playback is not None else None
        name = "none" if playback is None else f"{playback.version.name!r} version {playback.version.key.version}"
        log.info("playlist that runs: %s", name)
        self._set(board=self._now.passing_over(board), undrawable=self._now.undrawable.of_version(key))
        self._take(ladder=self._now.ladder.take_over(self._now.time.monotonic))

    def _follow_faults(self) -> None:
        playback, time = self._now.board.playback, self._now.time
        step = self._now.ladder.step(
            view=self._now.frames.view,
            version=playback.version.key if playback is not None else None,
            now=time.monotonic,
            wall=time.wall,
        )
        self._take(ladder=step)
        if self._now.ladder.restart_at is None:
            board = self._now.passing_over(self._now.board)
            if board is not self._now.board:
                self._set(board=board)
                self._try_to_decide()

    # From the view to what is told of it

    def _tell(self) -> None:
        """Diagnoses the snapshot, and orders the view with what it reports."""
        state, order, decided = None, self._now.order, self._is_decided
        self._is_decided = False
        try:
            state = diagnosed(self._now.snapshot())
            order = self._now.order_now(state) if decided else order
        except Exception:
            # The board comes before what is told of it.
            log.exception("findings could not be computed")
            order = self._now.order_now(None) if decided else order
        if order is not None and order != self._now.order:
            self._set(order=order)
            # What guests see comes first.
            self._due.insert(0, act.Show(order=order))
        if state is not None:
            self._state = state
            self._set(found=state.found)
            self._take(telling=self._now.telling.step(state.findings, state.monotonic, hears=self._now.hears))

    def _publish_news(self) -> None:
        before, state = self._published, self._state
        if replace(state, at=before.at, monotonic=before.monotonic) != before:
            self._published = state
            self._publish(state)
