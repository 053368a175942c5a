"""What is not needed is not imported: asked of the list of modules, not of a clock."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from trainlint.analysis.semantic_model import SemanticModel
from trainlint.config import Config
from trainlint.engine.places import places_by_rule
from trainlint.packs import load_rules
from trainlint.source import source_from_text

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program, Write

FOREIGN = {
    "asyncio",
    "cattrs",
    "concurrent",
    "libcst",
    "lsprotocol",
    "mcp",
    "multiprocessing",
    "numpy",
    "platformdirs",
    "pydantic",
    "pygls",
    "pygments",
    "rich",
    "torch",
    "yaml",
}
"""What other packages bring, and processes."""
SLOW = {"difflib", "hashlib", "pickle", "shutil", "sqlite3", "subprocess", "tomllib"}
"""Modules of Python's own that take milliseconds each."""
WITHOUT_TRAINING = (
    "analysis",
    "fixing",
    "suppress",
    "rule",
    "packs",
    "engine.judge",
    "engine.index.project_index",
    "engine.pool.tasks",
    "engine.pool.worker_pool",
    "engine.workers",
)
"""trainlint's own packages that a file without a word of training does not need."""
OF_GATE = frozenset(
    {"analysis", "analysis.tables", "analysis.tables.frameworks", "analysis.tables.frameworks.packages"}
)
"""What the gate asks: the table of frameworks."""
OF_GLANCE = frozenset(
    {
        *("analysis.project.modules", "analysis.programs", "analysis.programs.test_files"),
        *("analysis.project", "analysis.project.glance", "analysis.project.neighbours"),
        *("analysis.tables.common_names", "analysis.tables.host_reads", "analysis.tables.frameworks.loaded_weights"),
        *("analysis.tables.file_words", "analysis.tables.file_words.devices", "analysis.tables.file_words.programs"),
        *("analysis.tables.file_words.settings", "analysis.tables.frameworks.process_groups"),
        *("analysis.tables.waits", "analysis.tables.waits.operators"),
    }
)
"""What says which files belong together, and what each is to its project, be it alone."""
OF_OUTLINE = (
    "semantic_model",
    "site",
    "syntax",
    "syntax.blocks",
    "syntax.expressions",
    "syntax.fast_enum",
    "syntax.names",
    "syntax.nested_exits",
    "syntax.outline",
    "syntax.reaching",
    "syntax.walk",
    "types",
    "types.imported_facts",
)
"""What finds the places of a file that rules may want to see."""

PLAIN = "import json\n\nprint(json.dumps({}))\n"
WITHOUT_PLACES = "import torch\n\nprint(torch.__version__)\n"
CLEAN = """\
import torch


def train(model, loader, optimizer):
    for batch in loader:
        optimizer.zero_grad()
        loss = model(batch)
        loss.backward()
        optimizer.step()
"""
RUN = """\
import sys
from trainlint.cli import main
try:
    code = main()
except SystemExit as end:
    code = end.code
print("MODULES", *sys.modules, file=sys.stderr)
sys.exit(code)
"""


@dataclass(frozen=True)
class Imports:
    """The modules that a run imported, each with the module that did it."""

    by: dict[str, str]

    @property
    def ours(self) -> set[str]:
        """trainlint's own."""
        return {name for name in self.by if name.partition(".")[0] == "trainlint"}

    def of(self, names: Iterable[str], *, but: Iterable[str] = ()) -> str:
        """Which of these, or of what is in them, came in, and by whom; empty where none did."""
        wanted = tuple(names)
        found = [name for name in self.by if name in wanted or name.startswith(tuple(f"{each}." for each in wanted))]
        found = [name for name in found if name.removeprefix("trainlint.") not in but]
        return "; ".join(f"{name} was imported by {self.by[name]}" for name in found)


def imports(program: Program, *arguments: str, code: int = 0) -> Imports:
    """What `trainlint` imports with these arguments, when it has run in this environment before."""
    program("rules", "--output-format", "markdown")
    result = program(*arguments, program=("-X", "importtime", "-c", RUN))
    assert result.code == code, result
    modules = next(line for line in result.err.splitlines() if line.startswith("MODULES ")).split()[1:]
    by = dict.fromkeys(modules, "importlib.import_module, or Python itself")
    waiting: list[tuple[int, str]] = []
    # Python tells of a module when it has been imported, so after those that it imports itself, which stand further in.
    for line in result.err.splitlines():
        name = line.rpartition("|")[2]
        if line.startswith("import time:") and "imported package" not in line:
            depth = len(name) - len(name.lstrip())
            by |= {other: name.strip() for deeper, other in waiting if deeper > depth}
            waiting = [(deeper, other) for deeper, other in waiting if deeper <= depth] + [(depth, name.strip())]
    by |= {name: "a function, when it ran" for _, name in waiting}
    return Imports({name: by[name] for name in modules})


def test_the_importer_of_a_module_is_told(program: Program) -> None:
    found = imports(program, "--version")
    assert found.of(["trainlint.project"]) == "trainlint.project was imported by trainlint.import_path"
    assert found.of(["trainlint.cli.arguments"]).endswith("imported by a function, when it ran")


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_version_and_help_import_next_to_nothing(program: Program, argument: str) -> None:
    found = imports(program, argument)
    assert found.of(FOREIGN | SLOW | {"ast", "dataclasses", "inspect", "json", "typing", "pathlib"}) == ""
    wanted = {"trainlint", "trainlint.cli", "trainlint.cli.arguments", "trainlint.cli.console"}
    wanted |= {"trainlint.import_path", "trainlint.project"}
    assert found.of(found.ours - wanted) == ""


@pytest.mark.parametrize("arguments", [["check", "plain.py"], ["check"]], ids=["a file", "its directory"])
def test_a_file_without_training_needs_neither_rules_nor_the_model(
    program: Program, write: Write, arguments: list[str]
) -> None:
    write("plain.py", PLAIN)
    found = imports(program, *arguments)
    assert found.of(FOREIGN | SLOW) == ""
    assert found.of({"trainlint_rules", *(f"trainlint.{room}" for room in WITHOUT_TRAINING)}, but=OF_GATE) == ""
    assert len(found.ours) <= 64, sorted(found.ours)


def test_ignore_rules_need_nothing_slow(program: Program, write: Write) -> None:
    write("plain.py", PLAIN)
    write(".git/HEAD", "")
    write(".gitignore", "*.py[cod]\nbuild/\n*.egg-info\n/docs/**/made\n")
    found = imports(program, "check")
    assert found.of(FOREIGN | SLOW) == ""
    assert "trainlint.gitignore.ignore_file" in found.ours


def test_a_file_with_nothing_to_look_at_needs_its_outline_alone(program: Program, write: Write) -> None:
    write("version.py", WITHOUT_PLACES)
    found = imports(program, "check", "--no-cache", "version.py")
    unwanted = FOREIGN | SLOW | {"trainlint_rules", "trainlint.fixing", "trainlint.analysis.project"}
    assert found.of(unwanted, but=OF_GLANCE) == ""
    model = {name for name in found.ours if name.startswith("trainlint.analysis.")}
    assert found.of(model - {f"trainlint.analysis.{name}" for name in OF_OUTLINE}, but=OF_GATE | OF_GLANCE) == ""


def test_a_clean_file_needs_only_the_rules_that_its_own_words_ask_for(program: Program, write: Write) -> None:
    write("clean.py", CLEAN)
    found = imports(program, "check", "--select", "ALL", "--no-cache", "clean.py")
    # It has no ignore comment, and rules name symptoms without the records of a run.
    assert found.of({"trainlint.evidence", "trainlint.suppress.comments"}) == ""
    # Nobody is beside it to link it with.
    unwanted = FOREIGN | SLOW | {"trainlint.fixing", "trainlint.analysis.project", "trainlint.packs"}
    assert found.of(unwanted, but=OF_GLANCE) == ""
    model = SemanticModel(source_from_text("clean.py", CLEAN), ast.parse(CLEAN), Config())
    rules = [rule for rule in load_rules() if not rule.preview]
    places = places_by_rule([rule() for rule in rules], model)
    asked = {rule.module for rule, seen in zip(rules, places, strict=True) if any(True for _ in seen)}
    of_rules = {rule.module for rule in load_rules()}
    assert found.of(of_rules - asked) == ""
    assert 0 < len(asked) < 30, sorted(asked)
    assert asked - set(found.by) == set()


@pytest.mark.parametrize("output_format", ["full", "concise", "github", "json", "sarif"])
def test_findings_without_evidence_need_nothing_of_it(program: Program, write: Write, output_format: str) -> None:
    write("requirements.txt", "torch>=2.4\n")
    write("old.py", "import torch\n\nscaler = torch.cuda.amp.GradScaler()\n")
    found = imports(program, "check", "--no-cache", "--output-format", output_format, "old.py", code=1)
    assert f"trainlint.report.formats.{output_format}" in found.ours
    assert found.of({"trainlint.evidence"}) == ""


def test_a_run_of_which_all_is_known_needs_neither_rules_nor_the_model(program: Program, write: Write) -> None:
    for number in range(40):
        write(f"clean_{number}.py", CLEAN * 150)
    assert program("check").code == 0
    found = imports(program, "check")
    assert found.of(FOREIGN | {"difflib", "tomllib"}) == ""
    assert found.of({"trainlint_rules", *(f"trainlint.{room}" for room in WITHOUT_TRAINING)}, but=OF_GATE) == ""


def test_a_file_that_is_known_needs_nothing_to_judge_files(program: Program, write: Write) -> None:
    write("clean.py", CLEAN)
    assert program("check", "clean.py").code == 0
    found = imports(program, "check", "clean.py")
    # What was written just now is read again, to be sure, and so hashed.
    assert found.of(FOREIGN | SLOW - {"hashlib", "sqlite3"} | {"signal", "typing"}) == ""
    assert found.of({"trainlint_rules", *(f"trainlint.{room}" for room in WITHOUT_TRAINING)}, but=OF_GATE) == ""
    assert len(found.ours) <= 70, sorted(found.ours)


def test_the_users_cache_directory_is_looked_up_only_for_a_cache(
    program: Program, write: Write, tmp_path: Path
) -> None:
    """The library that knows it imports `shutil` and `typing`, among others."""
    variables = {**program.environment, "TRAINLINT_CACHE_DIR": "", "XDG_CACHE_HOME": str(tmp_path / "user")}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # without bytecode, the catalogue is kept there, too
    program = type(program)(program.directory, variables)
    write("plain.py", PLAIN)
    assert imports(program, "check", "plain.py").of({"platformdirs"}) == ""
    write("clean.py", CLEAN)
    assert "platformdirs" in imports(program, "check", "clean.py").by


@pytest.mark.parametrize("output_format", ["markdown", "text"])
def test_the_list_of_rules_imports_no_rule(program: Program, output_format: str) -> None:
    found = imports(program, "rules", "--output-format", output_format)
    assert found.of({"trainlint_rules", "trainlint.analysis", "trainlint.packs", "libcst"}) == ""
    assert (found.of({"rich"}) == "") is (output_format == "markdown")


def test_the_page_of_a_rule_imports_that_rule_alone(program: Program) -> None:
    found = imports(program, "explain", "TRN201", "--output-format", "markdown")
    of_rules = {rule.module for rule in load_rules()}
    [one] = {rule.module for rule in load_rules() if rule.code == "TRN201"}
    assert one in found.by
    assert found.of(of_rules - {one}) == ""


def test_nothing_slow_hides_behind_a_rule(program: Program) -> None:
    """All rules together need nothing that is imported for fixes or for reports."""
    command = "import sys; from trainlint.packs import load_rules; load_rules(); print(*sys.modules)"
    result = program(program=("-c", command))
    assert FOREIGN & {name.partition(".")[0] for name in result.out.split()} == set(), sys.version
