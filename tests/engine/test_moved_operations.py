"""Operations move with their lines where a text is edited, until its project is executed again."""

from __future__ import annotations

from trainlint.engine.moved_operations import moved, moved_frequencies
from trainlint.finding import Frequencies, Heat, HeatFact, RelatedPlace
from trainlint.interpreter.machine.events import Happening, Link
from trainlint.interpreter.operations import Operation, Position
from trainlint.source import source_from_text

TEXT = """\
for step, batch in enumerate(loader):
    loss = model(batch)
    print(loss.item())
    loss.backward(
        loss.cpu(),
    )
"""
READ = Operation(
    Position(3, 10, 3, 21), Happening.ITEM, "certain", (Link("train.py", 1, "for"), Link("main.py", 1, "calls"))
)
COPY = Operation(Position(5, 8, 5, 18), Happening.COPY_TO_HOST, "certain", alike=(Position(4, 4, 6, 5),))


def after(text: str) -> list[tuple[Happening, Position, list[int]]]:
    found = moved((READ, COPY), source_from_text("train.py", TEXT), source_from_text("train.py", text))
    return [(each.happening, each.position, [link.line for link in each.chain]) for each in found]


def test_operations_below_new_lines_move_down_with_the_chain() -> None:
    assert after(f"import torch\n\x0c\n{TEXT}") == [
        (Happening.ITEM, Position(5, 10, 5, 21), [3, 1]),
        (Happening.COPY_TO_HOST, Position(7, 8, 7, 18), []),
    ]


def test_what_stands_on_a_changed_line_is_gone() -> None:
    assert [happening for happening, _, _ in after(TEXT.replace("loss.item()", "loss"))] == [Happening.COPY_TO_HOST]


def test_a_comment_changes_no_code() -> None:
    commented = TEXT.replace("print(loss.item())", "print(loss.item())  # trainlint: ignore[TRN201]")
    assert after(commented) == after(TEXT) != []


def test_a_copy_beside_the_first_is_gone_if_one_of_its_lines_changed() -> None:
    text = source_from_text("train.py", TEXT.replace("        loss.cpu(),\n    )", "        loss.cpu()\n    )"))
    first = COPY._replace(position=Position(2, 4, 2, 23))
    [copy] = moved((first,), source_from_text("train.py", TEXT), text)
    assert (copy.position, copy.alike) == (first.position, ())


def test_frequencies_move_with_their_lines_and_what_is_changed_runs_as_often_as_what_was_there() -> None:
    facts = HeatFact(Heat.ONCE, 1.0), HeatFact(Heat.STEP, 1.0, ("line 1: for", "main.py:1: calls"))
    calls = (RelatedPlace("main.py", 1, 1, "calls it"),)
    before = Frequencies(facts, {1: 0, 2: 1, 3: 1, 4: 1}, {(3, 10): 0}, {2: calls})
    after_import = moved_frequencies(
        before, source_from_text("train.py", TEXT), source_from_text("train.py", "\n" + TEXT)
    )
    moved_facts = facts[0], HeatFact(Heat.STEP, 1.0, ("line 2: for", "main.py:1: calls"))
    assert after_import == Frequencies(moved_facts, {2: 0, 3: 1, 4: 1, 5: 1}, {(4, 10): 0}, {3: calls})
    changed = source_from_text("train.py", TEXT.replace("print(loss.item())", "print(loss)"))
    assert moved_frequencies(before, source_from_text("train.py", TEXT), changed).at(3) == facts[1]
