"""What PyTorch has renamed, deprecated or taken away: one table, and which of it counts for a project's versions.

Each row says what the name was, since when it is deprecated, since when it is gone, and what stands for it now. Whether
a row is still true of the installed PyTorch is asked by tests/rules/test_api_claims_api.py, which also walks PyTorch's
own deprecation warnings for names that this table lacks.
"""

from __future__ import annotations

from functools import cache

from trainlint.analysis.tables.versions.deprecated_families import (
    autocast_settings,
    built_with,
    cuda_constructors,
    distributed_nn,
    functorch,
    initialisers,
    removed_linear_algebra,
)
from trainlint.analysis.tables.versions.deprecation import DISTRIBUTED, DOCS, LINALG, Deprecation


def deprecated_as(code: str) -> tuple[Deprecation, ...]:
    """The rows that one rule reports."""
    return tuple(row for row in TABLE if row.code == code)


def prefixes(code: str) -> tuple[str, ...]:
    """Every dotted name that one rule reports, for its triggers."""
    return tuple(name for row in deprecated_as(code) for name in row.names)


def deprecation_of(origin: str | None, code: str) -> tuple[Deprecation, str] | None:
    """The row for a dotted name, or for the thing that it is an attribute of, and the name that the row knows it by."""
    rows, name = _by_name(code), origin or ""
    while name:
        if name in rows:
            return rows[name], name
        name = name.rpartition(".")[0]
    return None


@cache
def _by_name(code: str) -> dict[str, Deprecation]:
    return {name: row for row in deprecated_as(code) for name in row.names}


TABLE: tuple[Deprecation, ...] = (
    # Contexts and memory
    Deprecation(
        "torch.backends.cuda.sdp_kernel",
        "TRN812",
        (2, 3),
        "`torch.nn.attention.sdpa_kernel([...])`, which is told the backends that may run",
        DOCS + "generated/torch.nn.attention.sdpa_kernel.html",
        replaced_in=(2, 3),
    ),
    *(
        Deprecation(
            f"torch.cuda.{old}",
            "TRN812",
            (1, 4),
            f"torch.cuda.{new}",
            DOCS + "torch_cuda_memory.html",
            exact=True,
            replaced_in=(1, 4),
            spellings=(f"torch.cuda.memory.{old}",),
        )
        for old, new in (
            ("memory_cached", "memory_reserved"),
            ("max_memory_cached", "max_memory_reserved"),
            ("reset_max_memory_cached", "reset_peak_memory_stats"),
            ("reset_max_memory_allocated", "reset_peak_memory_stats"),
        )
    ),
    # Linear algebra
    *removed_linear_algebra(),
    Deprecation(
        "torch.ger",
        "TRN804",
        (1, 8),
        "torch.outer",
        DOCS + "generated/torch.ger.html",
        exact=True,
        replaced_in=(1, 7),
        warns=False,
    ),
    Deprecation("torch.qr", "TRN804", (1, 8), "`torch.linalg.qr`", LINALG, replaced_in=(1, 8), removed=(2, 14)),
    Deprecation(
        "torch.cholesky", "TRN804", (1, 8), "`torch.linalg.cholesky`", LINALG, replaced_in=(1, 8), removed=(2, 14)
    ),
    Deprecation("torch.chain_matmul", "TRN804", (1, 9), "`torch.linalg.multi_dot([...])`", LINALG, replaced_in=(1, 9)),
    Deprecation(
        "torch.triangular_solve",
        "TRN804",
        (1, 11),
        "`torch.linalg.solve_triangular(A, B, upper=...)`, its arguments the other way round",
        LINALG,
        replaced_in=(1, 11),
    ),
    Deprecation("torch.lu", "TRN804", (1, 13), "`torch.linalg.lu_factor`", LINALG, replaced_in=(1, 11)),
    Deprecation(
        "torch.lu_solve", "TRN804", (1, 13), "`torch.linalg.lu_solve(LU, pivots, B)`", LINALG, replaced_in=(1, 13)
    ),
    Deprecation(
        "torch.svd",
        "TRN804",
        (1, 8),
        "`torch.linalg.svd(A, full_matrices=False)`, which returns V transposed and conjugated",
        DOCS + "generated/torch.svd.html",
        replaced_in=(1, 8),
        warns=False,
        confidence=0.75,
    ),
    Deprecation(
        "torch.norm",
        "TRN804",
        (1, 9),
        "`torch.linalg.vector_norm` or `torch.linalg.matrix_norm`",
        DOCS + "generated/torch.norm.html",
        replaced_in=(1, 9),
        warns=False,
        called=True,
        confidence=0.6,
    ),
    Deprecation(
        "torch.range",
        "TRN804",
        (0, 4),
        "`torch.arange`, whose end is not part of it and whose type is that of its arguments",
        DOCS + "generated/torch.range.html",
    ),
    # functorch
    *functorch(),
    # Private names that have a public one
    *(
        Deprecation(
            f"torch.utils.data._utils.collate.{name}",
            "TRN809",
            (1, 11),
            f"torch.utils.data.{name}",
            DOCS + "data.html",
            exact=True,
            replaced_in=(1, 11),
            warns=False,
            same_object=True,
        )
        for name in ("default_collate", "default_convert")
    ),
    *(
        Deprecation(
            f"torch.distributed.{old}",
            "TRN812",
            (1, 13),
            f"torch.distributed.{new}",
            DISTRIBUTED,
            exact=True,
            replaced_in=(1, 13),
            spellings=(f"torch.distributed.distributed_c10d.{old}",),
        )
        for old, new in (
            ("_all_gather_base", "all_gather_into_tensor"),
            ("_reduce_scatter_base", "reduce_scatter_tensor"),
        )
    ),
    # Everything else
    *initialisers(),
    Deprecation(
        "torch.nn.utils.clip_grad_norm",
        "TRN812",
        (0, 4),
        "torch.nn.utils.clip_grad_norm_",
        DOCS + "generated/torch.nn.utils.clip_grad_norm_.html",
        exact=True,
        spellings=("torch.nn.utils.clip_grad.clip_grad_norm",),
    ),
    Deprecation(
        "torch.nn.utils.weight_norm",
        "TRN812",
        (2, 1),
        "`torch.nn.utils.parametrizations.weight_norm`, whose parameters have other names",
        DOCS + "generated/torch.nn.utils.weight_norm.html",
        replaced_in=(2, 1),
        spellings=("torch.nn.utils.weight_norm.weight_norm",),
    ),
    Deprecation(
        "torch.nn.utils.stateless.functional_call",
        "TRN812",
        (2, 0),
        "`torch.func.functional_call`",
        DOCS + "generated/torch.func.functional_call.html",
        replaced_in=(2, 0),
    ),
    Deprecation(
        "torch.nn.functional.upsample",
        "TRN812",
        (0, 4),
        "torch.nn.functional.interpolate",
        DOCS + "generated/torch.nn.functional.upsample.html",
        exact=True,
    ),
    Deprecation(
        "torch.nn.functional.upsample_nearest",
        "TRN812",
        (0, 4),
        "torch.nn.functional.interpolate",
        DOCS + "generated/torch.nn.functional.upsample_nearest.html",
        exact=True,
    ),
    Deprecation(
        "torch.nn.functional.upsample_bilinear",
        "TRN812",
        (0, 4),
        '`torch.nn.functional.interpolate(..., mode="bilinear", align_corners=True)`',
        DOCS + "generated/torch.nn.functional.upsample_bilinear.html",
    ),
    Deprecation(
        "torch.nn.UpsamplingNearest2d",
        "TRN812",
        (0, 4),
        "`torch.nn.Upsample`",
        DOCS + "generated/torch.nn.UpsamplingNearest2d.html",
        warns=False,
        called=True,
        confidence=0.75,
    ),
    Deprecation(
        "torch.nn.UpsamplingBilinear2d",
        "TRN812",
        (0, 4),
        '`torch.nn.Upsample(..., mode="bilinear", align_corners=True)`',
        DOCS + "generated/torch.nn.UpsamplingBilinear2d.html",
        warns=False,
        called=True,
        confidence=0.75,
    ),
    *(
        Deprecation(
            f"torch.nn.functional.{name}",
            "TRN812",
            (0, 4),
            f"`torch.{name}`, where it is given a tensor",
            f"{DOCS}generated/torch.nn.functional.{name}.html",
            warns=False,
            confidence=0.6,  # PyTorch 1.x warned of it, 2.x no longer does
        )
        for name in ("sigmoid", "tanh")
    ),
    Deprecation("torch.nn.NLLLoss2d", "TRN812", (0, 4), "`torch.nn.NLLLoss`", DOCS + "generated/torch.nn.NLLLoss.html"),
    Deprecation(
        "torch.nn.parallel.DistributedDataParallelCPU",
        "TRN812",
        (1, 2),
        "`torch.nn.parallel.DistributedDataParallel`",
        DOCS + "generated/torch.nn.parallel.DistributedDataParallel.html",
    ),
    Deprecation("torch.distributed.reduce_op", "TRN812", (1, 0), "torch.distributed.ReduceOp", DISTRIBUTED, exact=True),
    Deprecation(
        "torch.distributed.checkpoint.save_state_dict",
        "TRN812",
        (2, 2),
        "`torch.distributed.checkpoint.save`",
        DOCS + "distributed.checkpoint.html",
        replaced_in=(2, 2),
        spellings=("torch.distributed.checkpoint.state_dict_saver.save_state_dict",),
    ),
    Deprecation(
        "torch.distributed.checkpoint.load_state_dict",
        "TRN812",
        (2, 2),
        "`torch.distributed.checkpoint.load`",
        DOCS + "distributed.checkpoint.html",
        replaced_in=(2, 2),
        spellings=("torch.distributed.checkpoint.state_dict_loader.load_state_dict",),
    ),
    Deprecation(
        "torch.testing.assert_allclose",
        "TRN812",
        (1, 12),
        "`torch.testing.assert_close`, whose tolerances are others",
        DOCS + "testing.html",
        replaced_in=(1, 10),
    ),
    Deprecation(
        "torch.library.impl_abstract",
        "TRN812",
        (2, 4),
        "`torch.library.register_fake`, which takes the name by position only",
        DOCS + "library.html",
        replaced_in=(2, 4),
    ),
    Deprecation(
        "torch.utils._pytree._register_pytree_node",
        "TRN812",
        (2, 2),
        "`torch.utils._pytree.register_pytree_node`",
        "https://github.com/pytorch/pytorch/pull/112111",
        replaced_in=(2, 2),
    ),
    Deprecation(
        "torch.utils.data.backward_compatibility.worker_init_fn",
        "TRN812",
        (1, 12),
        "nothing: `DataLoader` shards by itself",
        DOCS + "data.html",
    ),
    *autocast_settings(),
    *built_with(),
    *cuda_constructors(),
    # Gone
    *(
        Deprecation(
            f"torch._six.{name}",
            "TRN812",
            (2, 0),
            f"math.{name}" if exact else words,
            "https://github.com/pytorch/pytorch/pull/94709",
            exact=exact,
            removed=(2, 0),
            same_object=exact,
        )
        for name, exact, words in (
            ("inf", True, ""),
            ("nan", True, ""),
            ("string_classes", False, "`(str, bytes)`"),
            ("int_classes", False, "`int`"),
            ("container_abcs", False, "`collections.abc`"),
        )
    ),
    *(
        Deprecation(
            f"torch.{name}",
            "TRN812",
            (1, 7),
            words,
            DOCS + "fft.html",
            replaced_in=(1, 7),
            removed=(1, 8),
        )
        for name, words in (
            ("rfft", "`torch.fft.rfft` or `torch.fft.fft`, which return complex tensors"),
            ("irfft", "`torch.fft.irfft` or `torch.fft.ifft`, which take complex tensors"),
            ("ifft", "`torch.fft.ifft`, which takes complex tensors"),
        )
    ),
    # Of torchvision
    Deprecation(
        "torchvision.transforms.v2.ToTensor",
        "TRN812",
        (2, 1),
        "`v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])`",
        "https://docs.pytorch.org/vision/stable/generated/torchvision.transforms.v2.ToTensor.html",
        replaced_in=(2, 1),
    ),
    # Collectives that pass gradients
    *distributed_nn(),
)
"""By what the names are about."""
