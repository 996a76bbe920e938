"""Certificates made for a test: right, expired, of another name, of nobody's authority."""

from __future__ import annotations

import ipaddress
import ssl
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import AuthorityInformationAccessOID, NameOID

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
        made = self._of(x509.Name([]), key, begins or now - DAY, ends or now + DAY)
        return self._serving(key, _for(made, names).sign(self._key, hashes.SHA256()))

    def server_by_another(self, *names: str, whole: bool = False, public: bool = True) -> ssl.SSLContext:
        """A server whose certificate is signed by one between, as those of public authorities are, which say where that
        one is to be had. `whole` if the server sends that one, too."""
        now, between, key = datetime.now(UTC), *(ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "R7")])
        signer = (
            self._of(name, between, now - DAY, now + DAY)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        made = _for(self._of(x509.Name([]), key, now - DAY, now + DAY, issuer=name), names)
        if public:
            where = x509.UniformResourceIdentifier("http://r7.authority.example/")
            described = x509.AccessDescription(AuthorityInformationAccessOID.CA_ISSUERS, where)
            made = made.add_extension(x509.AuthorityInformationAccess([described]), critical=False)
        return self._serving(key, made.sign(between, hashes.SHA256()), *([signer] if whole else []))

    def server_by_itself(self, *names: str) -> ssl.SSLContext:
        """A server whose certificate nobody else has signed."""
        now, key = datetime.now(UTC), ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
        made = self._of(name, key, now - DAY, now + DAY, issuer=name)
        return self._serving(key, _for(made, names).sign(key, hashes.SHA256()))

    def _serving(self, key: ec.EllipticCurvePrivateKey, *chain: x509.Certificate) -> ssl.SSLContext:
        certificate = chain[0]
        file = self._folder / f"server-{certificate.serial_number}.pem"
        plain = serialization.NoEncryption()
        file.write_bytes(
            key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
            + b"".join(each.public_bytes(serialization.Encoding.PEM) for each in chain)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    def _of(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        begins: datetime,
        ends: datetime,
        *,
        issuer: x509.Name | None = None,
    ) -> x509.CertificateBuilder:
        return x509.CertificateBuilder(
            issuer_name=issuer or self._name,
            subject_name=subject,
            public_key=key.public_key(),
            serial_number=x509.random_serial_number(),
            not_valid_before=begins,
            not_valid_after=ends,
        )


def _for(made: x509.CertificateBuilder, names: Sequence[str]) -> x509.CertificateBuilder:
    return made.add_extension(x509.SubjectAlternativeName([_general(name) for name in names]), critical=True)


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
