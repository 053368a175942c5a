"""What stands around the code: one address, one version, and files that the services which read them accept."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
import yaml

from tests.schemas import faults
from trainlint import __version__
from trainlint.handbook import HOME

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PROJECT = Path(__file__).resolve().parent.parent
METADATA = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RECIPE = (PROJECT / "packaging/conda/recipe.yaml").read_text(encoding="utf-8")
CITATION = yaml.safe_load((PROJECT / "CITATION.cff").read_text(encoding="utf-8"))

SCHEMAS = {
    "CITATION.cff": "vendor.citation-file-format",
    ".github/ISSUE_TEMPLATE/config.yml": "vendor.github-issue-config",
    ".github/ISSUE_TEMPLATE/bug.yml": "vendor.github-issue-forms",
    ".github/ISSUE_TEMPLATE/missed_defect.yml": "vendor.github-issue-forms",
    ".github/ISSUE_TEMPLATE/wrong_finding.yml": "vendor.github-issue-forms",
}


def test_one_address_everywhere() -> None:
    named = [
        *METADATA["urls"].values(),
        CITATION["url"],
        CITATION["repository-code"],
        *re.findall(r"https://github\.com/\S+", RECIPE),
        *re.findall(r"https://github\.com/\S+", (PROJECT / "mkdocs.yml").read_text(encoding="utf-8")),
        *re.findall(r"https://github\.com/\S+", (PROJECT / ".github/ISSUE_TEMPLATE/config.yml").read_text("utf-8")),
    ]
    assert len(named) > 8
    assert [address for address in named if address != HOME and not address.startswith(f"{HOME}/")] == []


def test_one_version_everywhere() -> None:
    assert CITATION["version"] == __version__
    assert f'version: "{__version__}"' in RECIPE


def test_the_recipe_needs_what_the_distribution_needs() -> None:
    always = {re.sub(r"\s*;.*", "", need).replace(">=", " >=") for need in METADATA["dependencies"]}
    recipe = yaml.safe_load(re.sub(r"\$\{\{.*?\}\}", "x", RECIPE))
    assert set(recipe["requirements"]["run"]) - {"python >=3.10"} == always
    assert f"python {METADATA['requires-python']}" in recipe["requirements"]["run"]
    assert recipe["about"]["summary"] == METADATA["description"]
    assert recipe["about"]["license"] == METADATA["license"]


def test_every_template_is_looked_at() -> None:
    templates = {path.relative_to(PROJECT).as_posix() for path in PROJECT.glob(".github/ISSUE_TEMPLATE/*")}
    assert templates <= SCHEMAS.keys()


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_services_accept_their_files(name: str) -> None:
    assert faults(SCHEMAS[name], PROJECT / name) == ""


def test_the_image_runs_as_nobody_in_particular_and_copies_what_the_build_needs() -> None:
    lines = (PROJECT / "packaging/Dockerfile").read_text(encoding="utf-8").splitlines()
    assert any(re.fullmatch(r"USER \d+", line) for line in lines)
    copied = {
        word for line in lines if line.startswith("COPY ") and "--from" not in line for word in line.split()[1:-1]
    }
    assert copied == {"pyproject.toml", "README.md", "LICENSE", "trainlint", "rules", "runtime_probe"}
    let_in = {line[1:] for line in (PROJECT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    assert copied == let_in
