"""Synthesis that is skipped when nothing it depends on has changed.

Used by the local stack and by the tests; the CDK CLI starts `infra.app` itself. Synthesis runs in a process of its own,
because CDK keeps a Node.js process for as long as the process that imported it lives.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

from infra import paths
from infra.assembly import link_assets
from infra.bundling import Bundle, build, certificates_of
from infra.fingerprint import fingerprint, source_files
from infra.locking import exclusive
from infra.settings import Settings, Target

HOST_ASSEMBLY = paths.BUILD / "assembly" / "host"
"""Where the assembly with the default settings lies, for everyone on this machine who needs it."""
_DIGEST_FILE = "inputs.digest"
_PACKAGES = ("aws-cdk-lib", "cdk-nag", "constructs", "jsii")


class SynthesisError(RuntimeError):
    """The template could not be synthesized; the text is what CDK or cdk-nag said."""


def synthesize(output: Path, target: Target = "host", context: Mapping[str, str] | None = None) -> Path:
    """Bring the cloud assembly in `output` up to date and return `output`.

    `context` holds settings by name. For `host` the assembly's assets are links to the newest build, so that edited
    code is there without a new synthesis. Raises `SettingsError`, `BundlingError`, `InterpreterMissingError` or
    `SynthesisError`.
    """
    texts = dict(context or {})
    bundle = build(target, certificates=certificates_of(Settings.parse(texts)))
    digest = inputs_digest(target, texts, bundle if target == "lambda" else None)
    with exclusive(output.parent):
        if _digest_in(output) != digest:
            _synthesize_anew(output, target, texts)
            (output / _DIGEST_FILE).write_text(digest)
        if target == "host":
            link_assets(output, bundle)
    return output


def inputs_digest(
    target: Target = "host", context: Mapping[str, str] | None = None, bundle: Bundle | None = None
) -> str:
    """Return 64 hex digits that change when the template would: with `infra/`, CDK, the target, a setting or `bundle`."""
    words = {f"setting {name}": text for name, text in (context or {}).items()}
    words |= {package: metadata.version(package) for package in _PACKAGES}
    if bundle is not None:
        words["assets"] = " ".join(asset.fingerprint for asset in bundle.assets)
    return fingerprint(source_files(paths.ROOT / "infra"), words={**words, "target": target})


def _digest_in(output: Path) -> str | None:
    """Return the digest of the inputs that the assembly in `output` was made from."""
    try:
        return (output / _DIGEST_FILE).read_text()
    except FileNotFoundError:
        return None


def _synthesize_anew(output: Path, target: Target, context: Mapping[str, str]) -> None:
    """Synthesize beside `output` and put the result in its place, so that no reader meets half of it."""
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=".synthesizing-") as scratch:
        fresh = Path(scratch) / "assembly"
        _run_app(["--output", str(fresh), "--target", target, *_context_arguments(context)])
        if output.exists():
            output.rename(Path(scratch) / "former")
        fresh.rename(output)


def _context_arguments(context: Mapping[str, str]) -> list[str]:
    """Return the settings as arguments of `infra.app`."""
    return [argument for name, text in context.items() for argument in ("--context", f"{name}={text}")]


def _run_app(arguments: list[str]) -> None:
    """Run `python -m infra.app`, saving time where CDK wastes it.

    Its modules are large: their bytecode is kept, even where Python may keep none. Its own validation takes as long as
    all the rest: the CDK CLI does it before a deployment, and the tests run cfn-lint.
    """
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(paths.BUILD / "bytecode"), "CDK_VALIDATION": "false"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    answer = subprocess.run(  # noqa: S603 - our own module
        [sys.executable, "-m", "infra.app", *arguments],
        cwd=paths.ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if answer.returncode != 0:
        raise SynthesisError(f"{answer.stdout}{answer.stderr}".strip())
