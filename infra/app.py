"""The CDK app: `python -m infra.app --output cdk.out`, and what the CDK CLI starts through `cdk.json`.

Needs no AWS account, no network, no Docker and no CLI to synthesize. Settings are CDK context, `cost-intel:NAME`.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# The Node.js of many machines is past the end of life that jsii announces in eleven lines at every start.
os.environ.setdefault("JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION", "20")

from aws_cdk import App, Validations
from cdk_nag import AwsSolutionsChecks

from infra.assembly import link_assets
from infra.bundling import BundlingError, build, certificates_of
from infra.flags import FEATURE_FLAGS
from infra.interpreter import InterpreterMissingError
from infra.settings import CONTEXT_PREFIX, Settings, SettingsError, Target
from infra.stack import Installation


def synthesize_app(output: Path, target: Target, context: Mapping[str, str]) -> None:
    """Build the code for `target` and write the cloud assembly to `output`.

    Raises `SettingsError`, `BundlingError` or `InterpreterMissingError`; findings of cdk-nag raise `RuntimeError`.
    """
    app = App(
        outdir=str(output),
        analytics_reporting=False,
        stack_traces=False,
        tree_metadata=False,
        post_cli_context=FEATURE_FLAGS,
        context={f"{CONTEXT_PREFIX}{name}": text for name, text in context.items()},
    )
    settings = Settings.parse(_context_settings(app.node.get_all_context()))
    if settings.is_placeholder:
        print("note: network ids or OPENCOST_BASE_URL are placeholders, not deployable", file=sys.stderr)
    bundle = build(target, certificates=certificates_of(settings))
    with tempfile.TemporaryDirectory() as empty:
        # CDK copies what it is given; on this machine links will do, so it is given nothing.
        Installation(app, settings=settings, bundle=bundle if target == "lambda" else bundle.standing_in(Path(empty)))
    # The accepted findings also stand in the template, beside the resources they are about.
    Validations.of(app).add_plugins(AwsSolutionsChecks(app, write_suppressions_to_cloud_formation=True))
    app.synth()
    if target == "host":
        link_assets(output, bundle)


def _context_settings(context: Mapping[str, Any]) -> dict[str, str]:
    """Return our settings out of everything in the context."""
    return {
        key.removeprefix(CONTEXT_PREFIX): str(value) for key, value in context.items() if key.startswith(CONTEXT_PREFIX)
    }


def main(arguments: list[str] | None = None) -> int:
    """Synthesize; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m infra.app", description="Synthesize the CloudFormation template.")
    parser.add_argument("--output", type=Path, default=os.environ.get("CDK_OUTDIR", "cdk.out"), help="where to")
    parser.add_argument("--target", choices=("host", "lambda"), default="lambda", help="whose bytecode and wheels")
    parser.add_argument("--context", action="append", default=[], metavar="NAME=VALUE", help="a setting")
    options = parser.parse_args(arguments)
    context = dict(pair.partition("=")[::2] for pair in options.context)
    try:
        synthesize_app(options.output, options.target, context)
    except (SettingsError, BundlingError, InterpreterMissingError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
