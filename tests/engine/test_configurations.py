"""Which settings hold where, looked up once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.toy_rules import RULES
from trainlint.config import ConfigError, Overrides, resolve
from trainlint.engine import configurations
from trainlint.engine.configurations import Configurations, Misconfigured
from trainlint.finding import Severity

FILES = {
    "pyproject.toml": '[project]\nname = "x"\ndependencies = ["torch>=2.2"]\n[tool.trainlint]\nignore = ["TRN202"]\n',
    "plain/deep/er/a.py": "",
    "own/trainlint.toml": 'select = ["TRN201"]\n',
    "own/deep/a.py": "",
    "setup/setup.cfg": "[options]\ninstall_requires = torch>=2.5\n",
    "setup/deep/a.py": "",
    "script/setup.py": 'setup(install_requires=["torch>=2.6"])\n',
    "listed/requirements-gpu.txt": "torch>=2.4\n",
    "listed/deep/a.py": "",
    "folder/requirements/base.txt": "torch>=2.7\n",
    "folder/deep/a.py": "",
    "nested/.git/HEAD": "",
    "nested/deep/a.py": "",
    "other/pyproject.toml": '[project]\nname = "y"\n',
    "other/deep/a.py": "",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A project with every kind of file that can change the settings of a directory."""
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path


def test_what_is_looked_up_once_is_what_every_directory_would_resolve_to(tree: Path) -> None:
    known = Configurations(RULES)
    for directory in (tree, *(path for path in tree.rglob("*") if path.is_dir())):
        assert known.of(directory).config == resolve(directory, Overrides(), RULES), directory


def test_directories_without_settings_of_their_own_cost_nothing(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Path] = []

    def counting(directory: Path, *arguments: object, **options: object) -> object:
        asked.append(directory)
        return resolve(directory, *arguments, **options)  # type: ignore[arg-type]  # handed on as they came

    known = Configurations(RULES)
    monkeypatch.setattr(configurations, "resolve", counting)
    first = known.of(tree / "plain" / "deep" / "er")
    assert known.of(tree / "plain" / "deep") is known.of(tree / "plain") is known.of(tree) is first
    assert asked == [tree]


def test_the_command_line_goes_over_every_file(tree: Path) -> None:
    known = Configurations(RULES, Overrides(select=("TRN301",), fail_on=Severity.ERROR))
    for place in (tree, tree / "own", tree / "plain" / "deep"):
        selection = known.of(place)
        assert [rule.code for rule in selection.rules] == ["TRN301"]
        assert selection.config.fail_on is Severity.ERROR
    assert [rule.code for rule in known.rules_that_ran()] == ["TRN301"]


def test_what_is_wrong_on_the_command_line_is_said_before_any_file_is_read(tree: Path) -> None:
    with pytest.raises(ConfigError, match="--select"):
        Configurations(RULES, Overrides(select=("TRN999",)))
    with pytest.raises(ConfigError, match="no such configuration file"):
        Configurations(RULES, config_file=tree / "nowhere.toml")


def test_a_wrong_file_holds_for_its_directory_and_those_below(tree: Path) -> None:
    (tree / "own" / "trainlint.toml").write_text("selct = 1\n")
    known = Configurations(RULES)
    for place in (tree / "own" / "deep", tree / "own"):
        with pytest.raises(Misconfigured, match='unknown key "selct"') as caught:
            known.of(place)
        assert caught.value.directory == tree / "own"
    assert known.of(tree / "plain").config.ignore == ("TRN202",)
    assert not known.excludes(tree / "own" / "deep" / "a.py")


def test_no_rule_left_is_no_way_to_be_clean(tree: Path) -> None:
    (tree / "own" / "trainlint.toml").write_text("select = []\n")
    with pytest.raises(Misconfigured, match="no rule is left to run"):
        Configurations(RULES).of(tree / "own")


def test_severities_are_given_by_the_most_exact_word(tree: Path) -> None:
    (tree / "own" / "trainlint.toml").write_text('[severity]\nTRN = "error"\nTRN20 = "advice"\nTRN202 = "warning"\n')
    selection = Configurations(RULES).of(tree / "own")
    severities = dict(selection.severities)
    assert (severities["TRN201"], severities["TRN202"]) == (Severity.ADVICE, Severity.WARNING)
    assert severities["TRN301"] is Severity.ERROR
    assert "ACME001" not in severities


def test_per_file_ignores_leave_out_rules_of_a_file(tree: Path) -> None:
    (tree / "own" / "trainlint.toml").write_text('[per-file-ignores]\n"deep/*.py" = ["TRN2"]\n')
    known = Configurations(RULES)
    assert "TRN201" in {rule.code for rule in known.rules_for(tree / "own" / "a.py")}
    assert "TRN201" not in {rule.code for rule in known.rules_for(tree / "own" / "deep" / "a.py")}


def test_isolated_reads_no_file(tree: Path) -> None:
    config = Configurations(RULES, isolated=True).of(tree / "own").config
    assert (config.source, config.select, config.target_torch) == (None, ("ALL",), None)


def test_excludes_speaks_of_the_settings_around_a_path(tree: Path) -> None:
    (tree / "own" / "trainlint.toml").write_text('exclude = ["deep/", "*_old.py"]\n')
    known = Configurations(RULES)
    assert known.excludes(tree / "own" / "deep")
    assert known.excludes(tree / "own" / "x_old.py")
    assert not known.excludes(tree / "own" / "x.py")
    assert not known.excludes(tree / "plain" / "x_old.py")
