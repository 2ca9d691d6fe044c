"""A certificate for the local network: browsers give the camera only to https."""

from __future__ import annotations

import datetime
import ipaddress
import socket
from pathlib import Path

from actor_observer.errors import missing_extra

__all__ = ["local_address", "self_signed"]


def local_address() -> str:
    """The address of this machine in the local network; nothing is sent to find it.

    >>> local_address().count(".")
    3
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("10.255.255.255", 1))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def self_signed(folder: Path, hosts: tuple[str, ...], days: int = 397) -> tuple[Path, Path]:
    """A certificate and its key for these names, made once and kept; made anew when it runs out or names change."""
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import NameOID
    except ImportError:
        raise missing_extra("--share", "web") from None
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    now = datetime.datetime.now(datetime.UTC)
    names: list[x509.GeneralName] = []
    for host in dict.fromkeys(host.strip("[]") for host in hosts):
        try:
            names.append(x509.IPAddress(ipaddress.ip_address(host)))
        except ValueError:
            names.append(x509.DNSName(host))
    if certificate.is_file() and key.is_file():
        known = x509.load_pem_x509_certificate(certificate.read_bytes())
        listed = known.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        if set(listed) >= set(names) and known.not_valid_after_utc > now + datetime.timedelta(days=1):
            return certificate, key
    made = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "actor-observer studio")])
    signed = (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(who)
        .public_key(made.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))  # phones' clocks differ
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(made, hashes.SHA256())
    )
    key.touch(mode=0o600)
    key.chmod(0o600)
    key.write_bytes(
        made.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    return certificate, key
