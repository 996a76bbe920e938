"""The sections of the page below the first: findings, connection, screen, clock, files, device and log; pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from player.diagnostics.page.facts import Facts
from player.diagnostics.page.markup import Content, Html, join, name_of, tag
from player.diagnostics.page.now import MOODS, pairing_words
from player.diagnostics.page.parts import MAX_ROWS, Mood, chip, more, pairs, quiet, sign
from player.diagnostics.page.words import Times, count, duration, sentence, size
from player.domain.clock import Trust
from player.domain.connection import ConnectionTest, Step, StepResult
from player.domain.events import Health
from player.domain.findings.disk import DISK_LOW_BYTES
from player.domain.findings.finding import plain
from player.domain.findings.machine import HOT_CELSIUS, MEMORY_LOW_BYTES
from player.domain.health import Finding, Who
from player.domain.holdings import Holding, Need
from player.domain.short_id import short_id
from player.recent_log import LogLine

WHO = {
    Who.HERE: "You, here at the screen",
    Who.NETWORK: "Whoever looks after this network",
    Who.OPERATOR: "Whoever looks after the menus",
    Who.SERVICE: "Whoever runs the menu service",
    Who.NOBODY: "Nobody has to: it mends itself",
}
STEPS = {
    Step.LINK: "Cable or Wi-Fi",
    Step.ADDRESS: "Address in this network",
    Step.ROUTE: "Way out of this network",
    Step.NAME: "Name of the service",
    Step.TCP: "Connection to the service",
    Step.PROXY: "Way through the proxy",
    Step.TLS: "Secure connection",
    Step.HTTP: "Answer",
    Step.SERVICE: "Answer is the menu service’s own",
}
LEVELS = {"CRITICAL": Mood.FAULT, "ERROR": Mood.FAULT, "WARNING": Mood.WARNING}


def findings(facts: Facts, found: Sequence[Finding]) -> Html:
    """What is wrong, why, and what to do."""
    if not found:
        return quiet(sign(Mood.GOOD), "Nothing is wrong.")
    times = Times(facts.state.at, facts.state.location)
    return tag("ol", *(tag("li", _finding(each, times), cls=f"finding {MOODS[each.severity]}") for each in found))


def _finding(finding: Finding, times: Times) -> Html:
    mood = MOODS[finding.severity]
    word = {Mood.FAULT: "Fault", Mood.WARNING: "Warning"}.get(mood, "Note")
    return join(
        tag("h3", sign(mood, word), tag("span", sentence(finding.what))),
        pairs(
            (
                ("Why", sentence(finding.why)),
                ("Do this", tag("strong", sentence(finding.do)) if finding.do else None),
                ("Who", WHO[finding.who]),
                ("Since", times.since(finding.since) if finding.since else None),
            )
        ),
    )


def connection(facts: Facts) -> Html:
    """How the service is reached, and the newest test, step by step."""
    state = facts.state
    times = Times(state.at, state.location)
    contact = state.contact
    rows: list[tuple[str, Content]] = [
        ("Service", name_of(state.device.service)),
        ("Last answer", times.ago(contact.last_answer_at) if contact.last_answer_at else "none yet"),
        ("No answer since", times.since(contact.worst.since) if contact.worst else None),
    ]
    test = state.connection
    if test is None:
        return join(pairs(rows), quiet("The connection has not been tested since the player started."))
    return join(pairs(rows), _steps(test), quiet("Tested ", times.clock(test.at, seconds=True), "."))


def _steps(test: ConnectionTest) -> Html:
    return tag("ol", *(_step(result) for result in test.steps), cls="steps")


def _step(result: StepResult) -> Html:
    mood, word = _OUTCOMES[result.passed]
    took = "" if result.milliseconds is None else _took(result.milliseconds)
    return tag(
        "li",
        tag("span", _STEP_SIGNS[mood], cls=f"sign {mood}", aria_hidden="true"),
        tag(
            "span",
            tag("span", STEPS[result.step], cls="step"),
            tag("span", f": {word}", cls="unseen" if result.passed else "word"),
            tag("small", plain(result.evidence)) if result.evidence else None,
        ),
        tag("span", took, cls="took"),
        cls=str(mood),
    )


_OUTCOMES = {True: (Mood.GOOD, "works"), False: (Mood.FAULT, "fails"), None: (Mood.NOTE, "not tested")}
_STEP_SIGNS = {Mood.GOOD: "✓", Mood.NOTE: "–", Mood.FAULT: "✕"}


def _took(milliseconds: float) -> str:
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"


def screen(facts: Facts) -> Html:
    """Which screen this is, what it plays and what waits."""
    state = facts.state
    times = Times(state.at, state.location)
    running, staged, location = state.running, state.staged, state.location
    waits: Content = None
    if staged is not None:
        what = "no playlist" if staged.key is None else f"version {staged.key.version}"
        if staged.takes_over_at is not None:
            waits = join(what, ", shows ", times.until(staged.takes_over_at))
        elif staged.assets_remaining:
            of_all = f" of {staged.assets}" if staged.assets else ""
            waits = f"{what}, for {staged.assets_remaining}{of_all} files that are still to be fetched"
        else:
            waits = f"{what}, at the end of this round of scenes"
    return pairs(
        (
            ("Name", name_of(state.pairing.screen_name) if state.pairing.screen_name else None),
            ("Location", name_of(location.name) if location else None),
            ("Short id", tag("code", short_id(state.device.device_id))),
            ("Pairing", pairing_words(state)),
            ("Playlist", name_of(running.name) if running else "none"),
            (
                "Version",
                join(f"{running.key.version}, published ", times.clock(running.published_at)) if running else None,
            ),
            ("Scenes", str(running.entries) if running else None),
            ("Waits", waits),
        )
    )


def clock(facts: Facts) -> Html:
    """What time the board thinks it is, and how it knows."""
    state = facts.state
    times = Times(state.at, state.location)
    now = times.local(state.at)
    words = {
        Trust.TRUSTED: "The device’s clock is synchronised.",
        Trust.CORRECTED: "The device’s clock is not synchronised; the player corrects it by the menu service’s time.",
        Trust.UNKNOWN: "The time is not known, so scenes with a schedule stand back.",
    }
    moods = {Trust.TRUSTED: Mood.GOOD, Trust.CORRECTED: Mood.NOTE, Trust.UNKNOWN: Mood.WARNING}
    return join(
        tag(
            "p",
            tag("time", f"{now:%H:%M:%S}", datetime=state.at.isoformat(timespec="milliseconds"), data_clock=True),
            cls="clock",
        ),
        tag("p", f"{now:%A}, {now.day} {now:%B %Y}, in {times.zone_name}"),
        tag("p", sign(moods[state.clock.trust]), words[state.clock.trust]),
        pairs((("Correction", _offset(state.clock.offset)), ("Device’s own", _differs(state.clock_differs)))),
        tag("p", data_phone_clock=True, hidden=True),
    )


def _offset(offset: timedelta) -> str | None:
    if abs(offset) < timedelta(seconds=1):
        return None
    return f"{duration(abs(offset))} {'forward' if offset > timedelta() else 'back'}"


def _differs(span: timedelta | None) -> str | None:
    if not span:
        return None
    return f"{duration(abs(span))} {'behind' if span > timedelta() else 'ahead of'} the menu service’s"


def files(facts: Facts) -> Html:
    """Images and videos: what is there, what is missing, how far fetching is."""
    held = facts.holdings
    if not held:
        return quiet("The menu uses no images or videos.")
    lacking = [each for each in held if each.lacking]
    total, there = sum(each.size for each in held), sum(each.size for each in held if not each.lacking)
    if not lacking:
        return join(
            tag("p", sign(Mood.GOOD), f"{count(len(held), 'file is', 'files are')} on the device, {size(total)}."),
            more("All files", _file_list(held), key="files"),
        )
    return join(
        tag(
            "p",
            sign(Mood.WARNING, "Warning"),
            f"{len(held) - len(lacking)} of {count(len(held), 'file', 'files')} are on the device, "
            f"{size(there)} of {size(total)}.",
        ),
        tag("progress", value=there, max=max(total, 1), aria_label="Files on the device"),
        tag("h3", "Not here yet"),
        _file_list(lacking),
        more("All files", _file_list(held), key="files"),
    )


def _file_list(held: Sequence[Holding]) -> Html:
    rows = [_file(each) for each in held[:MAX_ROWS]]
    if len(held) > MAX_ROWS:
        rows.append(tag("li", f"and {len(held) - MAX_ROWS} more", cls="quiet"))
    return tag("ul", *rows, cls="rows")


def _file(holding: Holding) -> Html:
    kind = {"image": "Image", "video": "Video"}.get(holding.media_type.partition("/")[0], "File")
    waits = " for the version that waits" if holding.need is Need.STAGED else ""
    return tag(
        "li",
        tag("span", f"{kind} of ", name_of(holding.used_by)) if holding.used_by else tag("span", kind),
        tag("span", size(holding.size), cls="took"),
        tag("small", sentence(plain(holding.lacking)) if holding.lacking else f"On the device{waits}."),
    )


def device(facts: Facts) -> Html:
    """The machine behind the screen."""
    state, machine = facts.state, facts.machine
    health = state.health
    return pairs(
        (
            ("Model", machine.model),
            ("Temperature", _temperature(health.temperature_celsius)),
            ("Power", _power(health)),
            ("Memory", _share(health.memory_available_bytes, machine.memory_bytes, MEMORY_LOW_BYTES, "available")),
            ("Disk", _share(health.disk_free_bytes, machine.disk_bytes, DISK_LOW_BYTES, "free")),
            ("Writing", chip("the disk can only be read", Mood.FAULT) if health.disk_read_only else None),
            *(
                (
                    f"Display {each.name}",
                    (each.mode.replace("x", " × ") or "connected") if each.connected else "nothing connected",
                )
                for each in machine.displays
            ),
            ("Addresses", ", ".join(state.addresses)),
            ("This page", ", ".join(state.pages)),
            (
                "Player",
                f"version {state.device.app_version}, running for {duration(state.at - state.device.started_at)}",
            ),
            ("Device on for", duration(state.at - machine.started_at) if machine.started_at else None),
            ("System", machine.system),
            *machine.versions,
        )
    )


def _temperature(celsius: float | None) -> Content:
    if celsius is None:
        return None
    return join(f"{celsius:.0f} °C ", chip("too hot", Mood.WARNING) if celsius >= HOT_CELSIUS else None)


def _power(health: Health) -> Content:
    if health.under_voltage:
        return chip("too weak", Mood.WARNING)
    if health.throttled:
        return chip("slowed down: too weak, or too hot", Mood.WARNING)
    return None if health.throttled is None else "good, full speed"


def _share(free: int | None, total: int, least: int, word: str) -> Content:
    if free is None:
        return None
    low = free < least
    text = f"{size(free)} {word}" + (f" of {size(total)}" if total else "")
    return join(text, " ", chip("low", Mood.WARNING) if low else None)


def log(facts: Facts) -> Html:
    """The newest lines, the newest first."""
    if not facts.log:
        return quiet("The log is empty.")
    times = Times(facts.state.at, facts.state.location)
    rows = facts.log[: -MAX_ROWS - 1 : -1]
    return tag(
        "ol", *(_log_row(row, times) for row in rows), cls="log", tabindex=0, aria_label="Lines, the newest first"
    )


def _log_row(row: LogLine, times: Times) -> Html:
    mood = LEVELS.get(row.level)
    return tag(
        "li",
        times.clock(row.at, seconds=True),
        chip(row.level.capitalize(), mood) if mood else None,
        tag("span", plain(row.text), dir="auto"),
        data_level=row.level.lower(),
    )


def details(facts: Facts) -> Html:
    """What is of use to whoever made the player: ids, numbers and codes."""
    state = facts.state
    presented, showing = state.presented, state.showing
    rejected = state.rejections
    return more(
        "Ids, numbers and codes, for whoever helps you",
        pairs(
            (
                ("Device id", tag("code", state.device.device_id)),
                ("Screen id", tag("code", state.pairing.screen_id) if state.pairing.screen_id else None),
                ("Boot id", tag("code", state.device.boot_id)),
                ("Playlist id", tag("code", state.running.key.playlist_id) if state.running else None),
                ("Scene id", tag("code", showing.scene_id) if showing.scene_id else None),
                ("Revision", None if state.revision is None else str(state.revision)),
                ("Revision on the glass", None if presented.revision is None else str(presented.revision)),
                (
                    "Latency",
                    None if presented.latency is None else f"{presented.latency.total_seconds() * 1000:.0f} ms",
                ),
                ("Held poll", f"{state.settings.wait_seconds} s"),
                ("Heartbeat", f"every {state.settings.heartbeat_seconds} s"),
                ("Clock offset", f"{state.clock.offset.total_seconds() * 1000:.0f} ms"),
                *((f"Call {each.call}", each.detail) for each in state.contact.failing),
            )
        ),
        tag("h3", "Parts that could not be used") if rejected else None,
        tag(
            "ul",
            *(
                tag("li", tag("code", f"{each.subject} {each.code}"), tag("small", sentence(each.detail)))
                for each in rejected[:MAX_ROWS]
            ),
            cls="rows",
        )
        if rejected
        else None,
        tag("p", tag("a", "Everything as JSON", href="state.json")),
        key="details",
    )
