"""The project's own rules, held by tests: documents match the code, sizes stay small, every test says what must hold."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from costintel.config import SETTINGS

ROOT = Path(__file__).parents[2]
SHIPPED = ("layers/common/costintel", "functions", "infra", "local", "bench")
MAX_FUNCTION_LINES = 40
MAX_FILE_LINES = 300


def files(*folders: str) -> list[Path]:
    return sorted(
        path for folder in folders for path in (ROOT / folder).rglob("*.py") if "__pycache__" not in path.parts
    )


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def body_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    documented = ast.get_docstring(node, clean=False) is not None
    first = node.body[1] if documented and len(node.body) > 1 else node.body[0]
    return (node.end_lineno or first.lineno) - first.lineno + 1


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def test_every_setting_is_documented_and_every_documented_setting_exists() -> None:
    """docs/configuration.md names exactly the settings the functions read."""
    page = (ROOT / "docs/configuration.md").read_text(encoding="utf-8")
    section = page.split("## Settings of the functions", 1)[1].split("\n## ", 1)[0]
    documented = set(re.findall(r"^\| `([A-Z_]+)` \|", section, re.MULTILINE))

    assert documented == {setting.name for setting in SETTINGS}


def test_the_documented_defaults_are_the_real_ones() -> None:
    """A default in docs/configuration.md is the one the code uses."""
    page = (ROOT / "docs/configuration.md").read_text(encoding="utf-8")
    for setting in SETTINGS:
        row = next(line for line in page.splitlines() if line.startswith(f"| `{setting.name}` |"))

        assert row.split("|")[3].strip() == (f"`{setting.default}`" if setting.default else "\N{EN DASH}"), setting.name


def test_the_readme_is_short() -> None:
    """README.md has at most 120 lines."""
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


def test_links_between_documents_lead_somewhere() -> None:
    """Every relative link of a document names a file of the project."""
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("path", files(*SHIPPED), ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_stay_small(path: Path) -> None:
    """A file has at most 300 lines and a function at most 40 below its docstring."""
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_FILE_LINES
    for node in functions(path):
        assert body_lines(node) <= MAX_FUNCTION_LINES, f"{node.name} has {body_lines(node)} lines"


def test_every_test_says_in_a_sentence_what_must_hold() -> None:
    """Each test function has a docstring of one sentence."""
    for path in files("tests"):
        for node in functions(path):
            if node.name.startswith("test_"):
                text = ast.get_docstring(node)

                assert text, f"{path.name}: {node.name}"
                assert text.endswith("."), f"{path.name}: {node.name}"


def test_banned_words_name_nothing() -> None:
    """No module, class or function of the shipped code is called data, info, manager, helper, util or process."""
    banned = {"data", "info", "manager", "helper", "helpers", "util", "utils", "process"}
    for path in files(*SHIPPED):
        names = [path.stem]
        names += [
            node.name
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ClassDef)
        ]
        names += [node.name for node in functions(path)]
        for name in names:
            words = set(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().split("_"))

            assert not words & banned, f"{path.name}: {name}"


def test_locked_requirements_carry_hashes_and_no_hosts() -> None:
    """Every pinned package has a hash, and no lock file names a host."""
    for name in ("requirements/dev.txt", "requirements/bootstrap.txt", "layers/common/requirements.txt"):
        text = (ROOT / name).read_text(encoding="utf-8")

        assert "://" not in text
        for entry in re.split(r"\n(?=\S)", text.strip()):
            assert "==" in entry, entry[:60]
            assert "--hash=sha256:" in entry, entry[:60]


def test_nothing_is_left_unfinished() -> None:
    """No file carries a mark of unfinished work or a muted test."""
    marks = re.compile(
        r"\b(?:TO" + r"DO|FIX" + r"ME|HA" + r"CK)\b|NotImplemented" + r"Error|pytest\.mark\.(?:sk" + r"ip|xf" + r"ail)"
    )
    for path in tracked():
        if path.suffix in {".py", ".ts", ".tsx", ".sql", ".sh"}:
            assert not marks.search(path.read_text(encoding="utf-8")), path
