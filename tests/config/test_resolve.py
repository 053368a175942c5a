"""Which settings hold for a directory, and what is said of wrong ones."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.toy_rules import RULES
from trainlint.config import Config, ConfigError, Overrides, resolve, rules_for, select, severity_for
from trainlint.config.torch_range import TorchRange
from trainlint.config.written import plain, toml
from trainlint.finding import Confidence, Severity

KEYS = [key.name for key in Config.keys]

EVERYTHING = """\
select = ["TRN2", "slow-acme"]
extend-select = ["TRN302"]
ignore = ["TRN202"]
exclude = ["build/", "*_pb2.py"]
target-torch = ">=2.4,<2.14"
hot = ["train_step", "Trainer.step"]
cold = ["log_images"]
preview = true
min-confidence = "possible"
fail-on = "warning"
file-time-limit = 2.5

[per-file-ignores]
"tests/**" = ["ALL"]
"train.py" = ["TRN201", "slow-acme"]

[severity]
TRN201 = "advice"
TRN2 = "error"
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with an empty repository at its root, so that nothing above it is asked for torch."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def configured(project: Path, text: str, file: str = "trainlint.toml") -> Config:
    (project / file).write_text(text, encoding="utf-8")
    return resolve(project, Overrides(), RULES)


def refusal(project: Path, text: str, file: str = "trainlint.toml") -> str:
    with pytest.raises(ConfigError) as caught:
        configured(project, text, file)
    return str(caught.value)


def codes(config: Config) -> list[str]:
    return [rule.code for rule in select(RULES, config)]


# Where settings come from


def test_every_key_is_read(project: Path) -> None:
    assert configured(project, EVERYTHING) == Config(
        root=str(project),
        source=str(project / "trainlint.toml"),
        select=("TRN2", "slow-acme"),
        extend_select=("TRN302",),
        ignore=("TRN202",),
        per_file_ignores=(("tests/**", ("ALL",)), ("train.py", ("TRN201", "slow-acme"))),
        exclude=("build/", "*_pb2.py"),
        target_torch=TorchRange((2, 4), (2, 14)),
        severity=(("TRN201", Severity.ADVICE), ("TRN202", Severity.ERROR)),
        hot=("train_step", "Trainer.step"),
        cold=("log_images",),
        preview=True,
        min_confidence=Confidence.POSSIBLE,
        fail_on=Severity.WARNING,
        file_time_limit=2.5,
    )


def test_the_same_keys_stand_in_pyproject(project: Path) -> None:
    in_pyproject = "[tool.trainlint]\n" + EVERYTHING.replace("\n[", "\n[tool.trainlint.")
    (project / "both").mkdir()
    for_toml = configured(project / "both", EVERYTHING)
    for_pyproject = configured(project, in_pyproject, "pyproject.toml")
    assert for_toml.severity == for_pyproject.severity
    assert for_toml.per_file_ignores == for_pyproject.per_file_ignores
    assert for_pyproject.root == str(project)


def test_a_configuration_is_hashable_and_travels_to_worker_processes(project: Path) -> None:
    config = configured(project, EVERYTHING)
    assert pickle.loads(pickle.dumps(config)) == config
    assert len({config, Config()}) == 2


def test_without_any_file_the_defaults_hold(project: Path) -> None:
    config = resolve(project, Overrides(), RULES)
    assert config == Config(root=str(project))
    assert (config.min_confidence, config.fail_on, config.preview) == (Confidence.LIKELY, Severity.ADVICE, False)


def test_the_nearest_file_upward_holds_alone(project: Path) -> None:
    configured(project, "preview = true\nmin-confidence = 'certain'\n")
    below = project / "a" / "b"
    below.mkdir(parents=True)
    (project / "a" / "trainlint.toml").write_text("min-confidence = 'possible'\n", encoding="utf-8")

    config = resolve(below, Overrides(), RULES)

    assert (config.min_confidence, config.preview) == (Confidence.POSSIBLE, False)
    assert config.root == str(project / "a")


def test_a_pyproject_of_others_is_passed_by(project: Path) -> None:
    configured(project, "preview = true\n")
    below = project / "package"
    below.mkdir()
    (below / "pyproject.toml").write_text('[project]\nname = "has-trainlint-in-its-name"\n', encoding="utf-8")
    assert resolve(below, Overrides(), RULES).preview


def test_trainlint_toml_wins_over_pyproject_beside_it(project: Path) -> None:
    configured(project, "[tool.trainlint]\npreview = true\n", "pyproject.toml")
    assert not configured(project, "preview = false\n").preview


def test_dots_in_the_directory_lead_to_the_right_parents(project: Path) -> None:
    (project / "a").mkdir()
    (project / "b").mkdir()
    (project / "a" / "trainlint.toml").write_text("preview = true\n", encoding="utf-8")
    assert not resolve(project / "a" / ".." / "b", Overrides(), RULES).preview


def test_a_named_file_is_taken_whatever_lies_nearer(project: Path) -> None:
    configured(project, "preview = true\n")
    named = project / "team.toml"
    named.write_text("min-confidence = 'possible'\n", encoding="utf-8")
    config = resolve(project, Overrides(), RULES, config_file=named)
    assert (config.preview, config.min_confidence, config.source) == (False, Confidence.POSSIBLE, str(named))


def test_a_named_file_that_is_missing_is_an_error(project: Path) -> None:
    with pytest.raises(ConfigError, match=r"^team\.toml: there is no such configuration file"):
        resolve(project, Overrides(), RULES, config_file=project / "team.toml")


def test_a_named_pyproject_without_our_table_is_an_error(project: Path) -> None:
    (project / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"^pyproject\.toml:1: the file has no table \[tool\.trainlint\]"):
        resolve(project, Overrides(), RULES, config_file=project / "pyproject.toml")


def test_isolated_reads_no_file(project: Path) -> None:
    (project / "trainlint.toml").write_text("no TOML at all", encoding="utf-8")
    (project / "requirements.txt").write_text("torch>=2.4\n", encoding="utf-8")
    assert resolve(project, Overrides(), RULES, isolated=True) == Config(root=str(project))


def test_target_torch_comes_from_the_requirements_unless_it_is_set(project: Path) -> None:
    (project / "requirements.txt").write_text("torch>=2.4\n", encoding="utf-8")
    assert resolve(project, Overrides(), RULES).target_torch == TorchRange((2, 4))
    assert configured(project, 'target-torch = "2.7"\n').target_torch == TorchRange((2, 7))


def test_a_changed_file_is_read_anew(project: Path) -> None:
    assert configured(project, "preview = true\n").preview
    assert not configured(project, "preview = false\n").preview


# What is said of wrong settings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('\nselct = ["TRN"]\n', 'trainlint.toml:2: unknown key "selct" in trainlint.toml; did you mean "select"?'),
        (
            "zzz = 1\n",
            f'trainlint.toml:1: unknown key "zzz" in trainlint.toml; known are {", ".join(KEYS)}',
        ),
        (
            "[tool.trainlint]\npreview = true\n",
            'trainlint.toml:1: unknown key "tool" in trainlint.toml; '
            "in trainlint.toml the keys stand at the top, without [tool.trainlint]",
        ),
        (
            'select = [\n  "TRN201",\n  "TRN209",\n]\n',
            'trainlint.toml:1: in `select`, "TRN209" is no rule\'s code or name; did you mean "TRN202"?',
        ),
        (
            'ignore = ["item-in-trainings-step"]\n',
            'trainlint.toml:1: in `ignore`, "item-in-trainings-step" is no rule\'s code or name; '
            'did you mean "item-in-training-step"?',
        ),
        ('select = "TRN"\n', 'trainlint.toml:1: `select` must be a list of texts, not the text "TRN"'),
        ("select = [\n1]\n", "trainlint.toml:1: `select[1]` must be a text that is not empty, not 1"),
        (
            '[per-file-ignores]\n"a/*.py" = ["TRN201"]\n"b/*.py" = ["E501"]\n',
            'trainlint.toml:3: in `per-file-ignores."b/*.py"`, "E501" is no rule\'s code or name',
        ),
        (
            '[per-file-ignores]\n"!a.py" = []\n',
            'trainlint.toml:2: in `per-file-ignores`, the pattern "!a.py" begins with !, and a pattern cannot be taken '
            "back here; write narrower patterns instead",
        ),
        ("exclude = 1\n", "trainlint.toml:1: `exclude` must be a list of texts, not 1"),
        (
            "exclude = ['a\\b']\n",
            'trainlint.toml:1: in `exclude`, the pattern "a\\b" holds a backslash; separate directories with /',
        ),
        (
            'target-torch = "newest"\n',
            'trainlint.toml:1: in `target-torch`, "newest" is no version; write one such as ">=2.4"',
        ),
        (
            'target-torch = "*"\n',
            'trainlint.toml:1: `target-torch` needs a bound, such as ">=2.4"; "*" has none',
        ),
        (
            "target-torch = 2.4\n",
            'trainlint.toml:1: `target-torch` must be a text such as ">=2.4" or ">=2.4,<2.14", not 2.4',
        ),
        (
            'severity.TRN201 = "warnings"\n',
            'trainlint.toml:1: `severity.TRN201` must be "advice", "warning" or "error", not the text "warnings"; '
            'did you mean "warning"?',
        ),
        (
            'severity.TRN20 = "error"\nseverity.TRN4 = "error"\n',
            'trainlint.toml:2: as a key of `severity`, "TRN4" is no rule\'s code or name',
        ),
        (
            "preview = true\n[rules.TRN509]\ndevice-memory = 24\n",
            'trainlint.toml:2: unknown key "rules" in trainlint.toml; rules no longer have options: delete the table '
            "(`device-memory` of TRN509 is now always 80 GB)",
        ),
        (
            'hot = ["a.b", "train step"]\n',
            "trainlint.toml:1: `hot[2]` must be the name of a function, such as train_step or Trainer.step, "
            'not the text "train step"',
        ),
        ("preview = 'yes'\n", 'trainlint.toml:1: `preview` must be true or false, not the text "yes"'),
        (
            "min-confidence = 0.7\n",
            'trainlint.toml:1: `min-confidence` must be "certain", "likely", "possible" or "unlikely", not 0.7',
        ),
        (
            "min-confidence = 'likly'\n",
            'trainlint.toml:1: `min-confidence` must be "certain", "likely", "possible" or "unlikely", '
            'not the text "likly"; did you mean "likely"?',
        ),
        (
            "file-time-limit = 0\n",
            "trainlint.toml:1: `file-time-limit` must be a number of seconds above 0 and up to 86,400, such as 30, "
            "not 0",
        ),
        ("fail-on = 2\n", 'trainlint.toml:1: `fail-on` must be "advice", "warning" or "error", not 2'),
        ("preview = true\npreview = [\n", "trainlint.toml:2: the file is not valid TOML: "),
        ("preview = yes\n", "trainlint.toml:1: the file is not valid TOML: "),
    ],
)
def test_refusal(project: Path, text: str, message: str) -> None:
    assert refusal(project, text).startswith(message)


def test_refusal_in_pyproject(project: Path) -> None:
    text = "[project]\nname = 'x'\n\n[tool.trainlint]\npreviw = true\n"
    expected = 'pyproject.toml:5: unknown key "previw" in [tool.trainlint]; did you mean "preview"?'
    assert refusal(project, text, "pyproject.toml") == expected
    assert refusal(project, "[tool]\ntrainlint = 1\n", "pyproject.toml") == (
        "pyproject.toml:2: `tool.trainlint` must be a table"
    )


def test_a_file_that_is_not_utf_8_is_refused_at_its_line(project: Path) -> None:
    (project / "trainlint.toml").write_bytes(b"preview = true\n# caf\xe9\n")
    with pytest.raises(ConfigError, match=r"^trainlint\.toml:2: the file is not UTF-8"):
        resolve(project, Overrides(), RULES)


def test_a_file_that_cannot_be_read_is_refused(project: Path) -> None:
    (project / "trainlint.toml").symlink_to("trainlint.toml")
    with pytest.raises(ConfigError, match=r"^trainlint\.toml:1: the file cannot be read .*; make it readable, or run"):
        resolve(project, Overrides(), RULES)


def test_a_directory_with_the_name_of_a_file_is_passed_by(project: Path) -> None:
    (project / "pyproject.toml").mkdir()
    assert resolve(project, Overrides(), RULES) == Config(root=str(project))


# The command line over the file


@pytest.mark.parametrize(
    ("text", "overrides", "expected"),
    [
        ('select = ["TRN3"]', Overrides(select=("TRN201",)), ["TRN201"]),
        ('select = ["TRN301"]', Overrides(extend_select=("TRN201",)), ["TRN201", "TRN301"]),
        ('select = ["TRN201", "TRN301"]', Overrides(ignore=("TRN2",)), ["TRN301"]),
        ('select = ["TRN2"]\nextend-select = ["TRN201"]', Overrides(ignore=("TRN201",)), ["TRN202"]),
        ('ignore = ["TRN201"]', Overrides(select=("item-in-training-step",)), ["TRN201"]),
        ('select = ["TRN2"]\nignore = ["TRN201"]', Overrides(ignore=("TRN202",)), []),
        ('extend-select = ["TRN302"]', Overrides(extend_select=("TRN201",), select=("TRN301",)), ["TRN201", "TRN301"]),
        ('ignore = ["TRN201"]', Overrides(select=("TRN2",)), ["TRN202"]),
        ('ignore = ["TRN2"]', Overrides(select=("TRN2",)), ["TRN201", "TRN202"]),
        ('select = ["TRN3"]', Overrides(preview=True), ["TRN301", "TRN302"]),
        ("preview = true", Overrides(select=("TRN3",), preview=False), ["TRN301"]),
        ("", Overrides(select=("TRN3",), ignore=("TRN301",), extend_select=("TRN201",)), ["TRN201"]),
        ("", Overrides(ignore=("ALL",)), []),
    ],
)
def test_command_line(project: Path, text: str, overrides: Overrides, expected: list[str]) -> None:
    (project / "trainlint.toml").write_text(text, encoding="utf-8")
    assert codes(resolve(project, overrides, RULES)) == expected


def test_numbers_of_the_command_line_hold(project: Path) -> None:
    (project / "trainlint.toml").write_text("min-confidence = 'certain'\nfail-on = 'error'\n", encoding="utf-8")
    config = resolve(project, Overrides(min_confidence=Confidence.UNLIKELY, fail_on=Severity.WARNING), RULES)
    assert (config.min_confidence, config.fail_on) == (Confidence.UNLIKELY, Severity.WARNING)


def test_an_unknown_code_on_the_command_line_names_its_option(project: Path) -> None:
    with pytest.raises(ConfigError, match=r'^--extend-select: "TRN21" is no rule'):
        resolve(project, Overrides(extend_select=("TRN21",)), RULES)


# Which rules run


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (Config(), ["ACME001", "TRN001", "TRN002", "TRN003", "TRN201", "TRN202", "TRN301"]),
        (Config(select=("TRN2", "TRN3"), preview=True), ["TRN201", "TRN202", "TRN301", "TRN302"]),
        (Config(select=("TRN3",)), ["TRN301"]),
        (Config(select=("TRN302",)), ["TRN302"]),
        (Config(select=("collect-in-training-step",)), ["TRN302"]),
        (Config(select=("trn2",), ignore=("HOST-copy-in-training-step",)), ["TRN201"]),
        (Config(select=("TRN201", "TRN3"), ignore=("TRN",)), ["TRN201", "TRN301"]),
        (Config(select=("TRN2",), ignore=("TRN2",), extend_select=("TRN201",)), ["TRN201"]),
        (Config(select=("TRN201",), ignore=("TRN201",)), []),
        (Config(select=()), []),
    ],
)
def test_selection(config: Config, expected: list[str]) -> None:
    assert codes(config) == expected


@pytest.mark.parametrize("word", ["T", "TR", "TRN2011", "TRN9", "", "all-of-them", "TRNX"])
def test_a_word_that_stands_for_nothing_is_an_error(word: str) -> None:
    with pytest.raises(ConfigError, match=f'^select: "{word}" is no rule'):
        select(RULES, Config(select=(word,)))


def test_severities_go_by_the_most_exact_word(project: Path) -> None:
    config = configured(project, EVERYTHING)
    given = {rule.code: severity_for(rule, config) for rule in RULES}
    assert given["TRN201"] is Severity.ADVICE
    assert given["TRN202"] is Severity.ERROR
    assert given["TRN301"] is None


def test_rules_of_one_file(project: Path) -> None:
    config = configured(project, EVERYTHING)
    rules = select(RULES, config)
    assert [rule.code for rule in rules_for(project / "src" / "other.py", rules, config)] == [
        "ACME001",
        "TRN201",
        "TRN302",
    ]
    assert [rule.code for rule in rules_for("src/train.py", rules, config)] == ["TRN302"]
    assert rules_for(project / "tests" / "deep" / "train.py", rules, config) == ()
    assert config.ignored_codes_for("tests/train.py") == ("ALL", "TRN201", "slow-acme")


def test_excluded(project: Path) -> None:
    config = configured(project, EVERYTHING)
    assert config.is_excluded("src/build/a.py")
    assert config.is_excluded(project / "src" / "build", is_directory=True)
    assert config.is_excluded(Path("x_pb2.py"))
    assert not config.is_excluded("src/train.py")


# Properties


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("scratch")
    (directory / ".git").mkdir()
    return directory


sharing_a_directory = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
_keys = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=12).filter(lambda key: key not in KEYS)


@sharing_a_directory
@given(key=_keys, lines_above=st.integers(0, 3), known=st.sampled_from(["preview = true", "exclude = []"]))
def test_any_unknown_key_is_an_error_that_names_it_and_its_line(
    scratch: Path, key: str, lines_above: int, known: str
) -> None:
    above = "# comment\n" * lines_above + known + "\n"
    message = refusal(scratch, f"{above}{json.dumps(key, ensure_ascii=False)} = 1\n")
    assert f'unknown key "{key}" in ' in message
    if key.isidentifier():  # of others, the line may be that of an equal text above
        assert f":{lines_above + 2}: " in message


_words = st.sampled_from(["ALL", "TRN", "TRN2", "TRN201", "trn3", "slow-acme", "ACME001"])
_selectors = st.lists(_words, max_size=3).map(tuple)
_globs = st.text(alphabet='abü\U0001f600\x7f\n"#*?/-. ', min_size=1, max_size=6).filter(lambda glob: glob.strip("/ "))
_configs = st.builds(
    Config,
    select=_selectors,
    extend_select=_selectors,
    ignore=_selectors,
    per_file_ignores=st.dictionaries(_globs, _selectors, max_size=3).map(lambda table: tuple(table.items())),
    exclude=st.lists(_globs, max_size=3).map(tuple),
    target_torch=st.builds(TorchRange, st.tuples(st.integers(1, 3), st.integers(0, 20))),
    severity=st.dictionaries(st.sampled_from(["TRN201", "TRN202"]), st.sampled_from(Severity)).map(
        lambda table: tuple(sorted(table.items()))
    ),
    hot=st.lists(st.sampled_from(["step", "Trainer.step", "größe"]), max_size=2).map(tuple),
    cold=st.lists(st.sampled_from(["log"]), max_size=1).map(tuple),
    preview=st.booleans(),
    min_confidence=st.sampled_from(Confidence),
    fail_on=st.sampled_from(Severity),
    file_time_limit=st.floats(0.001, 86_400),
)


def rendered(config: Config) -> str:
    """The configuration as the lines of a file."""
    values = {key.name: plain(key, getattr(config, key.field)) for key in Config.keys}
    return "".join(f"{name} = {toml(value)}\n" for name, value in values.items() if value is not None)


@sharing_a_directory
@given(config=_configs)
def test_a_rendered_configuration_reads_back_as_it_was(scratch: Path, config: Config) -> None:
    found = configured(scratch, rendered(config))
    assert found == Config(
        **{name: getattr(config, name) for name in Config.__dataclass_fields__ if name not in ("root", "source")},
        root=str(scratch),
        source=str(scratch / "trainlint.toml"),
    )


def test_a_project_without_configuration_costs_no_parser(project: Path) -> None:
    (project / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from trainlint.config import Overrides, resolve\n"
        "print(resolve(Path('.'), Overrides(), ()).source)\n"
        "print(sorted({'tomllib', 'tomli', 'difflib', 'configparser'} & set(sys.modules)))"
    )
    checkout = Path(__file__).parents[2]
    result = subprocess.run(
        [sys.executable, "-S", "-c", program],
        cwd=project,
        env={"PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.splitlines() == ["None", "[]"]
