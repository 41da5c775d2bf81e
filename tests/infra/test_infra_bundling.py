"""What is built for the functions."""

import os
import ssl
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from infra import bundling, paths
from infra.bundling import Bundle, BundlingError, Certificates, build, unzipped_bytes
from infra.interpreter import InterpreterMissingError, interpreter_for
from infra.settings import Target
from local.standin_kubernetes import StandInKubernetes, Store, generated_applications, stored

LAYER_BUDGET_BYTES = 40 * 2**20
LAMBDA_BYTECODE = ".cpython-313.pyc"
AARCH64 = 183  # e_machine of an ELF header
UNCHECKED_HASH = 1  # the flags of a .pyc that is never compared with its source (PEP 552)


@pytest.fixture(scope="session")
def host() -> Bundle:
    """Build for this machine."""
    return build("host")


@pytest.fixture(scope="session")
def lambda_or_error() -> Bundle | InterpreterMissingError:
    """Build for Lambda, or say why this machine cannot."""
    try:
        return build("lambda")
    except InterpreterMissingError as error:
        return error


@pytest.fixture(params=["host", "lambda"])
def own_target(request: pytest.FixtureRequest, lambda_or_error: Bundle | InterpreterMissingError) -> Target:
    """Name each target; without Python 3.13 this machine stands in for Lambda."""
    target: Target = request.param
    return "host" if isinstance(lambda_or_error, InterpreterMissingError) else target


@pytest.fixture
def sources(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write functions and a package of a few lines and let the build take them."""
    folder = tmp_path_factory.mktemp("sources")
    for name in (*(f"functions/{name}" for name in paths.FUNCTION_NAMES), "costintel"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(f'"""{name}."""\n\nNAMES = frozenset({{"one", "two", "three"}})\n')
        (folder / name / "routes.py").write_text("def first(): ...\n")
    monkeypatch.setattr(paths, "FUNCTIONS", folder / "functions")
    monkeypatch.setattr(paths, "PACKAGE", folder / "costintel")
    return folder


def workshop(target: Target, output: Path) -> bundling._Workshop:
    """Return what builds single parts."""
    return bundling._Workshop(target=target, interpreter=interpreter_for(target), output=output)


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return every file's permissions and content by its path."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): (path.stat().st_mode, path.read_bytes()) for path in files}


def check_missing(error: InterpreterMissingError) -> None:
    """Hold that the error tells what to do."""
    assert "needs a Python 3.13 interpreter" in str(error)
    assert "LAMBDA_PYTHON" in str(error)


def test_lambdas_layers_are_within_their_budget(lambda_or_error: Bundle | InterpreterMissingError) -> None:
    """Both layers with bytecode take at most 40 MiB of the 250 that Lambda allows."""
    if isinstance(lambda_or_error, InterpreterMissingError):
        check_missing(lambda_or_error)
        return
    layers = (lambda_or_error.third_party, lambda_or_error.own_code)

    assert sum(unzipped_bytes(layer.folder) for layer in layers) <= LAYER_BUDGET_BYTES


def test_lambdas_libraries_are_for_arm(lambda_or_error: Bundle | InterpreterMissingError) -> None:
    """Every shared library has an ELF header for 64-bit ARM."""
    if isinstance(lambda_or_error, InterpreterMissingError):
        check_missing(lambda_or_error)
        return
    libraries = [path for path in lambda_or_error.third_party.folder.rglob("*") if ".so" in path.suffixes]
    headers = {path.name: path.read_bytes()[:20] for path in libraries}

    assert len(libraries) > 5
    assert {name for name, header in headers.items() if header[:4] != b"\x7fELF"} == set()
    assert {struct.unpack_from("<H", header, 18)[0] for header in headers.values()} == {AARCH64}


def test_lambdas_bytecode_is_complete_and_never_checked(lambda_or_error: Bundle | InterpreterMissingError) -> None:
    """Each module has bytecode of Python 3.13 that stays valid whatever times a package gives its files."""
    if isinstance(lambda_or_error, InterpreterMissingError):
        check_missing(lambda_or_error)
        return
    for asset in lambda_or_error.assets:
        modules = list(asset.folder.rglob("*.py"))

        assert modules
        for module in modules:
            bytecode = module.parent / "__pycache__" / f"{module.stem}{LAMBDA_BYTECODE}"
            assert struct.unpack_from("<I", bytecode.read_bytes(), 4)[0] == UNCHECKED_HASH, module


def test_bytecode_knows_the_path_it_runs_under(host: Bundle) -> None:
    """The paths in bytecode are Lambda's and not those of the machine that built it."""
    tag = f".{sys.implementation.cache_tag}.pyc"
    layer = (host.own_code.folder / "python/costintel/__pycache__" / f"__init__{tag}").read_bytes()
    function = (host.functions["webhook"].folder / "webhook/__pycache__" / f"__init__{tag}").read_bytes()

    assert b"/opt/python/costintel/__init__.py" in layer
    assert b"/var/task/webhook/__init__.py" in function


def test_third_party_packages_are_built_twice_alike(tmp_path: Path, host: Bundle) -> None:
    """Built again in another place, every file and every permission of the layer is the same."""
    again = workshop("host", tmp_path).third_party()

    assert again.fingerprint == host.third_party.fingerprint
    assert contents(again.folder) == contents(host.third_party.folder)


def test_our_own_code_is_built_twice_alike(tmp_path: Path, sources: Path, own_target: Target) -> None:
    """Function and layer come out the same, so that a deployment changes what changed and nothing else."""
    first, second = workshop(own_target, tmp_path / "first"), workshop(own_target, tmp_path / "second")
    certificates = Certificates()

    assert contents(first.function("api").folder) == contents(second.function("api").folder)
    assert contents(first.own_code(certificates).folder) == contents(second.own_code(certificates).folder)
    assert first.own_code(certificates).fingerprint == second.own_code(certificates).fingerprint


def test_nothing_changed_means_nothing_is_built(tmp_path: Path, sources: Path) -> None:
    """A second build returns the folder of the first, untouched."""
    first = workshop("host", tmp_path).function("api").folder
    before = first.stat().st_ctime_ns

    assert workshop("host", tmp_path).function("api").folder == first
    assert first.stat().st_ctime_ns == before


def test_an_edited_function_is_built_again_and_nothing_else(tmp_path: Path, sources: Path) -> None:
    """A change in one function gives that function another folder and leaves its siblings where they are."""
    built = workshop("host", tmp_path)
    before = {name: built.function(name).folder for name in paths.FUNCTION_NAMES}
    (sources / "functions/api/__init__.py").write_text('"""Changed."""\n')

    after = {name: built.function(name).folder for name in paths.FUNCTION_NAMES}

    assert {name for name in before if before[name] != after[name]} == {"api"}
    assert (after["api"] / "api/__init__.py").read_text() == '"""Changed."""\n'


def test_a_renamed_module_is_another_build(tmp_path: Path, sources: Path) -> None:
    """The same content under another name is not the same part."""
    before = workshop("host", tmp_path).function("api").folder
    (sources / "functions/api/routes.py").rename(sources / "functions/api/pages.py")

    assert workshop("host", tmp_path).function("api").folder != before


def test_code_on_its_way_to_lambda_is_known_by_its_content(tmp_path: Path, sources: Path, own_target: Target) -> None:
    """An edit changes what CDK identifies a deployed part by; on this machine it stays, so that no synthesis is due."""
    before = workshop(own_target, tmp_path).function("api")
    (sources / "functions/api/__init__.py").write_text('"""Changed."""\n')
    after = workshop(own_target, tmp_path).function("api")

    assert (before.fingerprint == after.fingerprint) == (own_target == "host")
    assert before.folder != after.folder


def test_only_the_newest_builds_are_kept(tmp_path: Path, sources: Path) -> None:
    """Builds of inputs long gone and remains of killed builds disappear."""
    (tmp_path / "api/.building-killed").mkdir(parents=True)
    folders = []
    for number in range(5):
        (sources / "functions/api/__init__.py").write_text(f"NUMBER = {number}\n")
        folders.append(workshop("host", tmp_path).function("api").folder)

    assert {path.name for path in (tmp_path / "api").iterdir()} == {folder.name for folder in folders[-3:]}


def test_nothing_needless_or_dangerous_is_packed(host: Bundle) -> None:
    """No tests, stubs, commands or installers' notes, no AWS SDK, no settings, no stray file."""
    packed = [path.relative_to(asset.folder) for asset in host.assets for path in asset.folder.rglob("*")]
    names = {path.name for path in packed}
    packages = {path.parts[1] for path in packed if path.parts[0] == "python" and len(path.parts) > 1}

    assert not names & {"tests", "bin", "RECORD", "INSTALLER", ".lock", ".env", ".git", "uv.lock"}
    assert not {path for path in packed if path.suffix in {".pyi", ".key", ".toml"}}
    assert not packages & {"boto3", "botocore", "aiohttp", "aws_xray_sdk", "pip", "setuptools"}
    assert {"aws_lambda_powertools", "costintel", "httpx", "psycopg", "psycopg_binary", "pydantic"} <= packages


def test_of_the_kubernetes_client_only_the_plumbing_is_packed(
    host: Bundle, lambda_or_error: Bundle | InterpreterMissingError
) -> None:
    """None of its models; what reads kubeconfigs, and the packages that takes, only on one machine."""
    parts = {path.name for path in (host.third_party.folder / "python/kubernetes").iterdir()} - {"__pycache__"}

    assert parts == {"__init__.py", "client", "config", "utils"}
    assert unzipped_bytes(host.third_party.folder / "python/kubernetes") < 2**20
    if isinstance(lambda_or_error, InterpreterMissingError):
        check_missing(lambda_or_error)
        return
    packed = {path.name for path in (lambda_or_error.third_party.folder / "python").iterdir()}
    assert not packed & {"requests", "oauthlib", "requests_oauthlib", "yaml", "charset_normalizer", "websocket"}
    assert not (lambda_or_error.third_party.folder / "python/kubernetes/config").exists()


def test_the_packed_client_lists(host: Bundle) -> None:
    """A bare interpreter lists Applications with the layers alone, without what only a kubeconfig needs."""
    layers = [str(asset.folder / "python") for asset in (host.third_party, host.own_code)]
    absent = ("aiohttp", "oauthlib", "requests", "requests_oauthlib", "websocket", "yaml", "kubernetes.config")
    question = (
        f"import sys; sys.modules.update(dict.fromkeys({absent!r}));"
        "from datetime import UTC, datetime; from costintel.argocd.destination import DestinationRules;"
        "from costintel.cluster.cluster import open_cluster; from costintel.cluster.settings import ClusterSettings;"
        "settings = ClusterSettings(endpoint=sys.argv[1], token='token');"
        "cluster = open_cluster(settings, rules=DestinationRules(), clock=lambda: datetime.now(UTC));"
        "print(len(cluster.applications().items), sys.modules['kubernetes'].__file__)"
    )
    store = Store()
    store.put_bodies("applications", map(stored, generated_applications(3, object_bytes=5000)))
    with StandInKubernetes(store) as stand_in:
        answer = subprocess.run(
            [sys.executable, "-S", "-c", question, stand_in.endpoint],
            env={"PYTHONPATH": os.pathsep.join(layers), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )

    assert answer.stderr == ""
    count, place = answer.stdout.split()
    assert (count, place.startswith(layers[0])) == ("3", True)


def test_a_function_is_found_by_its_handler(host: Bundle) -> None:
    """The asset's root holds the function's package and nothing of its siblings."""
    for name, asset in host.functions.items():
        assert [path.name for path in asset.folder.iterdir()] == [name]


def test_the_built_layers_import(host: Bundle) -> None:
    """A bare interpreter imports what the functions use from the layers alone, and from their bytecode."""
    layers = [str(asset.folder / "python") for asset in (host.third_party, host.own_code)]
    question = (
        "import sys, aws_lambda_powertools, costintel, httpx, psycopg, pydantic;"
        "assert psycopg.pq.__impl__ == 'binary', psycopg.pq.__impl__;"
        "print(costintel.__cached__, httpx.__file__)"
    )
    environment = {"PYTHONPATH": os.pathsep.join(layers), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-S", "-c", question]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert answer.stderr == ""
    cached, place = answer.stdout.split()
    assert cached == str(
        host.own_code.folder / f"python/costintel/__pycache__/__init__.{sys.implementation.cache_tag}.pyc"
    )
    assert place.startswith(layers[0])


def test_the_layer_trusts_amazons_certificates(host: Bundle) -> None:
    """The roots of 27 regions are in the layer, each an authority of RDS."""
    context = ssl.create_default_context(cafile=str(host.own_code.folder / "certificates/database.pem"))
    names = [dict(part[0] for part in root["subject"])["commonName"] for root in context.get_ca_certs()]  # type: ignore[misc]

    assert len(names) == 27
    assert all(name.startswith("Amazon RDS ") and name.endswith(" Root CA RSA2048 G1") for name in names)


def test_the_operators_certificates_replace_and_join_ours(tmp_path: Path) -> None:
    """A PEM file the operator names for the database stands in for Amazon's, those of OpenCost and Kubernetes beside it."""
    (tmp_path / "database.pem").write_text("the database's\n")
    (tmp_path / "opencost.pem").write_text("OpenCost's\n")
    (tmp_path / "kubernetes.pem").write_text("the API server's\n")
    own = Certificates(
        database=tmp_path / "database.pem",
        opencost=tmp_path / "opencost.pem",
        kubernetes=tmp_path / "kubernetes.pem",
    )

    folder = workshop("host", tmp_path / "build").own_code(own).folder / "certificates"

    assert (folder / "database.pem").read_text() == "the database's\n"
    assert (folder / "opencost.pem").read_text() == "OpenCost's\n"
    assert (folder / "kubernetes.pem").read_text() == "the API server's\n"


def test_a_missing_certificate_is_named(tmp_path: Path) -> None:
    """A path that leads nowhere stops the build with that path."""
    with pytest.raises(BundlingError, match=r"nowhere\.pem: expected a PEM file, there is none"):
        workshop("host", tmp_path).own_code(Certificates(opencost=tmp_path / "nowhere.pem"))


def test_without_python_3_13_the_build_for_lambda_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the version, and the variable that names an interpreter."""
    monkeypatch.setenv("LAMBDA_PYTHON", "/nowhere/python3.13")

    with pytest.raises(InterpreterMissingError) as caught:
        build("lambda")
    check_missing(caught.value)


def test_another_python_is_not_taken_for_3_13(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interpreter is asked what it is, whatever its name."""
    impostor = tmp_path / "python3.13"
    impostor.write_text("#!/bin/sh\necho cpython-312 cb0d0d0a\n")
    impostor.chmod(0o755)
    monkeypatch.setenv("LAMBDA_PYTHON", str(impostor))

    with pytest.raises(InterpreterMissingError):
        interpreter_for("lambda")


def test_the_command_fails_with_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`python -m infra.bundling lambda` without the interpreter ends with status 1 and the reason."""
    monkeypatch.setenv("LAMBDA_PYTHON", "/nowhere/python3.13")

    assert bundling.main(["lambda"]) == 1
    assert capsys.readouterr().err.startswith("error: the layer for Lambda needs a Python 3.13 interpreter")


def test_a_package_that_cannot_be_had_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the installer said is in the error, and nothing half-built is left."""
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("httpx==0.28.1\n")
    monkeypatch.setattr(paths, "REQUIREMENTS", requirements)

    with pytest.raises(BundlingError, match=r"installing the layer's packages failed: .*hash"):
        workshop("host", tmp_path / "build").third_party()
    assert list((tmp_path / "build/third-party").iterdir()) == []
