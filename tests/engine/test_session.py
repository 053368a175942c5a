"""What a process that stays finds after many edits is what a fresh run finds."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.engine.linked_project import ENGINE, FILES, TRAIN, UTILS, write_project
from trainlint.cache.stamps import FileRecord, Stamp
from trainlint.catalogue import installed_rules
from trainlint.engine.configurations import Configurations
from trainlint.engine.index import executing, link_memory
from trainlint.engine.index.executing import execute_group
from trainlint.engine.index.group_facts import GroupFacts, facts_of_groups
from trainlint.engine.index.summarising import summarise_all
from trainlint.engine.run import jobs_for_texts, run_text
from trainlint.engine.session import Session
from trainlint.finding import Finding
from trainlint.source import SourceFile, source_from_text

if TYPE_CHECKING:
    from trainlint.engine.index.executing import ExecutedGroup, Group
    from trainlint.engine.index.project_files import Member
    from trainlint.engine.index.summary_result import SummaryResult
    from trainlint.interpreter.operations import Executed

VARIANTS = {
    "pkg/utils.py": [
        UTILS,
        f"\n\n{UTILS}",
        UTILS.replace("loss.item()", "step"),
        UTILS.replace("log", "note"),
        "x = (",
    ],
    "pkg/engine.py": [
        ENGINE,
        f"# engine\n{ENGINE}",
        ENGINE.replace("    log(loss, step)\n", ""),
        ENGINE.replace("    log(", "    if step % 10 == 0:\n        log("),
        "",
    ],
    "scripts/train.py": [TRAIN, TRAIN.replace("        run_step(", "    run_step("), "import torch\n"],
}

TRAINS = "    loss = model(batch)\n    loss.backward()\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The linked project, as the working directory."""
    monkeypatch.chdir(write_project(tmp_path / "project"))
    return tmp_path / "project"


def session() -> Session:
    return Session(Configurations(installed_rules()), lambda: None)


def texts(project: Path, **given: str) -> dict[Path, SourceFile]:
    """Open files, by the stems of their names."""
    names = {Path(name).stem: name for name in FILES}
    return {project / names[stem]: source_from_text(names[stem], text) for stem, text in given.items()}


def findings(session: Session, opened: dict[Path, SourceFile], name: str = "pkg/utils.py") -> list[Finding]:
    return list(session.judged(opened).outcomes[Path.cwd() / name].findings)


def test_open_files_are_judged_with_what_the_others_say(project: Path) -> None:
    judging = session()
    [finding] = findings(judging, texts(project, utils=UTILS))
    assert (finding.code, finding.span.start_line) == ("TRN201", 5)
    assert findings(judging, texts(project, utils=UTILS, engine="")) == []
    assert findings(judging, texts(project, utils=UTILS)) == [finding]


@pytest.mark.parametrize("seed", range(3))
def test_after_any_edits_all_is_as_if_judged_for_the_first_time(project: Path, seed: int) -> None:
    chosen = random.Random(seed)
    kept = session()
    opened = {name: chosen.choice(texts) for name, texts in VARIANTS.items()}
    for _ in range(8):
        name = chosen.choice(list(VARIANTS))
        opened[name] = chosen.choice(VARIANTS[name])
        sources = {project / each: source_from_text(each, text) for each, text in opened.items()}
        if chosen.random() < 0.3:
            del sources[project / chosen.choice(list(VARIANTS))]
        if chosen.random() < 0.3:
            place = project / chosen.choice(list(VARIANTS))
            place.write_text(chosen.choice(VARIANTS[place.relative_to(project).as_posix()]))
            kept.look_again()
        assert kept.judged(sources) == session().judged(sources)


def test_a_file_alone_is_judged_as_on_standard_input(project: Path) -> None:
    for text in VARIANTS["pkg/utils.py"]:
        source = source_from_text("pkg/utils.py", text)
        found = session().judged({project / "pkg/utils.py": source})
        report = run_text(source, project / "pkg/utils.py", Configurations(installed_rules())).report
        assert found.outcomes[project / "pkg/utils.py"].findings == report.findings
        assert found.outcomes[project / "pkg/utils.py"].failures == report.failures


def test_a_text_without_a_place_is_executed_alone(project: Path) -> None:
    code = f"device = 1\nimport torch\nfor batch in torch.utils.data.DataLoader([]):\n{TRAINS}    print(loss.item())\n"
    path = project / "<untitled>"
    texts = {path: source_from_text(path.name, code)}
    [job], failures = jobs_for_texts(texts, Configurations(installed_rules()), alone=True)
    assert [operation.position.line for operation in job.operations or ()] == [3, 6]
    assert not failures


def test_at_once_means_with_what_was_linked_last(project: Path) -> None:
    judging = session()
    edited = source_from_text("pkg/utils.py", f"# a comment\n{UTILS}")
    assert judging.judged_at_once(project / "pkg/utils.py", edited) is None
    judging.judged(texts(project, utils=UTILS))
    at_once = judging.judged_at_once(project / "pkg/utils.py", edited)
    assert at_once is not None
    assert at_once == judging.judged({project / "pkg/utils.py": edited}).outcomes[project / "pkg/utils.py"]
    assert at_once.findings[0].span.start_line == 6


def test_files_on_disk_are_read_again_when_asked(project: Path) -> None:
    judging, opened = session(), texts(project, utils=UTILS)
    assert len(findings(judging, opened)) == 1
    (project / "pkg/engine.py").write_text("")
    assert len(findings(judging, opened)) == 1
    judging.look_again()
    assert findings(judging, opened) == []
    (project / "pkg/engine.py").write_text(ENGINE)  # within one tick of the clock, perhaps
    judging.look_again()
    assert len(findings(judging, opened)) == 1


def test_what_is_known_is_neither_summarised_nor_linked_nor_executed_again(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summarised: list[str] = []
    linked: list[int] = []

    def summarise(members: Sequence[Member], *rest: Any) -> list[SummaryResult]:
        summarised.extend(member.shown for member in members)
        return summarise_all(members, *rest)

    def link(members: Sequence[Member], *rest: Any) -> list[tuple[Sequence[Member], GroupFacts]]:
        linked.append(len(members))
        return facts_of_groups(members, *rest)

    executed: list[str] = []

    def execute(group: Group, *rest: Any) -> tuple[ExecutedGroup, Executed]:
        executed.extend(source.path for source in group.sources.values())
        return execute_group(group, *rest)

    monkeypatch.setattr(executing, "execute_group", execute)
    monkeypatch.setattr(link_memory, "summarise_all", summarise)
    monkeypatch.setattr(link_memory, "facts_of_groups", link)
    judging = session()
    judging.judged(texts(project, utils=UTILS))
    assert (sorted(summarised), linked) == (["pkg/engine.py", "pkg/utils.py", "scripts/train.py"], [3])
    judging.judged(texts(project, utils=UTILS))
    assert (len(summarised), len(linked), len(executed)) == (3, 1, 3)
    judging.judged(texts(project, utils=f"import os\n{UTILS}"))
    assert (summarised[3:], len(linked), len(executed)) == (["pkg/utils.py"], 2, 6)
    judging.judged(texts(project, utils=f"#\nimport os\n{UTILS}"))  # which tells the others nothing new
    assert (summarised[4:], len(linked), len(executed)) == (["pkg/utils.py"], 2, 9)


@pytest.mark.parametrize(
    ("seconds", "size", "kept"),
    [(1, 1, False), (3, 2, False), (3, 1, True)],
    ids=["too young to tell", "changed", "the same"],
)
def test_a_file_is_read_again_unless_it_is_surely_the_same(
    project: Path, monkeypatch: pytest.MonkeyPatch, seconds: int, size: int, *, kept: bool
) -> None:
    """A file that changes again within one tick of the clock shows the same times."""

    def seen(size: int) -> FileRecord:
        return FileRecord(Stamp(size, mtime=0, inode=1, ctime=0), read=seconds * 1_000_000_000, digest=b"")

    monkeypatch.setattr(link_memory, "_seen", lambda path: seen(1))
    judging, opened = session(), texts(project, utils=UTILS)
    assert len(findings(judging, opened)) == 1
    (project / "pkg/engine.py").write_text("")
    monkeypatch.setattr(link_memory, "_seen", lambda path: seen(size))
    judging.look_again()
    assert (len(findings(judging, opened)) == 1) is kept


class Gone(BaseException):
    """What ends a computation whose result nobody wants."""


def test_what_was_found_out_before_an_interruption_is_kept(project: Path) -> None:
    calls = 0

    @contextmanager
    def once() -> Iterator[None]:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise Gone
        yield

    judging = Session(Configurations(installed_rules()), lambda: None, once)
    with pytest.raises(Gone):
        judging.judged(texts(project, utils=UTILS))
    assert len(findings(judging, texts(project, utils=UTILS))) == 1
    assert calls == 4  # summarised before; linked and executed now


def test_a_wrong_configuration_fails_its_files_until_it_is_mended(project: Path) -> None:
    judging, opened = session(), texts(project, utils=UTILS)
    assert len(findings(judging, opened)) == 1
    (project / "trainlint.toml").write_text("select = 3\n")
    judging.look_again()
    found = judging.judged(opened)
    assert found.outcomes == {}
    [failure] = found.failures
    assert failure.reason.startswith("trainlint.toml:1: ")
    (project / "trainlint.toml").unlink()
    judging.look_again()
    assert len(findings(judging, opened)) == 1
