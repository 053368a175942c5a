"""A new key of the configuration is one row of the table: all that speaks of keys is made from the rows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from trainlint.config import Config
from trainlint.config.settings import REMOVED

CHECKOUT = Path(__file__).parents[2]
LAST_ROW = "    file_time_limit: float = key("
NEW_ROW = """\
    steps_per_epoch: Confidence = key(
        Confidence.LIKELY,
        LEVEL,
        "a key that only a test knows",
        example="certain",
        invalidates=Invalidates.FINDINGS,
        option=Option(OF_RULES, "STEPS"),
    )
"""
SETTINGS_TEXT = """
from trainlint.config import Config
from trainlint.engine.cache_keys import settings_text
from trainlint.finding import Confidence
print(settings_text(Config()) != settings_text(Config(steps_per_epoch=Confidence.CERTAIN)))
other = Config(steps_per_epoch=Confidence.CERTAIN)
print(settings_text(Config(), verdicts=False) == settings_text(other, verdicts=False))
"""


class Changed:
    """A copy of trainlint with one more row in its table, and a project in which it runs."""

    def __init__(self, directory: Path) -> None:
        self.package, self.project = directory / "changed", directory / "project"
        ignored = shutil.ignore_patterns("__pycache__")
        for source in ("trainlint", "rules/trainlint_rules"):
            shutil.copytree(CHECKOUT / source, self.package / Path(source).name, ignore=ignored)
        table = self.package / "trainlint/config/settings.py"
        rows = table.read_text(encoding="utf-8")
        assert rows.count(LAST_ROW) == 1
        table.write_text(rows.replace(LAST_ROW, NEW_ROW + LAST_ROW), encoding="utf-8")
        self.project.mkdir()
        (self.project / ".git").mkdir()
        (self.project / "train.py").write_text("import torch\n", encoding="utf-8")

    def configured(self, text: str) -> None:
        (self.project / "trainlint.toml").write_text(text, encoding="utf-8")

    def python(self, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        start = f"import sys; sys.path.insert(0, {str(self.package)!r})\n"
        caches = {"XDG_CACHE_HOME": str(self.package / "caches"), "TRAINLINT_CACHE_DIR": str(self.package / "caches")}
        return subprocess.run(
            [sys.executable, "-c", start + code, *arguments],
            cwd=self.project,
            env={**os.environ, "COLUMNS": "200", **caches},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )

    def check(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.python("import sys\nfrom trainlint.cli import main\nsys.exit(main())", "check", *arguments)


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Changed:
    return Changed(tmp_path_factory.mktemp("row"))


def test_a_new_row_is_read_from_files_and_checked(changed: Changed) -> None:
    changed.configured("steps-per-epoch = 'certain'\n")
    assert changed.check().returncode == 0
    changed.configured("steps-per-epoch = 2\n")
    result = changed.check()
    assert result.returncode == 2
    assert "trainlint.toml:1: `steps-per-epoch` must be " in result.stdout + result.stderr
    changed.configured("step-per-epoch = 1\n")
    assert 'did you mean "steps-per-epoch"?' in changed.check().stdout


def test_a_new_row_is_an_option_of_the_command_line(changed: Changed) -> None:
    changed.configured("")
    [line] = [line for line in changed.check("--help").stdout.splitlines() if "--steps-per-epoch" in line]
    assert line.split() == ["--steps-per-epoch", "STEPS", *"a key that only a test knows".split()]
    wrong = changed.check("--steps-per-epoch", "2")
    assert wrong.returncode == 2
    assert "argument --steps-per-epoch: expected certain, likely, possible or unlikely, not '2'" in wrong.stderr


def test_a_new_row_is_shown_with_where_its_value_comes_from(changed: Changed) -> None:
    changed.configured("")
    assert '\nsteps-per-epoch = "likely"  # default\n' in changed.check("--show-settings").stdout
    changed.configured("\nsteps-per-epoch = 'certain'\n")
    assert '\nsteps-per-epoch = "certain"  # trainlint.toml:2\n' in changed.check("--show-settings").stdout
    typed = changed.check("--show-settings", "--steps-per-epoch", "possible").stdout
    assert '\nsteps-per-epoch = "possible"  # --steps-per-epoch\n' in typed


def test_a_new_row_is_part_of_the_keys_of_the_cache_that_it_names(changed: Changed) -> None:
    assert changed.python(SETTINGS_TEXT).stdout == "True\nTrue\n"


def test_a_new_row_has_a_section_of_the_page_and_a_property_of_the_schema(changed: Changed) -> None:
    made = "import json\nfrom trainlint.config.page import page\nfrom trainlint.config.schema import schema\n"
    page, described = json.loads(changed.python(f"{made}print(json.dumps([page(), schema()]))").stdout)
    section = page.partition("\n## steps-per-epoch\n")[2].partition("\n## ")[0]
    assert "A key that only a test knows." in section
    assert 'steps-per-epoch = "certain"\n' in section
    assert described["properties"]["steps-per-epoch"] == {
        "description": "A key that only a test knows",
        "type": "string",
        "enum": ["certain", "likely", "possible", "unlikely"],
        "default": "likely",
        "examples": ["certain"],
    }


def test_every_field_of_the_configuration_but_three_is_a_key() -> None:
    assert {*Config.__dataclass_fields__} - {key.field for key in Config.keys} == {"root", "source", "notes"}
    assert [getattr(Config(), key.field) for key in Config.keys] == [key.default for key in Config.keys]


def test_no_key_has_a_name_that_was_removed() -> None:
    assert not {key.name for key in Config.keys} & REMOVED.keys()


@pytest.mark.parametrize("key", Config.keys, ids=lambda key: key.name)
def test_help_is_the_beginning_of_a_sentence(key: object) -> None:
    words = getattr(key, "help", "")
    assert words[:1].islower()
    assert not words.endswith(".")
