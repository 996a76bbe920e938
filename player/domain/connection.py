"""The staged test of the connection: the steps of a call to the service, and the first that fails; plain data."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

SWIFT_LINE_SECONDS = 2.2
"""A line that was found slow is well again when handshakes take less: by satellite they take 2 s."""
SWIFT_TEST_SECONDS = 3.0
"""And when an answer has come within this time, too: by satellite in 2.5 s, over a line of 1 kB/s in 4 s."""
WEAK_SIGNAL = -82
"""dBm, at which a Wi-Fi loses most of its packets."""


class Step(StrEnum):
    """A step of the test; each needs the ones before it."""

    LINK = "link"
    """A cable that is plugged in, or a Wi-Fi that the device has joined."""
    ADDRESS = "address"
    """An address of this network."""
    ROUTE = "route"
    """A way out of it."""
    NAME = "name"
    """The address of the service's name, or of the proxy's."""
    TCP = "tcp"
    """A connection to that address."""
    PROXY = "proxy"
    """The proxy lets the device through; not done without one."""
    TLS = "tls"
    """A certificate of the service's; not done with plain HTTP."""
    HTTP = "http"
    """An answer."""
    SERVICE = "service"
    """The answer is the service's own, and not of something in between."""


class ConnectionFault(StrEnum):
    """The fault of a step, as stable codes; each line says of which step."""

    NO_ADAPTER = "no_adapter"
    """link: the device has no network adapter."""
    LINK_OFF = "link_off"
    """link: every adapter is switched off on the device."""
    NO_CABLE = "no_cable"
    """link: no cable is plugged in, or the other end of it is dead; there is no Wi-Fi adapter that is on."""
    WIFI_NOT_JOINED = "wifi_not_joined"
    """link: the Wi-Fi adapter is on and in no network; no cable is plugged in either."""
    WIFI_WEAK = "wifi_weak"
    """link: the Wi-Fi is joined, and its signal is so weak that a later step got no answer."""
    NO_ADDRESS = "no_address"
    """address: the network gave the device none; it may have given itself one (169.254.…)."""
    NO_ROUTE = "no_route"
    """route: the device knows no way out of the network of the shop."""
    OTHER_IP = "other_ip"
    """route: the network has IPv6 alone and the service IPv4 alone, or the reverse."""
    NO_NAME_SERVER = "no_name_server"
    """name: no name server (DNS) is configured."""
    NAME_SERVER_SILENT = "name_server_silent"
    """name: the name servers do not answer."""
    NAME_SERVER_FAILS = "name_server_fails"
    """name: the name servers answer that they cannot or will not say, or later than a call waits for it."""
    NAME_UNKNOWN = "name_unknown"
    """name: the name of the service does not exist, or has no address."""
    NAME_WRONG = "name_wrong"
    """name: the name server gives an address that cannot be the service's, such as one of the shop's own network."""
    REFUSED = "refused"
    """tcp: the machine at the address takes no connections at this port."""
    SILENT = "silent"
    """tcp: no answer; something drops the packets, nothing is there, or a router says so."""
    PROXY_OFFERED = "proxy_offered"
    """name or tcp: the service is not reached, no proxy is set on the device, and the network names one (WPAD)."""
    PROXY_SILENT = "proxy_silent"
    """name, tcp or proxy: the proxy is not there, or does not answer."""
    PROXY_SIGN_IN = "proxy_sign_in"
    """proxy: it asks for a user and a password, or for others (407)."""
    PROXY_OTHER_SIGN_IN = "proxy_other_sign_in"
    """proxy: it asks for a kind of sign-in that the player cannot do, such as NTLM (407)."""
    PROXY_FORBIDS = "proxy_forbids"
    """proxy: it does not let the device through to the service."""
    PROXY_FAILS = "proxy_fails"
    """proxy: it lets the device through and cannot reach the service, or is no proxy."""
    TLS_SILENT = "tls_silent"
    """tls: the connection is accepted, and then nothing comes."""
    TLS_FAILS = "tls_fails"
    """tls: what answers speaks no TLS, or breaks it off."""
    NO_TLS = "no_tls"
    """tls: plain HTTP is spoken at the port of secure connections."""
    CERTIFICATE_EXPIRED = "certificate_expired"
    """tls: the certificate has run out, by the best known time."""
    CERTIFICATE_NOT_YET_VALID = "certificate_not_yet_valid"
    """tls: the certificate is not valid yet, by the best known time."""
    CLOCK_WRONG = "clock_wrong"
    """tls: the certificate is good by the best known time, and not by the device's clock."""
    CERTIFICATE_WRONG_NAME = "certificate_wrong_name"
    """tls: the certificate is of another name."""
    CERTIFICATE_SELF_SIGNED = "certificate_self_signed"
    """tls: the certificate is of the right name, and nobody but itself has signed it."""
    CERTIFICATE_INCOMPLETE = "certificate_incomplete"
    """tls: the certificate comes without that of its signer, which a known authority publishes (the intermediate)."""
    CERTIFICATE_UNKNOWN_CA = "certificate_unknown_ca"
    """tls: the certificate is signed by nobody that the device trusts: a filter that opens TLS, or a private CA."""
    PORTAL = "portal"
    """tcp, tls, http or service: the log-in page of a guest network answers."""
    SLOW = "slow"
    """tcp, tls or http: answers come late, or part of what is sent is lost on the way."""
    LARGE_LOST = "large_lost"
    """tls or http: small packets arrive, and packets of the usual size do not: a path MTU that nobody is told of."""
    HTTP_SILENT = "http_silent"
    """http: a request is taken, and no answer comes."""
    HTTP_FAILS = "http_fails"
    """http: the connection breaks before an answer, or the answer is not HTTP."""
    MOVED = "moved"
    """service: it redirects to another address."""
    NOT_THE_SERVICE = "not_the_service"
    """service: something else answers: a filter, or another site at this address."""
    GATEWAY = "gateway"
    """service: what stands before the service says that the service is down, or fails itself (5xx)."""
    OLD_MENU = "old_menu"
    """service: what a cache has kept answers; only a call for the menu finds it."""
    WRONG_PATH = "wrong_path"
    """service: the service answers, and has nothing at the path of the address that is set."""
    SERVICE_FAILS = "service_fails"
    """service: the service itself answers with a fault (5xx)."""


class StepResult(Struct, frozen=True, kw_only=True):
    """One step: `passed` is None where it was not done. `fault` is None where it passed;
    `evidence` is what was seen, for a technician. `milliseconds` is how long it took."""

    step: Step
    passed: bool | None
    milliseconds: float | None = None
    fault: ConnectionFault | None = None
    evidence: str = ""


class ConnectionTest(Struct, frozen=True, kw_only=True):
    """One run of the test, which began at `at` (true time as far as known)."""

    at: datetime
    steps: Sequence[StepResult]
    overtaken: bool = False
    """Whether a call was answered while it ran: what it found may be over, and no test has found it again yet."""

    @property
    def failure(self) -> StepResult | None:
        """The first step that failed; None if the service was reached."""
        return next((result for result in self.steps if result.passed is False), None)

    def after(
        self,
        before: ConnectionTest | None,
        *,
        answered_at: datetime | None = None,
        asked_at: datetime | None = None,
    ) -> ConnectionTest:
        """The same with the word of the test before it where both mean the same. What is silent in two tests, and asked
        and answered in between, is a line that loses much; and one that was slow is slow still where it fails at
        another step, and answers in between. `answered_at` is when the service
        answered last, `asked_at` when it had been asked that, if long before: the answer to a request that was held may
        come also where nothing gets there any more."""
        now, then = self.failure, before.failure if before is not None else None
        if now is None:
            still_slow = self.handshakes >= SWIFT_LINE_SECONDS or self.until_answer >= SWIFT_TEST_SECONDS
            if then is not None and then.fault == ConnectionFault.SLOW and still_slow:
                return self._saying(replace(then, step=Step.HTTP))
            return self
        if before is not None and then is not None:
            asked_at = asked_at or answered_at
            asked_between = asked_at is not None and before.at <= asked_at
            between = asked_between and answered_at is not None and answered_at < self.at
            still_slow = then.fault == ConnectionFault.SLOW and now.fault in _LIKE_SLOW
            if between and (still_slow or (now.fault in _SILENT and then.fault in _SILENT)):
                return self._saying(replace(now, fault=ConnectionFault.SLOW))
            if (now.step, now.fault) == (then.step, then.fault):
                return self
        return replace(self, overtaken=answered_at is not None and self.at <= answered_at)

    def _saying(self, said: StepResult) -> ConnectionTest:
        return replace(self, steps=tuple(said if result.step is said.step else result for result in self.steps))

    @property
    def handshakes(self) -> float:
        """Duration of the handshakes of the kernel and of TLS, in seconds."""
        return self.seconds(Step.TCP) + self.seconds(Step.TLS)

    @property
    def until_answer(self) -> float:
        """Duration of the steps after the name, in seconds."""
        return self.handshakes + self.seconds(Step.PROXY) + self.seconds(Step.HTTP)

    @property
    def excess(self) -> float:
        """Time that TLS took beyond two round trips, in seconds: the time of its bytes."""
        return self.seconds(Step.TLS) - 2 * max(self.seconds(Step.TCP), self.seconds(Step.PROXY))

    def seconds(self, step: Step) -> float:
        """Duration of this step; 0 where it was not done."""
        return sum(result.milliseconds or 0.0 for result in self.steps if result.step is step) / 1000


_SILENT = (ConnectionFault.SILENT, ConnectionFault.TLS_SILENT)
_LIKE_SLOW = frozenset(
    {
        *_SILENT, ConnectionFault.NAME_SERVER_SILENT, ConnectionFault.NAME_SERVER_FAILS,
        ConnectionFault.PROXY_SILENT, ConnectionFault.TLS_FAILS, ConnectionFault.HTTP_SILENT,
        ConnectionFault.HTTP_FAILS,
    }
)  # fmt: skip
"""The faults at which a test may end over a line that is slow or loses much, here in one test and there in the next."""
MADE_ONCE = frozenset({Step.NAME, Step.TCP, Step.PROXY, Step.TLS})
"""The steps that a call over an open connection does without: its answer says nothing of them."""
