"""The sections of the page below the first: findings, connection, screen, clock, files, device and log; pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from player.domain.connection import ConnectionTest, Step, StepResult
from player.domain.events import Health
from player.domain.findings.diagnosis import Finding, Who
from player.domain.findings.disk import DISK_LOW_BYTES
from player.domain.findings.finding import plain
from player.domain.findings.machine import HOT_CELSIUS, MEMORY_LOW_BYTES
from player.domain.findings.texts import detail_of
from player.domain.playing.holdings import Holding, Need
from player.domain.time.clock import Trust
from player.domain.words.phrase import Phrase, SpokenDay, SpokenNumber, phrase, phrases
from player.domain.words.short_id import short_id
from player.page.sections.facts import Facts
from player.page.sections.markup import Content, Html, join, name_of, tag
from player.page.sections.now import MOODS, SEVERITIES, pairing_words
from player.page.sections.parts import MAX_ROWS, Mood, chip, more, pairs, quiet, sign
from player.page.sections.words import Times, duration, size, told
from player.recent_log import LogLine

WHO = {
    Who.HERE: phrase("You, here at the screen"),
    Who.NETWORK: phrase("Whoever looks after this network"),
    Who.OPERATOR: phrase("Whoever looks after the menus"),
    Who.SERVICE: phrase("Whoever runs the menu service"),
    Who.NOBODY: phrase("Nobody has to: it mends itself"),
}
STEPS = {
    Step.LINK: phrase("Cable or Wi-Fi"),
    Step.ADDRESS: phrase("Address in this network"),
    Step.ROUTE: phrase("Way out of this network"),
    Step.NAME: phrase("Name of the service"),
    Step.TCP: phrase("Connection to the service"),
    Step.PROXY: phrase("Way through the proxy"),
    Step.TLS: phrase("Secure connection"),
    Step.HTTP: phrase("Answer"),
    Step.SERVICE: phrase("Answer is the menu service’s own"),
}
_LEVELS = {Mood.FAULT: phrase("Error"), Mood.WARNING: phrase("Warning")}
_NOT_RUNNING = phrase("not known: the player does not run")
LEVELS = {"CRITICAL": Mood.FAULT, "ERROR": Mood.FAULT, "WARNING": Mood.WARNING}


def findings(facts: Facts, found: Sequence[Finding]) -> Html:
    """What is wrong, why, and what to do."""
    if not found:
        return quiet(sign(Mood.GOOD), phrase("Nothing is wrong."))
    times = Times(facts.state.at, facts.state.location)
    return tag("ol", *(tag("li", _finding(each, times), cls=f"finding {MOODS[each.severity]}") for each in found))


def _finding(finding: Finding, times: Times) -> Html:
    return join(
        tag("h3", sign(MOODS[finding.severity], SEVERITIES[finding.severity]), tag("span", told(finding.what))),
        pairs(
            (
                (phrase("Why"), told(finding.why)),
                (phrase("Do this"), tag("strong", told(finding.do)) if finding.do else None),
                (phrase("Who"), WHO[finding.who]),
                (phrase("Since"), times.since(finding.since) if finding.since else None),
            )
        ),
    )


def connection(facts: Facts) -> Html:
    """How the service is reached, and the newest test, step by step."""
    state = facts.state
    times = Times(state.at, state.location)
    contact, runs = state.contact, state.standstill is None
    service = state.device.service
    last: Content = _NOT_RUNNING
    if runs:
        last = times.ago(contact.last_answer_at) if contact.last_answer_at else phrase("none yet")
    rows: list[tuple[Content, Content]] = [
        (phrase("Service"), name_of(service) if service else phrase("not known: the settings are wrong")),
        (phrase("Last answer"), last),
        (phrase("No answer since"), times.since(contact.worst.since) if contact.worst and runs else None),
    ]
    test = state.connection
    if test is None and not runs:
        return join(pairs(rows), quiet(phrase("The connection has not been tested yet.")))
    if test is None:
        return join(pairs(rows), quiet(phrase("The connection has not been tested since the player started.")))
    return join(pairs(rows), _steps(test), quiet(phrase("Tested {time}.", time=times.clock(test.at, seconds=True))))


def _steps(test: ConnectionTest) -> Html:
    return tag("ol", *(_step(result) for result in test.steps), cls="steps")


def _step(result: StepResult) -> Html:
    mood, word = _OUTCOMES[result.passed]
    took = None if result.milliseconds is None else _took(result.milliseconds)
    return tag(
        "li",
        tag("span", _STEP_SIGNS[mood], cls=f"sign {mood}", aria_hidden="true"),
        tag(
            "span",
            tag("span", STEPS[result.step], cls="step"),
            tag("span", phrase(": {word}", word=word), cls="unseen" if result.passed else "word"),
            tag("small", _evidence(result.evidence)) if result.evidence else None,
        ),
        tag("span", took, cls="took"),
        cls=str(mood),
    )


_OUTCOMES = {
    True: (Mood.GOOD, phrase("works")),
    False: (Mood.FAULT, phrase("fails")),
    None: (Mood.NOTE, phrase("not tested")),
}
_STEP_SIGNS = {Mood.GOOD: "✓", Mood.NOTE: "–", Mood.FAULT: "✕"}


def _evidence(text: str) -> Content:
    return text if isinstance(text, Phrase) else name_of(plain(text))


def _took(milliseconds: float) -> Phrase:
    if milliseconds < 1000:
        return phrase("{number} ms", number=SpokenNumber(milliseconds))
    return phrase("{number} s", number=SpokenNumber(milliseconds / 1000, decimals=1))


def screen(facts: Facts) -> Html:
    """Which screen this is, what it plays and what waits."""
    state = facts.state
    times = Times(state.at, state.location)
    running, staged, location = state.running, state.staged, state.location
    waits: Content = None
    if staged is not None:
        what = phrase("no playlist") if staged.key is None else phrase("version {version}", version=staged.key.version)
        if staged.takes_over_at is not None:
            waits = phrase("{what}, shows {time}", what=what, time=times.until(staged.takes_over_at))
        elif staged.assets_remaining:
            waits = phrases(
                "{what}, for {count} file that is still to be fetched",
                "{what}, for {count} files that are still to be fetched",
                what=what,
                count=staged.assets_remaining,
            )
        else:
            waits = phrase("{what}, at the end of this round of scenes", what=what)
    name, device_id = state.pairing.screen_name, state.device.device_id
    no_name, no_playlist = None, phrase("none")
    if state.standstill is not None:
        no_name, no_playlist = _NOT_RUNNING, phrase("none is stored on the device")
    return pairs(
        (
            (phrase("Name"), name_of(name) if name else no_name),
            (phrase("Location"), name_of(location.name) if location else None),
            (phrase("Short id"), tag("code", short_id(device_id)) if device_id else phrase("not known")),
            (phrase("Pairing"), pairing_words(state)),
            (phrase("Playlist"), name_of(running.name) if running else no_playlist),
            (
                phrase("Version"),
                phrase(
                    "{version}, published {time}", version=running.key.version, time=times.clock(running.published_at)
                )
                if running
                else None,
            ),
            (phrase("Scenes"), str(running.entries) if running else None),
            (phrase("Waits"), waits),
        )
    )


def clock(facts: Facts) -> Html:
    """What time the board thinks it is, and how it knows."""
    state = facts.state
    times = Times(state.at, state.location)
    now = times.local(state.at)
    words = {
        Trust.TRUSTED: phrase("The device’s clock is synchronised."),
        Trust.CORRECTED: phrase(
            "The device’s clock is not synchronised; the player corrects it by the menu service’s time."
        ),
        Trust.UNKNOWN: phrase("The time is not known, so scenes with a schedule stand back."),
    }
    if state.standstill is not None:
        words[Trust.CORRECTED] = phrase(
            "The device’s clock is not synchronised. Without the player nobody knows whether it is right."
        )
    moods = {Trust.TRUSTED: Mood.GOOD, Trust.CORRECTED: Mood.NOTE, Trust.UNKNOWN: Mood.WARNING}
    return join(
        tag(
            "p",
            tag("time", f"{now:%H:%M:%S}", datetime=state.at.isoformat(timespec="milliseconds"), data_clock=True),
            cls="clock",
        ),
        tag("p", phrase("{day}, in {zone}", day=SpokenDay(now.date(), with_year=True), zone=times.zone_name)),
        tag("p", sign(moods[state.clock.trust]), words[state.clock.trust]),
        pairs(
            (
                (phrase("Correction"), _offset(state.clock.offset)),
                (phrase("Device’s own"), _differs(state.clock_differs)),
            )
        ),
        tag(
            "p",
            data_phone_clock=True,
            data_ahead=phrase(
                "The screen’s clock is {span} ahead of the one of the device that you look with.", span="{}"
            ),
            data_behind=phrase(
                "The screen’s clock is {span} behind the one of the device that you look with.", span="{}"
            ),
            hidden=True,
        ),
    )


def _offset(offset: timedelta) -> Phrase | None:
    if abs(offset) < timedelta(seconds=1):
        return None
    span = duration(abs(offset))
    return phrase("{span} forward", span=span) if offset > timedelta() else phrase("{span} back", span=span)


def _differs(differs: timedelta | None) -> Phrase | None:
    if not differs:
        return None
    span = duration(abs(differs))
    if differs > timedelta():
        return phrase("{span} behind the menu service’s", span=span)
    return phrase("{span} ahead of the menu service’s", span=span)


def files(facts: Facts) -> Html:
    """Images and videos: what is there, what is missing, how far fetching is."""
    held = facts.holdings
    if not held:
        return quiet(phrase("The menu uses no images or videos."))
    lacking = [each for each in held if each.lacking]
    total, there = sum(each.size for each in held), sum(each.size for each in held if not each.lacking)
    if not lacking:
        return join(
            tag(
                "p",
                sign(Mood.GOOD),
                phrases(
                    "{count} file is on the device, {size}.",
                    "{count} files are on the device, {size}.",
                    count=len(held),
                    size=size(total),
                ),
            ),
            more(phrase("All files"), _file_list(held), key="files"),
        )
    return join(
        tag(
            "p",
            sign(Mood.WARNING, phrase("Warning")),
            phrases(
                "{there} of {count} file is on the device, {size} of {total}.",
                "{there} of {count} files are on the device, {size} of {total}.",
                there=len(held) - len(lacking),
                count=len(held),
                size=size(there),
                total=size(total),
            ),
        ),
        tag("progress", value=there, max=max(total, 1), aria_label=phrase("Files on the device")),
        tag("h3", phrase("Not here yet")),
        _file_list(lacking),
        more(phrase("All files"), _file_list(held), key="files"),
    )


def _file_list(held: Sequence[Holding]) -> Html:
    rows = [_file(each) for each in held[:MAX_ROWS]]
    if len(held) > MAX_ROWS:
        rows.append(tag("li", phrase("And {count} more.", count=len(held) - MAX_ROWS), cls="quiet"))
    return tag("ul", *rows, cls="rows")


def _file(holding: Holding) -> Html:
    kinds = {"image": phrase("Image"), "video": phrase("Video")}
    kind = kinds.get(holding.media_type.partition("/")[0], phrase("File"))
    here = (
        phrase("On the device for the version that waits.") if holding.need is Need.STAGED else phrase("On the device.")
    )
    return tag(
        "li",
        tag("span", phrase("{kind}: {name}", kind=kind, name=name_of(holding.used_by)) if holding.used_by else kind),
        tag("span", size(holding.size), cls="took"),
        tag("small", told(holding.lacking) if holding.lacking else here),
    )


def device(facts: Facts) -> Html:
    """The machine behind the screen."""
    state, machine = facts.state, facts.machine
    health = state.health
    return pairs(
        (
            (phrase("Model"), name_of(machine.model) if machine.model else None),
            (phrase("Temperature"), _temperature(health.temperature_celsius)),
            (phrase("Power"), _power(health)),
            (phrase("Memory"), _share(health.memory_available_bytes, machine.memory_bytes, MEMORY_LOW_BYTES)),
            (phrase("Disk"), _share(health.disk_free_bytes, machine.disk_bytes, DISK_LOW_BYTES)),
            (
                phrase("Writing"),
                chip(phrase("the disk can only be read"), Mood.FAULT) if health.disk_read_only else None,
            ),
            *(
                (
                    phrase("Display {name}", name=each.name),
                    (name_of(each.mode.replace("x", " × ")) if each.mode else phrase("connected"))
                    if each.connected
                    else phrase("nothing connected"),
                )
                for each in machine.displays
            ),
            (phrase("Addresses"), _addresses(state.addresses)),
            (phrase("This page"), _addresses(state.pages)),
            (
                phrase("Player"),
                phrase(
                    "version {version}, running for {span}",
                    version=state.device.app_version,
                    span=duration(state.at - state.device.started_at),
                )
                if state.standstill is None
                else phrase("version {version}, not running", version=state.device.app_version),
            ),
            (phrase("Device on for"), duration(state.at - machine.started_at) if machine.started_at else None),
            (phrase("System"), name_of(machine.system) if machine.system else None),
            *((name_of(program), name_of(version)) for program, version in machine.versions),
        )
    )


def _addresses(found: Sequence[str]) -> Html:
    return join(*(join(", " if number else None, name_of(one)) for number, one in enumerate(found)))


def _temperature(celsius: float | None) -> Content:
    if celsius is None:
        return None
    return join(
        phrase("{number} °C", number=SpokenNumber(celsius)),
        " ",
        chip(phrase("too hot"), Mood.WARNING) if celsius >= HOT_CELSIUS else None,
    )


def _power(health: Health) -> Content:
    if health.under_voltage:
        return chip(phrase("too weak"), Mood.WARNING)
    if health.throttled:
        return chip(phrase("slowed down: too weak, or too hot"), Mood.WARNING)
    return None if health.throttled is None else phrase("good, full speed")


def _share(free: int | None, total: int, least: int) -> Content:
    if free is None:
        return None
    low = free < least
    text = (
        phrase("{size} of {total} free", size=size(free), total=size(total))
        if total
        else phrase("{size} free", size=size(free))
    )
    return join(text, " ", chip(phrase("low"), Mood.WARNING) if low else None)


def log(facts: Facts) -> Html:
    """The newest lines, the newest first."""
    if not facts.log:
        return quiet(phrase("The log is empty."))
    times = Times(facts.state.at, facts.state.location)
    rows = facts.log[: -MAX_ROWS - 1 : -1]
    return tag(
        "ol",
        *(_log_row(row, times) for row in rows),
        cls="log",
        tabindex=0,
        aria_label=phrase("Lines, the newest first"),
    )


def _log_row(row: LogLine, times: Times) -> Html:
    mood = LEVELS.get(row.level)
    return tag(
        "li",
        times.clock(row.at, seconds=True),
        chip(_LEVELS[mood], mood) if mood else None,
        tag("span", plain(row.text), lang="en", dir="auto"),
        data_level=row.level.lower(),
    )


def details(facts: Facts) -> Html:
    """What is of use to whoever made the player: ids, numbers and codes; in English."""
    state = facts.state
    presented, showing = state.presented, state.showing
    rejected, runs = state.rejections, state.standstill is None
    content = tag(
        "div",
        pairs(
            (
                ("Device id", tag("code", state.device.device_id) if state.device.device_id else None),
                ("Screen id", tag("code", state.pairing.screen_id) if state.pairing.screen_id else None),
                ("Boot id", tag("code", state.device.boot_id) if state.device.boot_id else None),
                ("Playlist id", tag("code", state.running.key.playlist_id) if state.running else None),
                ("Scene id", tag("code", showing.scene_id) if showing.scene_id else None),
                ("Revision", None if state.revision is None else str(state.revision)),
                ("Revision on the glass", None if presented.revision is None else str(presented.revision)),
                (
                    "Latency",
                    None if presented.latency is None else f"{presented.latency.total_seconds() * 1000:.0f} ms",
                ),
                ("Held poll", f"{state.settings.wait_seconds} s" if runs else None),
                ("Heartbeat", f"every {state.settings.heartbeat_seconds} s" if runs else None),
                ("Clock offset", f"{state.clock.offset.total_seconds() * 1000:.0f} ms"),
                *((f"Call {each.call}", each.detail) for each in state.contact.failing),
            )
        ),
        tag("h3", "Parts that could not be used") if rejected else None,
        tag(
            "ul",
            *(
                tag("li", tag("code", f"{each.subject} {each.code}"), tag("small", told(detail_of(each))))
                for each in rejected[:MAX_ROWS]
            ),
            cls="rows",
        )
        if rejected
        else None,
        tag("p", tag("a", "Everything as JSON", href="state.json")),
        lang="en",
        dir="ltr",
    )
    return more(phrase("Ids, numbers and codes, for whoever helps you"), content, key="details")
