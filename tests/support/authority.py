"""Certificates made for a test: right, expired, of another name, of nobody's authority."""

from __future__ import annotations

import ipaddress
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)


class Authority:
    """Signs certificates, without an identifier of its key, as older programs do; `trusting` believes it and nobody
    else."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Authority of {folder.name}")])
        now = datetime.now(UTC)
        self._certificate = (
            self._of(self._name, self._key, now - 4000 * DAY, now + 4000 * DAY)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        self.file = folder / "authority.pem"
        self.file.write_bytes(self._certificate.public_bytes(serialization.Encoding.PEM))

    @property
    def trusting(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=self.file)
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        return context

    def server(self, *names: str, begins: datetime | None = None, ends: datetime | None = None) -> ssl.SSLContext:
        """A server with a certificate for these names and addresses, valid now unless said otherwise."""
        now, key = datetime.now(UTC), ec.generate_private_key(ec.SECP256R1())
        certificate = (
            self._of(x509.Name([]), key, begins or now - DAY, ends or now + DAY)
            .add_extension(x509.SubjectAlternativeName([_general(name) for name in names]), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        file = self._folder / f"server-{certificate.serial_number}.pem"
        plain = serialization.NoEncryption()
        file.write_bytes(
            key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    def _of(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, begins: datetime, ends: datetime
    ) -> x509.CertificateBuilder:
        return x509.CertificateBuilder(
            issuer_name=self._name,
            subject_name=subject,
            public_key=key.public_key(),
            serial_number=x509.random_serial_number(),
            not_valid_before=begins,
            not_valid_after=ends,
        )


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
