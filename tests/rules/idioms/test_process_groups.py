"""What does a call of `init_process_group` start?"""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model
from trainlint.analysis.programs.facts import uses_of
from trainlint.analysis.site import Site
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint_rules.distributed.idioms.process_groups import group_start, started_by_framework

IMPORTS = "import torch\nimport torch.distributed as dist\nfrom torch.distributed import init_process_group\n"
SNIPPETS = {
    'dist.init_process_group("nccl")': ("nccl", True),
    'torch.distributed.init_process_group(backend="NCCL", rank=0, world_size=1)': ("nccl", True),
    'name = "gloo"\ninit_process_group(name)': ("gloo", True),
    "init_process_group(args.backend)": (None, True),
    "dist.init_process_group(**options)": (None, False),
    'deepspeed.init_process_group("nccl")': None,
}


@pytest.mark.parametrize("code", SNIPPETS)
def test_what_is_started(code: str) -> None:
    model = file_model(IMPORTS + code + "\n")
    (place,) = model.outline.calls["init_process_group"]
    start = group_start(model, place)
    assert (start and (start.backend, start.in_sight)) == SNIPPETS[code]


def test_a_framework_on_the_way_owns_it() -> None:
    plain = "def main():\n    dist.init_process_group()\nmain()\n"
    for code, owned in ((plain, False), ("from accelerate import Accelerator\nAccelerator()\n" + plain, True)):
        model = file_model(IMPORTS + code)
        (place,) = model.outline.calls["init_process_group"]
        assert started_by_framework.holds(Site(model, place)) is owned


@pytest.mark.parametrize("code", ["dist.destroy_process_group()", "comm.destroy_process_group(group)"])
def test_the_end_of_a_group_is_a_fact(code: str) -> None:
    assert [use.kind for use in uses_of(file_model(IMPORTS + code + "\n").outline)] == [FactKind.GROUP_DESTROYED]
