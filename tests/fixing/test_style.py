"""Fixes write the quotes of the file that they change."""

from __future__ import annotations

from trainlint.finding import Edit, Fix, Safety, apply_edits
from trainlint.fixing.style import in_style_of_file
from trainlint.source import source_from_text


def styled(text: str, *edits: Edit) -> str:
    """The text after a fix of these edits in the style of the file."""
    source = source_from_text("train.py", text)
    return apply_edits(text, in_style_of_file(source, Fix("", edits, Safety.SAFE)).edits)


def adding(text: str, addition: str, before: str = ")") -> str:
    """The text with something put in before the last place where another text stands."""
    place = text.rindex(before)
    return styled(text, Edit(place, place, addition))


def test_strings_get_the_quotes_of_the_file() -> None:
    text = "name = 'a'\nloss = call(x)\n"
    assert adding(text, ', reduction="sum"') == "name = 'a'\nloss = call(x, reduction='sum')\n"
    assert adding(text.replace("'", '"'), ', reduction="sum"').endswith('reduction="sum")\n')


def test_a_string_that_the_file_has_is_moved_as_it_is() -> None:
    text = "names = ['a', 'b']\ncall(\"cpu\")\n"
    place = text.index("call")
    assert styled(text, Edit(place, len(text) - 1, 'other("cpu")')) == "names = ['a', 'b']\nother(\"cpu\")\n"


def test_an_edit_that_begins_within_a_string_changes_no_string() -> None:
    text = "names = ['x', 'y', 'z']\ncall(\"a.\", x)\n"
    start = text.index("a.")
    changed = styled(text, Edit(start, text.index(", x") + 3, 'b.", "c"'))
    assert changed.endswith('call("b.", "c")\n')
