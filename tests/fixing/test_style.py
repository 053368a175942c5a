"""Fixes look like the file that they change: its quotes, and no line longer than those it has."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainlint.finding import Edit, Fix, Safety, apply_edits
from trainlint.fixing.style import _is_same_program, fits, in_style_of_file
from trainlint.source import source_from_text


def styled(text: str, *edits: Edit) -> str:
    """The text after a fix of these edits in the style of the file."""
    source = source_from_text("train.py", text)
    return apply_edits(text, in_style_of_file(source, Fix("", edits, Safety.SAFE)).edits)


def adding(text: str, addition: str, before: str = ")") -> str:
    """The text with something put in before the last place where another text stands."""
    place = text.rindex(before)
    return styled(text, Edit(place, place, addition))


def test_a_call_that_fits_stays_on_its_line() -> None:
    assert (
        adding("loader = DataLoader(images)\n", ", pin_memory=True") == "loader = DataLoader(images, pin_memory=True)\n"
    )


LOADER = "train_loader = DataLoader(train_dataset, batch_size=arguments.batch_size, shuffle=True)\n"


def test_the_arguments_move_to_a_line_of_their_own() -> None:
    assert adding(LOADER, ", pin_memory=True") == (
        "train_loader = DataLoader(\n"
        "    train_dataset, batch_size=arguments.batch_size, shuffle=True, pin_memory=True\n"
        ")\n"
    )


def test_each_argument_gets_a_line_where_one_is_too_short_for_all() -> None:
    text = f"def build():\n    {LOADER}"
    assert adding(text, ", num_workers=arguments.workers") == (
        "def build():\n"
        "    train_loader = DataLoader(\n"
        "        train_dataset,\n"
        "        batch_size=arguments.batch_size,\n"
        "        shuffle=True,\n"
        "        num_workers=arguments.workers,\n"
        "    )\n"
    )


def test_a_line_of_arguments_is_broken_between_them() -> None:
    text = (
        "train_loader = DataLoader(\n"
        "    train_dataset, batch_size=arguments.batch_size, shuffle=True, pin_memory=True\n"
        ")\n"
    )
    assert adding(text, ", num_workers=2", before="\n)") == (
        "train_loader = DataLoader(\n"
        "    train_dataset,\n"
        "    batch_size=arguments.batch_size,\n"
        "    shuffle=True,\n"
        "    pin_memory=True,\n"
        "    num_workers=2,\n"
        ")\n"
    )


def test_arguments_below_each_other_stay_so() -> None:
    text = (
        "loader = torch.utils.data.DataLoader(dataset, batch_size=options.batch_size,\n"
        "                                     shuffle=True, num_workers=int(options.workers))\n"
    )
    assert adding(text, ", pin_memory=True") == text.replace(
        "workers))", "workers),\n                                     pin_memory=True)"
    )


def test_the_longest_line_of_the_file_is_the_limit() -> None:
    wide = f"names = [{', '.join(['name'] * 20)}]\n"
    assert adding(wide + LOADER, ", pin_memory=True") == wide + LOADER.replace(")", ", pin_memory=True)")


def test_a_comment_makes_no_line_long_and_stays_behind_the_call() -> None:
    remark = f"  # {'long ' * 20}"
    assert adding(f"call(a){remark}\n", ", b=1") == f"call(a, b=1){remark}\n"
    text = LOADER.replace("\n", f"{remark}\n")
    assert adding(text, ", pin_memory=True").endswith(f"pin_memory=True\n){remark}\n")


def test_a_line_with_a_comment_for_a_tool_stays_one_line() -> None:
    text = LOADER.replace("\n", "  # noqa: ABC123\n")
    assert adding(text, ", pin_memory=True") == text.replace(")", ", pin_memory=True)")


def test_a_chain_is_broken_in_its_last_call() -> None:
    text = "index = torch.arange(length).unsqueeze(0).unsqueeze(0).repeat(batch, heads, channels)\n"
    place = text.index(")")
    assert styled(text, Edit(place, place, ", device=values.device")) == (
        "index = torch.arange(length, device=values.device).unsqueeze(0).unsqueeze(0).repeat(\n"
        "    batch, heads, channels\n"
        ")\n"
    )


def test_line_ends_are_those_of_the_file() -> None:
    text = LOADER.replace("\n", "\r\n")
    assert adding(text, ", pin_memory=True").count("\r\n") == 3


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


@given(
    st.lists(st.sampled_from(["images", "x=f(a, b)", "k=[1, 2]", "*rest", "**more", "s='(,'", "g=(1,)", "n=len(a)"])),
    st.sampled_from(["", "    ", "        "]),
    st.integers(30, 90),
)
def test_a_broken_call_is_the_same_program(arguments: list[str], indentation: str, width: int) -> None:
    given_once = sorted(dict.fromkeys(arguments), key=lambda text: ("*" in text or "=" in text, "**" in text))
    call = f"{'n' * width} = call({', '.join(given_once)})"
    text = f"if yes:\n{indentation or ' '}{call}\n"
    place = text.rindex(")")
    edit = Edit(place, place, f"{', ' if given_once else ''}last_of_all_arguments=1")
    try:
        plain = ast.dump(ast.parse(apply_edits(text, [edit])))
    except SyntaxError:
        return
    changed = styled(text, edit)
    assert ast.dump(ast.parse(changed)) == plain


def test_a_tuple_is_broken_between_its_parts() -> None:
    text = "def f():\n    for batch in loader:\n        data, target = data.to(device), target.to(device)\n"
    first, last = text.index("device)") + 6, text.rindex("device)") + 6
    assert styled(text, Edit(first, first, ", non_blocking=True"), Edit(last, last, ", non_blocking=True")) == (
        "def f():\n"
        "    for batch in loader:\n"
        "        data, target = (\n"
        "            data.to(device, non_blocking=True),\n"
        "            target.to(device, non_blocking=True),\n"
        "        )\n"
    )


def test_a_comprehension_is_broken_between_its_parts() -> None:
    text = "gathered = [torch.zeros(longest_batch).to(local_timesteps) for size in batch_sizes if size]\n"
    place = text.index(".to(local_timesteps)")
    edit = Edit(place - 1, place + len(".to(local_timesteps)"), ", device=local_timesteps.device)")
    assert styled(text, edit) == (
        "gathered = [\n"
        "    torch.zeros(longest_batch, device=local_timesteps.device)\n"
        "    for size in batch_sizes\n"
        "    if size\n"
        "]\n"
    )


def test_one_long_line_among_many_is_no_style() -> None:
    text = "x = 1\n" * 200 + f"text = '{'long ' * 40}'\n" + LOADER
    assert adding(text, ", pin_memory=True").endswith(
        "    train_dataset, batch_size=arguments.batch_size, shuffle=True, pin_memory=True\n)\n"
    )


def test_a_line_that_would_be_longer_than_all_of_the_file_does_not_fit() -> None:
    text = f"loss = {'first_part_of_it + ' * 4}last\n"
    place = text.index("last") + 4
    for others, added, fitting in (
        ("", "", True),
        ("", " + more_of_it", False),
        (f"whole = {'x' * 90}\n", " + more_of_it", True),
        (f"whole = {'x' * 90}\n", f" + {'more' * 8}", False),
        (f"whole = {'x' * 150}\n", f" + {'more' * 8}", True),
        (f"whole = {'x' * 150}\n" + "few = 1\n" * 120, " + more_of_it", False),
    ):
        source = source_from_text("train.py", text + others)
        assert fits(source, Fix("", (Edit(place, place, added),), Safety.SAFE)) is fitting


LOOPS = """\
def evaluate(model, loader):
    if ready:
        for x in loader:
            total += 'first'
        else:
            total = 'none'
        total -= 'second'
    return 'total'
"""


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (LOOPS.replace("total -= 'second'", 'total -= "second"'), True),
        (LOOPS.replace("total -= 'second'", "total -= 'others'"), False),
        (LOOPS.replace("        total -= 'second'", "    total -= 'second'"), False),
        (LOOPS.replace("        else:\n            total = 'none'\n", ""), False),
        (
            LOOPS.replace(
                "        else:\n            total = 'none'\n", "        if no:\n            total = 'none'\n"
            ),
            False,
        ),
        (
            LOOPS.replace("            total += 'first'\n        else:", "            total += 'first'\n        if x:"),
            False,
        ),
    ],
)
def test_two_fixes_inside_a_function_make_the_same_program_or_do_not(other: str, same: bool) -> None:
    source = source_from_text("train.py", LOOPS)
    begin = next(at for at, (one, two) in enumerate(zip(LOOPS, other, strict=False)) if one != two)
    end = next(at for at in range(len(LOOPS)) if LOOPS[-1 - at] != other[-1 - at])
    end = min(end, len(LOOPS) - begin, len(other) - begin)
    fix = Fix("", (Edit(begin, len(LOOPS) - end, other[begin : len(other) - end]),), Safety.SAFE)
    none = Fix("", (Edit(begin, len(LOOPS) - end, LOOPS[begin : len(LOOPS) - end]),), Safety.SAFE)
    assert apply_edits(LOOPS, fix.edits) == other
    assert _is_same_program(source, none, fix) is same
