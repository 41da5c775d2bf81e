"""The template as a whole, and how it is made."""

import json
from pathlib import Path
from typing import Any

import pytest
from cfnlint.api import lint  # type: ignore[import-untyped]  # cfn-lint ships no types

from infra import paths
from infra.assembly import ASSETS_FILE, TEMPLATE_FILE
from infra.bundling import build
from infra.settings import SettingsError
from infra.synth import HOST_ASSEMBLY, SynthesisError, _run_app, inputs_digest, synthesize
from tests.infra.reading import functions

SECTIONS = {"Description", "Metadata", "Outputs", "Parameters", "Resources"}

# Each finding that is accepted, and on how many resources.
ACCEPTED = {
    "AwsSolutions-RDS3": 1,
    "AwsSolutions-RDS11": 1,
    "AwsSolutions-L1": 7,
    "AwsSolutions-IAM5[Resource::*]": 5,
    "AwsSolutions-APIG4": 2,
}


def accepted(template: dict[str, Any]) -> list[dict[str, str]]:
    """Return the findings of cdk-nag that the template's resources accept, where the rule can apply."""
    kinds = {"RDS": "AWS::RDS::DBInstance", "L1": "AWS::Lambda::Function", "IAM": "AWS::IAM::Policy"}
    kinds["APIG"] = "AWS::ApiGatewayV2::Route"
    return [
        finding
        for resource in template["Resources"].values()
        for finding in resource.get("Metadata", {}).get("cdk_nag", {}).get("rules_to_suppress", [])
        if any(finding["id"].startswith(f"AwsSolutions-{rule}") and resource["Type"] == kinds[rule] for rule in kinds)
    ]


def test_the_template_needs_nothing_but_itself(full_template: dict[str, Any]) -> None:
    """There are no Conditions, Mappings, Rules, macros or imports, so that it reads the same everywhere."""
    text = json.dumps(full_template)

    assert set(full_template) == SECTIONS
    for function in ("Fn::ImportValue", "Fn::If", "Fn::FindInMap", "Fn::Transform"):
        assert function not in text


def test_the_only_parameters_are_the_token_hashes(template: dict[str, Any]) -> None:
    """A deployment asks for nothing: the three parameters have defaults."""
    assert set(template["Parameters"]) == {"WebhookTokenHashes", "ProxyTokenHashes", "MetricsTokenHashes"}
    assert all(parameter["Default"] for parameter in template["Parameters"].values())


def test_nothing_is_looked_up_and_no_account_is_named(full_template: dict[str, Any], assembly: Path) -> None:
    """The stack is for any account and region; synthesis asked nobody."""
    manifest = json.loads((assembly / "manifest.json").read_text())

    assert manifest["artifacts"]["CostIntel"]["environment"] == "aws://unknown-account/unknown-region"
    assert not manifest.get("missing")
    assert "111122223333" not in json.dumps(full_template).replace(
        "arn:aws:secretsmanager:eu-central-1:111122223333", ""
    )


def test_cfn_lint_finds_nothing(full_template: dict[str, Any]) -> None:
    """The linter, which knows what CloudFormation accepts, has neither errors nor warnings."""
    assert [str(finding) for finding in lint(json.dumps(full_template))] == []


def test_cfn_lint_is_awake() -> None:
    """A function without code is found."""
    broken = {"Resources": {"Api": {"Type": "AWS::Lambda::Function", "Properties": {}}}}

    assert "E3003" in {finding.rule.id for finding in lint(json.dumps(broken))}


def test_cdk_nag_ran_and_accepts_only_what_is_listed(template: dict[str, Any]) -> None:
    """Synthesis fails on any finding that is not accepted; those that are stand here."""
    found = [finding["id"] for finding in accepted(template)]

    assert {rule: found.count(rule) for rule in set(found)} == ACCEPTED


def test_every_accepted_finding_has_a_reason(template: dict[str, Any]) -> None:
    """A reason is a sentence, not a word."""
    assert all(len(finding["reason"].split()) >= 6 for finding in accepted(template))


def test_two_zones_need_no_excuse(full_template: dict[str, Any]) -> None:
    """With a second zone the finding about it is not accepted any more."""
    assert "AwsSolutions-RDS3" not in {finding["id"] for finding in accepted(full_template)}


def test_nothing_changed_means_nothing_is_synthesized(assembly: Path) -> None:
    """A second synthesis of the same inputs leaves the assembly as it is."""
    before = (assembly / TEMPLATE_FILE).stat()

    assert synthesize(HOST_ASSEMBLY) == assembly
    assert (assembly / TEMPLATE_FILE).stat() == before


def test_nothing_that_shapes_the_template_stands_outside_the_code() -> None:
    """cdk.json names the app and its output only, so that the CLI synthesizes what everybody else does."""
    assert set(json.loads((paths.ROOT / "cdk.json").read_text(encoding="utf-8"))) == {"app", "output"}


def test_the_digest_changes_with_target_and_settings() -> None:
    """The same inputs have the same digest, another target or setting another one."""
    digests = [inputs_digest(), inputs_digest("lambda"), inputs_digest("host", {"currency": "EUR"})]

    assert len(set(digests)) == 3
    assert inputs_digest() == digests[0]
    assert all(len(digest) == 64 for digest in digests)


def test_the_assembly_leads_to_the_newest_build(assembly: Path, template: dict[str, Any]) -> None:
    """On this machine a function's asset is a link to what was built last, so that edits need no synthesis."""
    files = json.loads((assembly / ASSETS_FILE).read_text())["files"]
    bundle = build("host")

    for handler, function in functions(template).items():
        place = assembly / files[function["Code"]["S3Key"].removesuffix(".zip")]["source"]["path"]

        assert place.resolve() == bundle.functions[handler.partition(".")[0]].folder.resolve()


def test_a_wrong_setting_is_refused_before_anything_is_built(tmp_path: Path) -> None:
    """The error names the setting, and no assembly is made."""
    with pytest.raises(SettingsError, match="vpc_id: expected the id of the cluster's VPC, got 'my-vpc'"):
        synthesize(tmp_path / "assembly", context={"vpc_id": "my-vpc"})

    assert list(tmp_path.iterdir()) == []


def test_the_app_says_what_is_wrong_and_fails() -> None:
    """The command line ends with one line about the setting, without a traceback."""
    with pytest.raises(SynthesisError) as caught:
        _run_app(["--context", "region=eu", "--target", "host"])

    assert str(caught.value).startswith("error: region: no such setting; expected one of cluster_name, ")
    assert len(str(caught.value).splitlines()) == 1
