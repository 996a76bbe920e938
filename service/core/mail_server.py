"""Mail server for alerts."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class MailServer:
    """Mail server, and the sender of all mails."""

    host: str
    port: int
    sender: str
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: bool = False
    """Whether TLS comes first; otherwise STARTTLS, but to this machine."""

    @property
    def is_local(self) -> bool:
        """Whether the server is on this machine: connections to it cannot be intercepted."""
        return self.host in ("localhost", "127.0.0.1", "::1")
