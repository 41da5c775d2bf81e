"""What of the installed packages no function reads, and is therefore left out of the layer."""

import re
import shutil
from pathlib import Path

from infra.settings import Target

_INSTALLERS_NOTES = frozenset({"RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json"})

# Of the Kubernetes client only its plumbing is used (costintel.cluster), never its 2,000 models, nor its asynchronous twin.
_CLIENT = "kubernetes"
_CLIENT_KEPT = re.compile(
    r"client/(__init__|api_client|api_response|configuration|exceptions|rest)\.py|client/models/__init__\.py"
    r"|utils/(_retry_base|keepalive|retry)\.py"
)
_KUBECONFIG_KEPT = re.compile(r"config/(?!.*_test\.py).*")
_CLIENT_EMPTIED = ("__init__.py", "utils/__init__.py")
"""These import everything there is."""

_ASYNCHRONOUS = frozenset(
    {
        "aiohappyeyeballs",
        "aiohttp",
        "aiohttp-retry",
        "aiosignal",
        "attrs",
        "frozenlist",
        "multidict",
        "propcache",
        "yarl",
    }
)
_OTHERS = frozenset({"durationpy", "websocket-client"})
_FOR_KUBECONFIGS = frozenset({"charset-normalizer", "oauthlib", "pyyaml", "requests", "requests-oauthlib"})
"""Only a kubeconfig, which is for one machine, needs them."""


def trim(folder: Path, target: Target) -> None:
    """Remove from the installed packages in `folder` what the functions of `target` do not need."""
    _forget(folder, _ASYNCHRONOUS | _OTHERS | (_FOR_KUBECONFIGS if target == "lambda" else frozenset()))
    _thin_client(folder / _CLIENT, target)
    _remove_litter(folder)


def _forget(folder: Path, names: frozenset[str]) -> None:
    """Remove whole distributions, by the lists of their files."""
    for notes in folder.glob("*.dist-info"):
        name = re.sub(r"[-_.]+", "-", notes.name.partition("-")[0]).lower()
        if name in names:
            lines = (notes / "RECORD").read_text(encoding="utf-8").splitlines()
            for top in {Path(line.partition(",")[0]).parts[0] for line in lines}:
                _remove(folder / top)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _thin_client(client: Path, target: Target) -> None:
    """Keep the plumbing of the Kubernetes client, and on one machine what reads kubeconfigs."""
    for path in sorted(client.rglob("*"), reverse=True):
        place = path.relative_to(client).as_posix()
        is_kept = _CLIENT_KEPT.fullmatch(place) or (target == "host" and _KUBECONFIG_KEPT.fullmatch(place))
        if path.is_file() and not is_kept:
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    for place in _CLIENT_EMPTIED if client.is_dir() else ():
        (client / place).write_text("", encoding="utf-8")


def _remove_litter(folder: Path) -> None:
    """Remove commands, tests, type stubs and installers' notes."""
    shutil.rmtree(folder / "bin", ignore_errors=True)
    (folder / ".lock").unlink(missing_ok=True)
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and path.name in {"tests", "__pycache__"}:
            shutil.rmtree(path)
        elif path.suffix == ".pyi" or (path.parent.suffix == ".dist-info" and path.name in _INSTALLERS_NOTES):
            path.unlink()
