"""What PyTorch has renamed, deprecated or taken away: one table, and which of it counts for a project's versions.

Each row says what the name was, since when it is deprecated, since when it is gone, and what stands for it now. Whether
a row is still true of the installed PyTorch is asked by tests/rules/test_api_claims_api.py, which also walks PyTorch's
own deprecation warnings for names that this table lacks.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

Version = tuple[int, int]

_DOCS = "https://docs.pytorch.org/docs/stable/"
_LINALG = _DOCS + "linalg.html"
_INIT = _DOCS + "nn.init.html"
_FUNC = _DOCS + "func.migrating.html"
_DISTRIBUTED = _DOCS + "distributed.html"


class Deprecation(NamedTuple):
    """One old name."""

    symbol: str
    """Dotted, as the documentation writes it."""
    code: str
    """The rule that reports it."""
    since: Version
    """The first version that calls it deprecated, in a warning or in its documentation."""
    replacement: str
    """A dotted name where `exact`; else what to write, in words."""
    source: str
    """Where PyTorch says so."""
    exact: bool = False
    """Whether the replacement takes the same arguments and gives the same result, bit for bit."""
    replaced_in: Version = (1, 0)
    """The first version that has the replacement."""
    removed: Version | None = None
    """The first version in which the name is missing, or raises whenever it is used."""
    spellings: tuple[str, ...] = ()
    """Other dotted names of the same thing."""
    warns: bool = True
    """Whether PyTorch itself says so when the name is used; else only its documentation does."""
    called: bool = False
    """Whether only a call is deprecated: as a type, or to test for, the name is fine."""
    confidence: float = 0.95
    same_object: bool = False
    """Whether both names mean one and the same object, so that it may be compared and pickled under either."""

    @property
    def private(self) -> bool:
        """Whether it is no old name, but one that may move without a warning."""
        return self.code == "TRN809"

    @property
    def names(self) -> tuple[str, ...]:
        """All dotted names of it."""
        return (self.symbol, *self.spellings)


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


def _initialisers() -> list[Deprecation]:
    names = "uniform normal constant eye dirac xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal"
    return [
        Deprecation(f"torch.nn.init.{name}", "TRN812", (0, 4), f"torch.nn.init.{name}_", _INIT, exact=True)
        for name in names.split()
    ]


def _functorch() -> list[Deprecation]:
    names = "vmap grad grad_and_value vjp jvp jacrev jacfwd hessian functionalize"
    rows = [
        Deprecation(f"functorch.{name}", "TRN812", (2, 0), f"`torch.func.{name}`", _FUNC, replaced_in=(2, 0))
        for name in names.split()
    ]
    for name, words in (
        ("make_functional", "`torch.func.functional_call(model, parameters, inputs)`"),
        ("make_functional_with_buffers", "`torch.func.functional_call(model, (parameters, buffers), inputs)`"),
        ("combine_state_for_ensemble", "`torch.func.stack_module_state(models)`"),
    ):
        rows.append(Deprecation(f"functorch.{name}", "TRN812", (2, 0), words, _FUNC, replaced_in=(2, 0)))
    return rows


def _removed_linear_algebra() -> list[Deprecation]:
    rows = (
        ("solve", (1, 13), "`torch.linalg.solve(A, B)`, its arguments the other way round"),
        ("lstsq", (1, 13), "`torch.linalg.lstsq(A, B).solution`, its arguments the other way round"),
        ("eig", (1, 13), "`torch.linalg.eig`, which returns complex tensors"),
        ("matrix_rank", (1, 13), "`torch.linalg.matrix_rank`"),
        ("symeig", (2, 0), '`torch.linalg.eigh(A, UPLO="U")`, or `eigvalsh` for the values alone'),
    )
    return [
        Deprecation(
            f"torch.{name}",
            "TRN804",
            (1, 9),
            words,
            _LINALG,
            replaced_in=(1, 9),
            removed=removed,
            spellings=(f"torch._linalg_utils.{name}",),
        )
        for name, removed, words in rows
    ]


def _cuda_constructors() -> list[Deprecation]:
    dtypes = {
        "Float": "float32",
        "Double": "float64",
        "Half": "float16",
        "BFloat16": "bfloat16",
        "Long": "int64",
        "Int": "int32",
        "Short": "int16",
        "Char": "int8",
        "Byte": "uint8",
        "Bool": "bool",
    }
    return [
        Deprecation(
            f"torch.cuda.{name}Tensor",
            "TRN812",
            (2, 1),
            f'`torch.tensor(data, dtype=torch.{dtype}, device="cuda")`, or `torch.empty(size, ...)` for a size',
            "https://github.com/pytorch/pytorch/blob/main/torch/csrc/tensor/python_tensor.cpp",
            called=True,
            confidence=0.9,
        )
        for name, dtype in dtypes.items()
    ]


def _autocast_settings() -> list[Deprecation]:
    source = _DOCS + "amp.html"
    rows = (
        ("get_autocast_gpu_dtype", '`torch.get_autocast_dtype("cuda")`'),
        ("set_autocast_gpu_dtype", '`torch.set_autocast_dtype("cuda", dtype)`'),
        ("get_autocast_cpu_dtype", '`torch.get_autocast_dtype("cpu")`'),
        ("set_autocast_cpu_dtype", '`torch.set_autocast_dtype("cpu", dtype)`'),
        ("is_autocast_cpu_enabled", '`torch.is_autocast_enabled("cpu")`'),
        ("set_autocast_cpu_enabled", '`torch.set_autocast_enabled("cpu", enabled)`'),
    )
    # Python hides what PyTorch says of these, a DeprecationWarning, but in the program's own main module.
    return [
        Deprecation(f"torch.{name}", "TRN812", (2, 4), words, source, replaced_in=(2, 4), confidence=0.6)
        for name, words in rows
    ]


def _distributed_nn() -> list[Deprecation]:
    rows = {
        "all_gather": "all_gather_single",
        "all_reduce": "all_reduce",
        "all_to_all_single": "all_to_all_single",
        "broadcast": "broadcast",
        "reduce_scatter": "reduce_scatter_single",
    }
    return [
        Deprecation(
            f"torch.distributed.nn.{name}",
            "TRN812",
            (2, 12),
            f"`torch.distributed._functional_collectives.{words}`",
            _DISTRIBUTED,
            replaced_in=(2, 11),
            spellings=(f"torch.distributed.nn.functional.{name}",),
        )
        for name, words in rows.items()
    ]


def _built_with() -> list[Deprecation]:
    rows = (
        ("has_cuda", "torch.backends.cuda.is_built()"),
        ("has_cudnn", "torch.backends.cudnn.is_available()"),
        ("has_mps", "torch.backends.mps.is_built()"),
        ("has_mkldnn", "torch.backends.mkldnn.is_available()"),
    )
    source = _DOCS + "backends.html"
    return [Deprecation(f"torch.{name}", "TRN812", (2, 1), f"`{words}`", source) for name, words in rows]


TABLE: tuple[Deprecation, ...] = (
    # Contexts and memory
    Deprecation(
        "torch.backends.cuda.sdp_kernel",
        "TRN812",
        (2, 3),
        "`torch.nn.attention.sdpa_kernel([...])`, which is told the backends that may run",
        _DOCS + "generated/torch.nn.attention.sdpa_kernel.html",
        replaced_in=(2, 3),
    ),
    *(
        Deprecation(
            f"torch.cuda.{old}",
            "TRN812",
            (1, 4),
            f"torch.cuda.{new}",
            _DOCS + "torch_cuda_memory.html",
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
    *_removed_linear_algebra(),
    Deprecation(
        "torch.ger",
        "TRN804",
        (1, 8),
        "torch.outer",
        _DOCS + "generated/torch.ger.html",
        exact=True,
        replaced_in=(1, 7),
        warns=False,
    ),
    Deprecation("torch.qr", "TRN804", (1, 8), "`torch.linalg.qr`", _LINALG, replaced_in=(1, 8), removed=(2, 14)),
    Deprecation(
        "torch.cholesky", "TRN804", (1, 8), "`torch.linalg.cholesky`", _LINALG, replaced_in=(1, 8), removed=(2, 14)
    ),
    Deprecation("torch.chain_matmul", "TRN804", (1, 9), "`torch.linalg.multi_dot([...])`", _LINALG, replaced_in=(1, 9)),
    Deprecation(
        "torch.triangular_solve",
        "TRN804",
        (1, 11),
        "`torch.linalg.solve_triangular(A, B, upper=...)`, its arguments the other way round",
        _LINALG,
        replaced_in=(1, 11),
    ),
    Deprecation("torch.lu", "TRN804", (1, 13), "`torch.linalg.lu_factor`", _LINALG, replaced_in=(1, 11)),
    Deprecation(
        "torch.lu_solve", "TRN804", (1, 13), "`torch.linalg.lu_solve(LU, pivots, B)`", _LINALG, replaced_in=(1, 13)
    ),
    Deprecation(
        "torch.svd",
        "TRN804",
        (1, 8),
        "`torch.linalg.svd(A, full_matrices=False)`, which returns V transposed and conjugated",
        _DOCS + "generated/torch.svd.html",
        replaced_in=(1, 8),
        warns=False,
        confidence=0.75,
    ),
    Deprecation(
        "torch.norm",
        "TRN804",
        (1, 9),
        "`torch.linalg.vector_norm` or `torch.linalg.matrix_norm`",
        _DOCS + "generated/torch.norm.html",
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
        _DOCS + "generated/torch.range.html",
    ),
    # functorch
    *_functorch(),
    # Private names that have a public one
    *(
        Deprecation(
            f"torch.utils.data._utils.collate.{name}",
            "TRN809",
            (1, 11),
            f"torch.utils.data.{name}",
            _DOCS + "data.html",
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
            _DISTRIBUTED,
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
    *_initialisers(),
    Deprecation(
        "torch.nn.utils.clip_grad_norm",
        "TRN812",
        (0, 4),
        "torch.nn.utils.clip_grad_norm_",
        _DOCS + "generated/torch.nn.utils.clip_grad_norm_.html",
        exact=True,
        spellings=("torch.nn.utils.clip_grad.clip_grad_norm",),
    ),
    Deprecation(
        "torch.nn.utils.weight_norm",
        "TRN812",
        (2, 1),
        "`torch.nn.utils.parametrizations.weight_norm`, whose parameters have other names",
        _DOCS + "generated/torch.nn.utils.weight_norm.html",
        replaced_in=(2, 1),
        spellings=("torch.nn.utils.weight_norm.weight_norm",),
    ),
    Deprecation(
        "torch.nn.utils.stateless.functional_call",
        "TRN812",
        (2, 0),
        "`torch.func.functional_call`",
        _DOCS + "generated/torch.func.functional_call.html",
        replaced_in=(2, 0),
    ),
    Deprecation(
        "torch.nn.functional.upsample",
        "TRN812",
        (0, 4),
        "torch.nn.functional.interpolate",
        _DOCS + "generated/torch.nn.functional.upsample.html",
        exact=True,
    ),
    Deprecation(
        "torch.nn.functional.upsample_nearest",
        "TRN812",
        (0, 4),
        "torch.nn.functional.interpolate",
        _DOCS + "generated/torch.nn.functional.upsample_nearest.html",
        exact=True,
    ),
    Deprecation(
        "torch.nn.functional.upsample_bilinear",
        "TRN812",
        (0, 4),
        '`torch.nn.functional.interpolate(..., mode="bilinear", align_corners=True)`',
        _DOCS + "generated/torch.nn.functional.upsample_bilinear.html",
    ),
    Deprecation(
        "torch.nn.UpsamplingNearest2d",
        "TRN812",
        (0, 4),
        "`torch.nn.Upsample`",
        _DOCS + "generated/torch.nn.UpsamplingNearest2d.html",
        warns=False,
        called=True,
        confidence=0.75,
    ),
    Deprecation(
        "torch.nn.UpsamplingBilinear2d",
        "TRN812",
        (0, 4),
        '`torch.nn.Upsample(..., mode="bilinear", align_corners=True)`',
        _DOCS + "generated/torch.nn.UpsamplingBilinear2d.html",
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
            f"{_DOCS}generated/torch.nn.functional.{name}.html",
            warns=False,
            confidence=0.6,  # PyTorch 1.x warned of it, 2.x no longer does
        )
        for name in ("sigmoid", "tanh")
    ),
    Deprecation(
        "torch.nn.NLLLoss2d", "TRN812", (0, 4), "`torch.nn.NLLLoss`", _DOCS + "generated/torch.nn.NLLLoss.html"
    ),
    Deprecation(
        "torch.nn.parallel.DistributedDataParallelCPU",
        "TRN812",
        (1, 2),
        "`torch.nn.parallel.DistributedDataParallel`",
        _DOCS + "generated/torch.nn.parallel.DistributedDataParallel.html",
    ),
    Deprecation(
        "torch.distributed.reduce_op", "TRN812", (1, 0), "torch.distributed.ReduceOp", _DISTRIBUTED, exact=True
    ),
    Deprecation(
        "torch.distributed.checkpoint.save_state_dict",
        "TRN812",
        (2, 2),
        "`torch.distributed.checkpoint.save`",
        _DOCS + "distributed.checkpoint.html",
        replaced_in=(2, 2),
        spellings=("torch.distributed.checkpoint.state_dict_saver.save_state_dict",),
    ),
    Deprecation(
        "torch.distributed.checkpoint.load_state_dict",
        "TRN812",
        (2, 2),
        "`torch.distributed.checkpoint.load`",
        _DOCS + "distributed.checkpoint.html",
        replaced_in=(2, 2),
        spellings=("torch.distributed.checkpoint.state_dict_loader.load_state_dict",),
    ),
    Deprecation(
        "torch.testing.assert_allclose",
        "TRN812",
        (1, 12),
        "`torch.testing.assert_close`, whose tolerances are others",
        _DOCS + "testing.html",
        replaced_in=(1, 10),
    ),
    Deprecation(
        "torch.library.impl_abstract",
        "TRN812",
        (2, 4),
        "`torch.library.register_fake`, which takes the name by position only",
        _DOCS + "library.html",
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
        _DOCS + "data.html",
    ),
    *_autocast_settings(),
    *_built_with(),
    *_cuda_constructors(),
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
            _DOCS + "fft.html",
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
    *_distributed_nn(),
)
"""By what the names are about."""
