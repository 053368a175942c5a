"""Arguments that PyTorch has renamed, deprecated or taken away: one table, as for names in `deprecations`.

Whether a row is still true of the installed PyTorch is asked by tests/rules/test_api_claims_api.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from trainlint.analysis.tables.loaders import DATALOADER
from trainlint.analysis.tables.optimizers import SCHEDULER_ORIGIN
from trainlint.analysis.tables.parallel import DDP_ORIGINS
from trainlint.analysis.tables.versions.deprecation import DOCS, Version
from trainlint.patterns import lazy


class OldArgument(NamedTuple):
    """One argument of one function, or of a family of them."""

    function: re.Pattern[str]
    """Matches the whole dotted name of what is called."""
    keyword: str
    since: Version
    """The first version that calls it deprecated."""
    advice: str
    """What to write instead, in words."""
    source: str
    removed: Version | None = None
    """The first version that refuses it with a TypeError."""
    renamed: str = ""
    """The new name; empty where there is none."""
    values: Mapping[object, str] = MappingProxyType({})
    """Literal value → what is given to the new name; where empty, the value stays."""
    dropped: bool = False
    """Whether leaving it out changes nothing that is computed."""
    only_value: object = ...
    """The one literal value that is deprecated, where the argument itself is not."""
    young: bool = False
    """Whether the argument counts in versions before `since`, so that leaving it out needs that one."""


_LOSSES = lazy(
    r"torch\.nn\.(\w+Loss|functional\.(\w*_loss|cross_entropy|kl_div|binary_cross_entropy\w*)|modules\.loss\.\w+Loss)"
)
_DDP = lazy("|".join(map(re.escape, DDP_ORIGINS)))
_DATALOADER = lazy("|".join(map(re.escape, DATALOADER)))
_HARDTANH = lazy(r"torch\.nn\.(modules\.activation\.)?Hardtanh")

ARGUMENTS: tuple[OldArgument, ...] = (
    OldArgument(
        SCHEDULER_ORIGIN,
        "verbose",
        (2, 2),
        "leave it out, and print `scheduler.get_last_lr()` where you want to see it",
        DOCS + "optim.html",
        removed=(2, 7),
        dropped=True,
    ),
    OldArgument(
        _LOSSES,
        "size_average",
        (0, 4),
        '`reduction="mean"`, or "sum" for false',
        DOCS + "generated/torch.nn.MSELoss.html",
        renamed="reduction",
        values={True: '"mean"', False: '"sum"'},
    ),
    OldArgument(
        _LOSSES,
        "reduce",
        (0, 4),
        '`reduction="none"` for false, else "mean" or "sum"',
        DOCS + "generated/torch.nn.MSELoss.html",
        renamed="reduction",
        values={True: '"mean"', False: '"none"'},
    ),
    OldArgument(
        _LOSSES,
        "reduction",
        (1, 0),
        '`reduction="mean"`',
        DOCS + "generated/torch.nn.MSELoss.html",
        renamed="reduction",
        values={"elementwise_mean": '"mean"'},
        only_value="elementwise_mean",
    ),
    OldArgument(
        lazy(r"torch\.autograd\.profiler\.profile"),
        "use_cuda",
        (2, 4),
        '`use_device="cuda"`',
        "https://github.com/pytorch/pytorch/blob/main/torch/autograd/profiler.py",
        removed=(2, 14),
        renamed="use_device",
        values={True: '"cuda"', False: "None"},
    ),
    OldArgument(
        lazy(r"torch\.profiler\.profile"),
        "use_cuda",
        (1, 9),
        "`activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]`",
        DOCS + "profiler.html",
        removed=(2, 14),
    ),
    OldArgument(
        _DDP,
        "check_reduction",
        (1, 2),
        "leave it out: it has no effect",
        DOCS + "generated/torch.nn.parallel.DistributedDataParallel.html",
        dropped=True,
        young=True,
    ),
    OldArgument(
        _DATALOADER,
        "pin_memory_device",
        (2, 8),
        "leave it out: the accelerator that is there is used",
        DOCS + "data.html",
        dropped=True,
        young=True,
    ),
    OldArgument(
        _HARDTANH,
        "min_value",
        (0, 4),
        "`min_val=`",
        DOCS + "generated/torch.nn.Hardtanh.html",
        renamed="min_val",
    ),
    OldArgument(
        _HARDTANH,
        "max_value",
        (0, 4),
        "`max_val=`",
        DOCS + "generated/torch.nn.Hardtanh.html",
        renamed="max_val",
    ),
    OldArgument(
        lazy(r"torch\.autograd\.backward"),
        "grad_variables",
        (0, 4),
        "`grad_tensors=`",
        DOCS + "generated/torch.autograd.backward.html",
        renamed="grad_tensors",
    ),
    OldArgument(
        lazy(r"torch\.autograd\.grad"),
        "only_inputs",
        (0, 4),
        "leave it out: it has no effect",
        DOCS + "generated/torch.autograd.grad.html",
        dropped=True,
        only_value=False,
    ),
    OldArgument(
        lazy(r"torch\.(functional\.)?stft"),
        "return_complex",
        (1, 8),
        "`return_complex=True`, and `torch.view_as_real` of the result where its parts are used",
        DOCS + "generated/torch.stft.html",
        only_value=False,
    ),
    OldArgument(
        lazy(r"torch\.nn\.functional\.gumbel_softmax"),
        "eps",
        (1, 2),
        "leave it out: it has no effect",
        DOCS + "generated/torch.nn.functional.gumbel_softmax.html",
        dropped=True,
        young=True,
    ),
)
