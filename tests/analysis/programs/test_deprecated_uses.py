"""Which uses of deprecated names are found, and how much they matter for the versions that a project targets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.analysis.facts import file_model
from trainlint.analysis.programs.old_names.deprecated_uses import (
    DeprecatedUse,
    deprecated_use,
    is_switched,
)
from trainlint.analysis.semantic_model import SemanticModel
from trainlint.analysis.tables.versions.deprecations import TABLE, deprecation_of, prefixes
from trainlint.config import Config
from trainlint.config.torch_range import parse_torch_range
from trainlint.finding import Severity


def uses(text: str, code: str = "TRN812", target: str = "") -> list[DeprecatedUse]:
    model = file_model(text)
    config = replace(Config(), target_torch=parse_torch_range(target) if target else None)
    model = SemanticModel(model.source, model.tree, config)
    places = [*model.outline.import_statements, *model.outline.references]
    reported = (place for place in places if not is_switched(place.block))
    return [use for place in reported if (use := deprecated_use(model, place, code)) is not None]


def said(text: str, code: str = "TRN812", target: str = "") -> list[str]:
    return [use.name for use in uses(text, code, target)]


GONE = "from torch._six import inf\nprint(inf)\n"
OLD = "import torch.nn as nn\nnn.init.constant(w, 0)\n"
YOUNG = "import torch.distributed.nn as dnn\ndnn.all_gather(x)\n"


@pytest.mark.parametrize(
    ("text", "code", "target", "severities"),
    [
        (GONE, "TRN812", "", ["error"]),
        (GONE, "TRN812", ">=1.8", ["error"]),
        (GONE, "TRN812", ">=1.8,<2.0", []),
        (OLD, "TRN812", ">=1.8,<2.0", ["warning"]),
        (YOUNG, "TRN812", ">=2.11", ["warning"]),
        (YOUNG, "TRN812", ">=2.4", []),
        (YOUNG, "TRN812", ">=2.11,<2.12", []),
        ("import functorch\nfunctorch.vmap(f)\n", "TRN812", ">=1.13", []),
        ("import functorch\nfunctorch.vmap(f)\n", "TRN812", ">=2.0", ["warning"]),
        ("import torch\ntorch.symeig(a)\n", "TRN804", ">=1.9,<2.0", ["warning"]),
        ("import torch\ntorch.symeig(a)\n", "TRN804", ">=1.8", ["error"]),
        ("import torch\ntorch.qr(a)\n", "TRN804", ">=2.4,<2.14", ["warning"]),
        ("import torch\ntorch.qr(a)\n", "TRN804", ">=2.4,<=2.14", ["error"]),
        ("import torch\ntorch.ger(a, b)\n", "TRN804", "", ["advice"]),
    ],
)
def test_severity_follows_the_targeted_versions(text: str, code: str, target: str, severities: list[str]) -> None:
    found = [use.standing.severity for use in uses(text, code, target)]
    assert found == [Severity[name.upper()] for name in severities]


QR, GER = "import torch\ntorch.qr(a)\n", "import torch\ntorch.ger(a, b)\n"


@pytest.mark.parametrize(
    ("text", "code", "target", "confidence"),
    [
        (YOUNG, "TRN812", "", 0.6),
        (YOUNG, "TRN812", "<2.14", 0.6),
        (YOUNG, "TRN812", ">=2.11", 0.6),
        (YOUNG, "TRN812", ">=2.12", 0.95),
        (GONE, "TRN812", "", 0.6),
        (GONE, "TRN812", ">=1.8", 0.95),
        (QR, "TRN804", ">=1.8,<2.14", 0.95),
        (GER, "TRN804", ">=1.8", 0.6),
    ],
)
def test_an_old_name_is_sure_only_where_the_stated_versions_warn_of_it_or_lack_it(
    text: str, code: str, target: str, confidence: float
) -> None:
    assert [use.standing.confidence for use in uses(text, code, target)] == [confidence]


def test_the_reference_is_the_deprecated_part_of_a_chain() -> None:
    (use,) = uses("import torch.distributed as dist\ndist.all_reduce(x, op=dist.reduce_op.SUM)\n")
    assert use.name == "torch.distributed.reduce_op"
    assert use.reference is not None
    assert use.reference.end_col_offset == len("dist.all_reduce(x, op=dist.reduce_op")


@pytest.mark.parametrize(
    "text",
    [
        "from torch.nn import init\ntry:\n    f = init.normal_\nexcept AttributeError:\n    f = init.normal\n",
        "import torch\nif hasattr(torch, 'inf'):\n    pass\nelse:\n    from torch._six import inf\n",
        "import torch\nok = isinstance(x, torch.cuda.FloatTensor)\n",
        "import torch\ny = x.type(torch.cuda.FloatTensor)\n",
        "from mine import init\ninit.normal(w)\n",
        "try:\n    from torch._six import inf\nexcept ImportError:\n    from math import inf\nprint(inf)\n",
    ],
)
def test_code_with_another_way_is_left_alone(text: str) -> None:
    assert said(text) == []


def test_an_import_that_nothing_uses_is_a_use_itself() -> None:
    assert [use.place.node for use in uses("from torch.nn.utils import weight_norm, clip_grad_norm_\n")]
    assert uses("from torch.nn.utils import weight_norm\n__all__ = ['weight_norm']\n") == []


def test_names_are_found_with_what_is_asked_of_them() -> None:
    found = deprecation_of("torch.distributed.reduce_op.SUM", "TRN812")
    assert found is not None
    assert found[1] == "torch.distributed.reduce_op"
    assert deprecation_of("torch.normal", "TRN804") is None
    assert deprecation_of(None, "TRN804") is None


def test_every_row_belongs_to_a_rule_and_says_where_it_comes_from() -> None:
    assert all(row.source.startswith("https://") and row.replacement for row in TABLE)
    assert {name for row in TABLE for name in row.names} == {
        name for code in {row.code for row in TABLE} for name in prefixes(code)
    }
