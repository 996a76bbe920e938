"""Asks a running player for its findings, and prints findings."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from menu.documents.schedule import local_time
from menu.text.phrase import in_language, language_of, phrase
from menu.text.wording import FALLBACK_LOCALE
from player.domain.finding import Finding, Severity
from player.domain.plain_line import plain_line
from player.page.sections.now import SEVERITIES
from player.page.sections.sections import WHO
from player.page.tool import NotRunningError, PageTool

WELL, WARNED, FAULTY = 0, 1, 2
"""Exit codes: nothing or notes, warnings, faults."""


class Examined(Struct, frozen=True, kw_only=True):
    """Findings of the doctor. `asked` if the running player reported them; `timezone` is that of the location, None if
    it is not known."""

    asked: bool
    name: str
    version: str
    findings: tuple[Finding, ...]
    timezone: str | None = None

    @property
    def exit_code(self) -> int:
        """Exit code of the gravest finding."""
        grave = {finding.severity for finding in self.findings}
        return FAULTY if Severity.FAULT in grave else WARNED if Severity.WARNING in grave else WELL

    def document(self) -> bytes:
        """Returns the findings as JSON."""
        return msgspec.json.format(msgspec.json.encode(self, enc_hook=str), indent=2)

    def text(self, locale: str = FALLBACK_LOCALE) -> str:
        def said(text: str) -> str:
            return plain_line(in_language(text, locale))

        told = (
            phrase("as the running player says")
            if self.asked
            else phrase("the player was not asked: it does not answer")
        )
        lines = [f"{plain_line(self.name) or 'Menu Player'} · {plain_line(self.version)} · {said(told)}"]
        if not self.findings:
            lines += ["", said(phrase("Nothing is wrong."))]
        for finding in self.findings:
            lines += ["", f"{said(SEVERITIES[finding.severity]).upper()}  {said(finding.what)}"]
            since = f"{self._local(finding.since):%Y-%m-%d %H:%M}" if finding.since else ""
            rows = {
                said(phrase("Why")): said(finding.why),
                said(phrase("Do this")): said(finding.do),
                said(phrase("Who")): said(WHO[finding.who]),
                said(phrase("Since")): since,
            }
            width = max(map(len, rows))
            lines += [f"  {label.ljust(width)}  {words}" for label, words in rows.items() if words]
        return "\n".join(lines)

    def _local(self, instant: datetime) -> datetime:
        """Returns the time of the location; if it is not known, of the device."""
        return local_time(instant, self.timezone) if self.timezone else instant.astimezone()


class _Told(Struct, frozen=True, rename="camel"):
    """Parts of `/state.json`."""

    findings: list[Finding]
    device: dict[str, Any]
    pairing: dict[str, Any]
    location: dict[str, Any] | None = None


def ask(port: int, locale: str = FALLBACK_LOCALE) -> Examined | None:
    """Returns the findings of the player at this port, in the language of a locale; None if none answers."""
    if port == 0:
        return None
    try:
        said = PageTool(port, seconds=4.0).get(f"/state.json?language={language_of(locale)}")  # A person waits.
        told = msgspec.json.decode(said, type=_Told)
    except (NotRunningError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    name, version = told.pairing.get("screenName"), told.device.get("appVersion")
    zone = (told.location or {}).get("timezone")
    return Examined(
        asked=True,
        name=str(name or ""),
        version=str(version or ""),
        findings=tuple(told.findings),
        timezone=zone if isinstance(zone, str) else None,
    )
