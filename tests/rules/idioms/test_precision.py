"""What autocast contexts say of themselves, and where they apply."""

from __future__ import annotations

import ast

import pytest

from tests.analysis.facts import file_model
from trainlint.analysis.semantic_model import SemanticModel
from trainlint_rules.compute.idioms.precision import CastTo, autocast_around, regions

IMPORTS = """
from contextlib import nullcontext

import torch
import torch.amp as amp
from torch.cuda.amp import autocast

kind = torch.bfloat16
"""


def inside(context: str, before: str = "pass") -> tuple[SemanticModel, ast.Call]:
    """The model of a loop with a marked call inside `with context`, and that call."""
    code = f"{IMPORTS}\ndef train(model, loader, args, dtype):\n    {before}\n    with {context}:\n        marked()\n"
    model = file_model(code)
    (place,) = model.outline.calls["marked"]
    assert isinstance(place.node, ast.Call)
    return model, place.node


@pytest.mark.parametrize(
    ("context", "said"),
    [
        ("autocast()", ("cuda", CastTo.FLOAT16, True)),
        ("autocast(False)", ("cuda", CastTo.FLOAT16, False)),
        ("autocast(args.amp, torch.bfloat16)", ("cuda", CastTo.BFLOAT16, None)),
        ("torch.autocast('cuda')", ("cuda", CastTo.FLOAT16, True)),
        ("torch.autocast('cuda:1', None)", ("cuda", CastTo.FLOAT16, True)),
        ("torch.autocast('cpu')", ("cpu", CastTo.BFLOAT16, True)),
        ("torch.autocast('cuda', kind)", ("cuda", CastTo.BFLOAT16, True)),
        ("torch.autocast('cuda', dtype)", ("cuda", CastTo.UNKNOWN, True)),
        ("torch.autocast('cuda', torch.half, args.amp)", ("cuda", CastTo.FLOAT16, None)),
        ("torch.autocast(args.device)", (None, CastTo.UNKNOWN, True)),
        ("torch.autocast(**args)", (None, CastTo.UNKNOWN, None)),
        ("amp.autocast('cuda', enabled=False)", ("cuda", CastTo.FLOAT16, False)),
    ],
)
def test_what_a_context_says(context: str, said: tuple[str | None, CastTo, bool | None]) -> None:
    model, call = inside(context)
    found = autocast_around(model, model.outline.calls["marked"][0].block)
    assert found is not None
    assert (found.device, found.dtype, found.enabled) == said
    assert call.lineno - 1 == found.call.lineno
    assert [block.node.lineno for block in regions(model, found.call) if isinstance(block.node, ast.With)] == [
        found.call.lineno
    ]


@pytest.mark.parametrize(
    "before",
    [
        "context = torch.autocast('cuda')",
        "context = nullcontext() if args.plain else torch.autocast('cuda')",
    ],
)
def test_contexts_are_followed_by_name(before: str) -> None:
    model, _ = inside("context", before)
    found = autocast_around(model, model.outline.calls["marked"][0].block)
    assert found is not None
    assert found.dtype is CastTo.FLOAT16


@pytest.mark.parametrize("context", ["nullcontext()", "args.autocast()", "accelerator.autocast()", "open(args.path)"])
def test_other_contexts_say_nothing(context: str) -> None:
    model, _ = inside(context)
    assert autocast_around(model, model.outline.calls["marked"][0].block) is None


def test_a_default_type_that_the_program_sets_is_not_known() -> None:
    model, _ = inside("torch.autocast('cuda')", "torch.set_autocast_dtype('cuda', dtype)")
    found = autocast_around(model, model.outline.calls["marked"][0].block)
    assert found is not None
    assert found.dtype is CastTo.UNKNOWN
