"""Which findings a baseline knows: moved and renamed code stays known, and no entry hides what is new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from trainlint.baseline.identity import Identities, Identity
from trainlint.baseline.matching import Entry, match
from trainlint.baseline.statements import digest
from trainlint.finding import Finding, Severity, Span
from trainlint.source import source_from_text

READS = ("total += loss.item()", "log(loss.item())")
OTHERS = ("x = 1", "y = model(x)")

Function = tuple[str, tuple[str, ...]]
"""Its name and its statements."""
Project = dict[str, tuple[Function, ...]]
"""Files by path, each with its functions."""


def _functions(names: Sequence[str]) -> st.SearchStrategy[tuple[Function, ...]]:
    statements = st.lists(st.sampled_from(READS + OTHERS), min_size=1, max_size=4).map(tuple)
    return st.permutations(names).flatmap(
        lambda order: st.lists(statements, max_size=len(order)).map(
            lambda bodies: tuple(zip(order, bodies, strict=False))
        )
    )


PROJECTS = st.fixed_dictionaries({"a.py": _functions(["train", "fit"]), "b.py": _functions(["evaluate", "step"])})


def text_of(functions: Sequence[Function], padding: Sequence[str] = (), *, deeper: bool = False) -> str:
    """The functions as a module, with lines above each, and inside a block where they are to stand deeper."""
    lines: list[str] = []
    for name, statements in functions:
        lines += [*padding, f"def {name}(loss, model):"]
        indent = "    "
        if deeper:
            lines.append("    while model:")
            indent = "        "
        lines += [indent + statement for statement in statements]
    return "\n".join(lines) + "\n"


def entries_of(files: dict[str, str]) -> list[Entry]:
    """An entry for each line of the files that reads a loss, as a run would find them."""
    sources = {path: source_from_text(path, text) for path, text in files.items()}
    identities = Identities(sources.get)
    found = []
    for path, source in sorted(sources.items()):
        for number in range(1, len(source.line_starts) + 1):
            if ".item()" in source.line(number):
                span = Span(number, 1, number, 2)
                finding = Finding("TRN201", "item-in-training-step", path, span, "it waits", Severity.WARNING)
                found.append(Entry(path, identities.of(finding)))
    return found


def texts(project: Project) -> dict[str, str]:
    return {path: text_of(functions) for path, functions in project.items()}


def new_in(files: dict[str, str], baseline: Sequence[Entry]) -> list[Entry]:
    """The findings in the files that a baseline does not know, when all of them are judged."""
    found = entries_of(files)
    matched = match(found, baseline, lambda path: True)
    return [finding for finding, entry in zip(found, matched.entry_of, strict=True) if entry is None]


@given(
    project=PROJECTS,
    padding=st.lists(st.sampled_from(["", "# a comment", "z = 3"]), max_size=3),
    deeper=st.booleans(),
    shuffled=st.booleans(),
)
def test_edits_of_other_lines_and_moved_functions_make_nothing_new(
    project: Project, padding: list[str], deeper: bool, shuffled: bool
) -> None:
    files = {
        path: text_of(functions[::-1] if shuffled else functions, padding, deeper=deeper)
        for path, functions in project.items()
    }
    assert new_in(files, entries_of(texts(project))) == []


@given(project=PROJECTS, renamed=st.sets(st.sampled_from(["a.py", "b.py"])))
def test_renamed_files_make_nothing_new(project: Project, renamed: set[str]) -> None:
    after = {f"new/{path}" if path in renamed else path: functions for path, functions in project.items()}
    assert new_in(texts(after), entries_of(texts(project))) == []


@given(project=PROJECTS)
def test_renamed_functions_make_nothing_new(project: Project) -> None:
    after = {
        path: tuple((f"{name}_v2", statements) for name, statements in functions) for path, functions in project.items()
    }
    assert new_in(texts(after), entries_of(texts(project))) == []


@given(project=PROJECTS, data=st.data())
def test_a_function_that_moves_to_another_file_makes_nothing_new(project: Project, data: st.DataObject) -> None:
    moved = data.draw(st.sets(st.sampled_from(project["a.py"]))) if project["a.py"] else set()
    after = {
        "a.py": tuple(function for function in project["a.py"] if function not in moved),
        "b.py": (*project["b.py"], *sorted(moved)),
    }
    assert new_in(texts(after), entries_of(texts(project))) == []


@given(project=PROJECTS, added=st.lists(st.tuples(st.integers(0, 3), st.sampled_from(READS)), min_size=1, max_size=3))
def test_each_added_finding_is_new_though_it_reads_as_an_old_one(
    project: Project, added: list[tuple[int, str]]
) -> None:
    """Copies of old lines, in the same function or elsewhere: as many are new as were added."""
    names = ["train", "fit", "evaluate", "step"]
    after = {path: dict(functions) for path, functions in project.items()}
    for number, statement in added:
        functions = after["a.py" if number < 2 else "b.py"]
        functions[names[number]] = (*functions.get(names[number], ()), statement)
    files = {path: text_of(tuple(functions.items())) for path, functions in after.items()}
    assert len(new_in(files, entries_of(texts(project)))) == len(added)


def _entries(statements: Sequence[str]) -> st.SearchStrategy[list[Entry]]:
    identities = st.builds(
        Identity,
        st.sampled_from(["TRN201", "TRN202"]),
        st.sampled_from(["", "f", "g"]),
        st.sampled_from(statements),
        st.sampled_from(READS),
    )
    return st.lists(st.builds(Entry, st.sampled_from(["a.py", "b.py", "c.py"]), identities), max_size=8)


FOUND = _entries(("1a", "2b"))
ENTRIES = _entries(("1a", "2b", ""))
"""Those of a baseline, of which some were written without a statement."""


@given(found=FOUND, baseline=ENTRIES, gone=st.sets(st.sampled_from(["a.py", "b.py", "c.py"])))
def test_an_entry_hides_one_finding_of_its_own_rule_and_statement_at_most(
    found: list[Entry], baseline: list[Entry], gone: set[str]
) -> None:
    matched = match(found, baseline, gone.__contains__)
    pairs = [(one, other) for one, other in zip(found, matched.entry_of, strict=True) if other is not None]
    for finding, entry in pairs:
        assert finding.identity.code == entry.identity.code
        if not entry.identity.statement:
            assert (finding.path, finding.identity.line) == (entry.path, entry.identity.line)
            continue
        assert finding.identity.statement == entry.identity.statement
        assert finding.path == entry.path or (
            finding.identity == entry.identity and entry.path in gone and finding not in baseline
        )
    assert Counter(entry for _, entry in pairs) + Counter(matched.left) == Counter(baseline)


@given(entries=ENTRIES, data=st.data())
def test_the_order_of_entries_does_not_matter(entries: list[Entry], data: st.DataObject) -> None:
    found = data.draw(FOUND)
    shuffled = data.draw(st.permutations(entries))
    assert match(found, entries, lambda path: True) == match(found, shuffled, lambda path: True)


def entry(path: str, function: str, line: str = "total += loss.item()") -> Entry:
    return Entry(path, Identity("TRN201", function, digest(line), line))


def test_a_copy_in_another_file_is_new_while_the_old_file_is_not_looked_at() -> None:
    old, copy = entry("a.py", "train"), entry("b.py", "train")
    assert match([copy], [old], lambda path: False).entry_of == (None,)
    assert match([copy], [old], lambda path: True).entry_of == (old,)


def test_a_file_that_had_such_a_finding_before_takes_no_entry_of_another() -> None:
    baseline = [entry("a.py", "train"), entry("b.py", "train")]
    found = [entry("b.py", "train"), entry("b.py", "train")]
    assert match(found, baseline, lambda path: True).entry_of == (baseline[1], None)


def test_the_same_line_in_another_function_of_another_file_is_new() -> None:
    assert match([entry("b.py", "fit")], [entry("a.py", "train")], lambda path: True).entry_of == (None,)


def test_the_function_around_a_line_is_named_in_full() -> None:
    text = (
        "a.item()\n"
        "class Trainer:\n"
        "    b.item()\n"
        "    def step(self):\n"
        "        def inner():\n"
        "            c.item()\n"
        "        d.item()\n"
        "    e.item()\n"
        "f.item()\n"
    )
    functions = [entry.identity.function for entry in entries_of({"a.py": text})]
    assert functions == ["", "Trainer", "Trainer.step.inner", "Trainer.step", "Trainer", ""]


def test_an_entry_without_a_statement_is_known_by_its_line_in_any_function_of_its_file() -> None:
    old = Entry("a.py", Identity("TRN201", "train", "", "total += loss.item()"))
    assert match([entry("a.py", "fit")], [old], lambda path: True).entry_of == (old,)
    assert match([entry("b.py", "train")], [old], lambda path: True).entry_of == (None,)
    assert match([entry("a.py", "train", "log(loss.item())")], [old], lambda path: True).entry_of == (None,)


def test_long_lines_are_told_apart_by_what_is_not_kept() -> None:
    one, other = (f"total += loss.item()  # {'x' * 300}{end}\n" for end in "ab")
    [first], [second] = entries_of({"a.py": one}), entries_of({"a.py": other})
    assert first.identity.line != second.identity.line
    assert len(first.identity.line) < 200
