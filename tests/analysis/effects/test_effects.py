"""What functions do when they are called, and what their callers therefore do."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.analysis.facts import file_model
from tests.analysis.project.project import project
from trainlint.analysis.effects.effect import CalledFunction, Effect, EffectKind
from trainlint.analysis.effects.effect_flow import MOST
from trainlint.analysis.semantic_model import SemanticModel

SHARED = """\
import torch.distributed as dist


def shared(number, ranks):
    total = number.clone()
    dist.all_reduce(total)
    return total / ranks
"""


def called(model: SemanticModel, name: str) -> list[CalledFunction]:
    """The functions with effects that the only call of a name runs."""
    [place] = model.outline.calls[name]
    assert isinstance(place.node, ast.Call)
    return list(model.effects.called(place.node))


def effects(model: SemanticModel, name: str) -> list[tuple[EffectKind, str, int]]:
    return [(item.kind, item.of, item.distance) for function in called(model, name) for item in function.effects]


REDUCES = EffectKind.REDUCES


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("return shared(loss, 2)", [(REDUCES, "loss", 1)]),
        ("return shared(number=loss, ranks=2)", [(REDUCES, "loss", 1)]),
        ("for _ in range(3):\n        shared(loss, 2)", [(REDUCES, "loss", 1)]),
        ("return shared(loss.sum(), 2)", []),
        ("loss = loss * 2\n    return shared(loss, 2)", []),
        ("if step % 100 == 0:\n        return shared(loss, 2)", []),
        ("return shared(*loss)", []),
        ("return shared", []),
    ],
)
def test_a_caller_does_what_it_hands_its_parameter_on_to(body: str, found: list[tuple[EffectKind, str, int]]) -> None:
    caller = f"def reported(loss, step):\n    {body}\n"
    in_one_file = file_model(f"{SHARED}\n\n{caller}\nreported(loss, 1)\n")
    assert effects(in_one_file, "reported") == found
    files = {
        "shared.py": SHARED,
        "reports.py": f"from shared import shared\n\n\n{caller}",
        "train.py": "from reports import reported\n\nreported(loss, 1)\n",
    }
    assert effects(project(files).models["train.py"], "reported") == found


def test_the_effect_names_its_line_and_the_argument() -> None:
    files = {"shared.py": SHARED, "train.py": "from shared import shared\n\nshared(ranks=2, number=loss)\n"}
    model = project(files).models["train.py"]
    [function] = called(model, "shared")
    [place] = model.outline.calls["shared"]
    assert isinstance(place.node, ast.Call)
    [(effect, given)] = function.effects_on(place.node, EffectKind.REDUCES)
    assert (effect.where("train.py"), effect.where("shared.py")) == ("shared.py:6", "line 6")
    assert ast.unparse(given) == "loss"
    assert function.effects_on(place.node, EffectKind.GATHERS) == []


def test_of_many_effects_the_nearest_are_kept() -> None:
    names = [f"p{number}" for number in range(12)]
    near = "\n    ".join(f"dist.all_reduce({name})" for name in names[:3])
    far = "\n    ".join(f"shared({name}, 2)" for name in names[3:])
    model = file_model(
        f"{SHARED}\n\ndef many({', '.join(names)}):\n    {far}\n    {near}\n\nmany({', '.join(names)})\n"
    )
    found = effects(model, "many")
    assert len(found) == MOST
    assert found[:3] == [(REDUCES, name, 0) for name in names[:3]]
    assert {distance for _, _, distance in found[3:]} == {1}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=14), st.integers(0, 5))
def test_who_reduces_is_who_reaches_the_reduction(calls: list[tuple[int, int]], reducing: int) -> None:
    bodies = {
        number: [f"f{other}(x)" for caller, other in calls if caller == number] or ["pass"] for number in range(6)
    }
    bodies[reducing] = ["dist.all_reduce(x)", *bodies[reducing]]
    code = "import torch.distributed as dist\n" + "".join(
        f"def f{number}(x):\n    " + "\n    ".join(lines) + "\n" for number, lines in bodies.items()
    )
    model = file_model(code + "".join(f"f{number}(start{number})\n" for number in range(6)))
    distances = {reducing: 0}
    for _ in range(6):
        for caller, other in calls:
            if other in distances:
                distances[caller] = min(distances.get(caller, 99), distances[other] + 1)
    for number in range(6):
        last = [
            place for place in model.outline.calls[f"f{number}"] if ast.unparse(place.node).endswith(f"start{number})")
        ]
        assert isinstance(last[0].node, ast.Call)
        found = [item.distance for each in model.effects.called(last[0].node) for item in each.effects]
        assert found == ([distances[number]] if number in distances else [])


def test_an_argument_is_found_by_position_keyword_and_what_is_left_over() -> None:
    effect = Effect(EffectKind.REDUCES, "m.py", 3, 1, "values")
    rest = Effect(EffectKind.REDUCES, "m.py", 4, 1, "**")
    function = CalledFunction("update", ("step", "values"), (effect, rest))
    call = ast.parse("update(1, a, more=b)", mode="eval").body
    assert isinstance(call, ast.Call)
    assert [(item.line, ast.unparse(given)) for item, given in function.effects_on(call, EffectKind.REDUCES)] == [
        (3, "a"),
        (4, "b"),
    ]
