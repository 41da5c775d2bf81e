"""TLS in front of a PostgreSQL server that has none: it answers the client's SSLRequest, then passes the bytes on."""

import contextlib
import socket
import ssl
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_SSL_REQUEST = bytes.fromhex("0000000804d2162f")


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificates:
    """A CA's certificate, and key and certificate that it gave to `localhost`, as files."""

    ca_file: Path
    server_file: Path


def issue(folder: Path, *, authority: str = "Test CA") -> Certificates:
    """Make a CA and a certificate of its own for `localhost`."""
    ca_key, server_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    ca = _certificate(authority, ca_key, issuer=(authority, ca_key), is_ca=True)
    server = _certificate("localhost", server_key, issuer=(authority, ca_key), is_ca=False)
    key = server_key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    ca_file, server_file = folder / "ca.pem", folder / "server.pem"
    ca_file.write_bytes(ca.public_bytes(serialization.Encoding.PEM))
    server_file.write_bytes(key + server.public_bytes(serialization.Encoding.PEM))
    return Certificates(ca_file=ca_file, server_file=server_file)


def _certificate(
    name: str, key: ec.EllipticCurvePrivateKey, *, issuer: tuple[str, ec.EllipticCurvePrivateKey], is_ca: bool
) -> x509.Certificate:
    issuer_name, issuer_key = issuer
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer_name)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
    )
    if not is_ca:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    return builder.sign(issuer_key, hashes.SHA256())


class TlsFront:
    """Listens on a port of its own on loopback for as long as the `with` block lasts."""

    def __init__(self, *, server_port: int, certificates: Certificates) -> None:
        self._server_port = server_port
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificates.server_file)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads = [threading.Thread(target=self._accept, daemon=True)]

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(client,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            if client.recv(8, socket.MSG_WAITALL) != _SSL_REQUEST:
                return
            client.sendall(b"S")
            with (
                self._context.wrap_socket(client, server_side=True) as inside,
                socket.create_connection(("127.0.0.1", self._server_port)) as server,
            ):
                answers = threading.Thread(target=_pass_on, args=(server, inside), daemon=True)
                answers.start()
                _pass_on(inside, server)
                answers.join()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    """Copy bytes until the source ends, then end the target's side."""
    with contextlib.suppress(OSError):
        while chunk := source.recv(65536):
            target.sendall(chunk)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)
