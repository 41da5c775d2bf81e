"""What the functions run, built without Docker: two layers and one folder per function.

`python -m infra.bundling host|lambda` builds for this machine or for Lambda (arm64, Python 3.13), and
`python -m infra.bundling sizes` tells how large each part is. Builds lie under `build/TARGET/PART/FINGERPRINT`;
a part whose inputs did not change is not built again, and two builds of the same inputs are equal byte by byte.

Bytecode is compiled with `unchecked-hash`, because a deployment package loses its modification times and with them
every timestamp-checked `.pyc`, and with the path it will run under, so that no build path is baked in.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from infra import paths
from infra.fingerprint import fingerprint, source_files
from infra.interpreter import LAMBDA_PLATFORM, LAMBDA_PYTHON, Interpreter, InterpreterMissingError, interpreter_for
from infra.locking import exclusive
from infra.settings import Settings, Target
from infra.trimming import trim

LAYER_ROOT = "/opt"
FUNCTION_ROOT = "/var/task"
KEPT_BUILDS = 3
_UNFINISHED = ".building-"

_RECIPE = {
    name: Path(__file__).with_name(name) for name in ("bundling.py", "trimming.py", "interpreter.py", "fingerprint.py")
}
_FIXED_TIME = 315_532_800  # 1980-01-01, the oldest time a zip file can hold


class BundlingError(RuntimeError):
    """A part could not be built; the text says which and why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asset:
    """A built folder and the fingerprint that CDK identifies it by: 64 hex digits.

    For Lambda they stand for what it was built from. For this machine they are the same for every build of a part: the
    template then depends on `infra/` and the settings only, and an edited function needs no new synthesis.
    """

    folder: Path
    fingerprint: str

    @property
    def name(self) -> str:
        """The asset's name in the cloud assembly: CDK hashes a given fingerprint once more."""
        return hashlib.sha256(self.fingerprint.encode()).hexdigest()


@dataclass(frozen=True, kw_only=True, slots=True)
class Bundle:
    """Everything the stack uploads for its functions."""

    third_party: Asset
    own_code: Asset
    functions: Mapping[str, Asset]

    @property
    def assets(self) -> tuple[Asset, ...]:
        """All parts."""
        return (self.third_party, self.own_code, *self.functions.values())

    def standing_in(self, folder: Path) -> "Bundle":
        """Return the same parts under the same names, all with the content of `folder`."""
        return Bundle(
            third_party=replace(self.third_party, folder=folder),
            own_code=replace(self.own_code, folder=folder),
            functions={name: replace(asset, folder=folder) for name, asset in self.functions.items()},
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Certificates:
    """PEM files that go into the layer; `opencost` and `kubernetes` are None where the system's own authorities do."""

    database: Path = paths.CERTIFICATES / "amazon-rds.pem"
    opencost: Path | None = None
    kubernetes: Path | None = None


def certificates_of(settings: Settings) -> Certificates:
    """Return the PEM files the operator named, and Amazon's own for the database when he named none."""
    named = Certificates(opencost=_named(settings.opencost_ca), kubernetes=_named(settings.kubernetes_ca_file))
    database = _named(settings.database_ca_file)
    return named if database is None else replace(named, database=database)


def _named(path: str) -> Path | None:
    return Path(path) if path else None


def build(target: Target, *, certificates: Certificates | None = None, output: Path = paths.BUILD) -> Bundle:
    """Build what changed and return all parts.

    Raises `InterpreterMissingError` for `lambda` without Python 3.13, `BundlingError` when a package or a file is missing.
    """
    workshop = _Workshop(target=target, interpreter=interpreter_for(target), output=output / target)
    with exclusive(workshop.output):
        return Bundle(
            third_party=workshop.third_party(),
            own_code=workshop.own_code(certificates or Certificates()),
            functions={name: workshop.function(name) for name in paths.FUNCTION_NAMES},
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Workshop:
    """Builds parts for one target."""

    target: Target
    interpreter: Interpreter
    output: Path

    def third_party(self) -> Asset:
        """Return the layer with the packages of `requirements.txt`."""

        def fill(folder: Path) -> None:
            _install(folder / "python", self.target)
            trim(folder / "python", self.target)
            self._compile(folder, run_root=LAYER_ROOT)

        return self._make("third-party", {paths.REQUIREMENTS.name: paths.REQUIREMENTS}, fill)

    def own_code(self, certificates: Certificates) -> Asset:
        """Return the layer with the package `costintel` and the certificates to trust."""
        sources = {f"python/costintel/{name}": path for name, path in source_files(paths.PACKAGE).items()}
        sources["certificates/database.pem"] = _existing(certificates.database)
        for name in ("opencost", "kubernetes"):
            certificate: Path | None = getattr(certificates, name)
            if certificate is not None:
                sources[f"certificates/{name}.pem"] = _existing(certificate)

        def fill(folder: Path) -> None:
            _copy(sources, folder)
            self._compile(folder, run_root=LAYER_ROOT)

        return self._make("costintel", sources, fill)

    def function(self, name: str) -> Asset:
        """Return the function's package below the asset's root, as `NAME.handler.handler` needs it."""
        sources = {f"{name}/{place}": path for place, path in source_files(paths.FUNCTIONS / name).items()}

        def fill(folder: Path) -> None:
            _copy(sources, folder)
            self._compile(folder, run_root=FUNCTION_ROOT)

        return self._make(name, sources, fill)

    def _make(self, part: str, sources: Mapping[str, Path], fill: Callable[[Path], None]) -> Asset:
        """Return the part from an earlier build of the same inputs, or build it beside its place and move it there."""
        digest = fingerprint({**sources, **_RECIPE}, words=self._words())
        folder = self.output / part / digest[:16]
        if not folder.is_dir():
            folder.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder.parent, prefix=_UNFINISHED) as scratch:
                fresh = Path(scratch) / "asset"
                fresh.mkdir()
                fill(fresh)
                _normalize(fresh)
                fresh.rename(folder)
            _forget_old(folder.parent)
        return Asset(folder=folder, fingerprint=digest if self.target == "lambda" else _host_name(part))

    def _words(self) -> dict[str, str]:
        """Return what besides the files' content decides how a part comes out."""
        return {
            "target": self.target,
            "bytecode": self.interpreter.bytecode_tag,
            "platform": LAMBDA_PLATFORM if self.target == "lambda" else sysconfig.get_platform(),
        }

    def _compile(self, folder: Path, *, run_root: str) -> None:
        """Write bytecode for every module, carrying the path it will run under."""
        options = ["-q", "--invalidation-mode", "unchecked-hash", "-s", str(folder), "-p", run_root]
        command = [self.interpreter.command, "-S", "-m", "compileall", *options, str(folder)]
        _run(command, self.interpreter.start_environment(), what=f"compiling {folder.parent.parent.name}")


def _host_name(part: str) -> str:
    """Return the name of a part built for this machine."""
    return fingerprint({}, words={"part": part, "target": "host"})


def _install(folder: Path, target: Target) -> None:
    """Install the pinned wheels into `folder`; nothing is built from source and every hash is checked."""
    options = ["--require-hashes", "--only-binary", ":all:", "--no-compile-bytecode", "--link-mode", "copy"]
    if target == "lambda":
        version = ".".join(str(part) for part in LAMBDA_PYTHON)
        options += ["--python-platform", LAMBDA_PLATFORM, "--python-version", version]
    where = ["--python", sys.executable, "--target", str(folder)]
    command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", *where, *options]
    environment = {**os.environ, "UV_PYTHON_DOWNLOADS": "never"}
    _run([*command, "--requirement", str(paths.REQUIREMENTS)], environment, what="installing the layer's packages")


def _copy(sources: Mapping[str, Path], folder: Path) -> None:
    """Copy each source to its place below `folder`."""
    for place, source in sources.items():
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def _normalize(folder: Path) -> None:
    """Give every entry the same permissions and time, whatever the machine's habits."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
        os.utime(path, (_FIXED_TIME, _FIXED_TIME))


def _forget_old(part: Path) -> None:
    """Keep the newest builds of a part; older ones are of inputs long gone, unfinished ones of a killed process."""
    entries = sorted(part.iterdir(), key=lambda path: path.stat().st_ctime, reverse=True)
    finished = [path for path in entries if not path.name.startswith(_UNFINISHED)]
    for path in set(entries) - set(finished[:KEPT_BUILDS]):
        shutil.rmtree(path, ignore_errors=True)


def _existing(path: Path) -> Path:
    """Return the path, or raise `BundlingError` when there is no such file."""
    if not path.is_file():
        raise BundlingError(f"{path}: expected a PEM file, there is none")
    return path


def _run(command: list[str], environment: Mapping[str, str], *, what: str) -> None:
    """Run a command; its output is shown only when it fails."""
    answer = subprocess.run(  # noqa: S603 - both commands are interpreters with our own arguments
        command, env=environment, capture_output=True, text=True, check=False
    )
    if answer.returncode != 0:
        raise BundlingError(f"{what} failed: {(answer.stderr or answer.stdout).strip()}")


def unzipped_bytes(folder: Path) -> int:
    """Return the sum of the file sizes below `folder`."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _report(target: Target) -> None:
    """Print each part's size in MiB and its folder."""
    bundle = build(target)
    parts = {"third-party layer": bundle.third_party, "own layer": bundle.own_code, **bundle.functions}
    for name, asset in parts.items():
        print(f"{target:7} {name:18} {unzipped_bytes(asset.folder) / 2**20:7.2f} MiB  {asset.folder}")


def main(arguments: list[str] | None = None) -> int:
    """Build, or report sizes of both targets; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m infra.bundling", description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("host", "lambda", "sizes"))
    what = parser.parse_args(arguments).what
    try:
        for target in ("host", "lambda") if what == "sizes" else (what,):
            _report(target)
    except (InterpreterMissingError, BundlingError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
