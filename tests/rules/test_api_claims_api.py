"""What the rules on api and on profilers claim of PyTorch, asked of the PyTorch that is installed.

A new release shows here what went stale: a name that is gone, a warning that is new, an argument that is refused. Run
with `-k lacks` for the deprecations in PyTorch's own source that the table has no row for.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from trainlint.analysis.tables.versions.deprecated_arguments import ARGUMENTS
from trainlint.analysis.tables.versions.deprecation import Deprecation
from trainlint.analysis.tables.versions.deprecations import TABLE
from trainlint_rules.api.idioms.pretrained import builder_of

torch = pytest.importorskip("torch")

INSTALLED = tuple(int(part) for part in torch.__version__.split(".")[:2])
ROWS = [row for row in TABLE if row.symbol.startswith(("torch.", "functorch"))]
SAYS_DEPRECATED = re.compile(r"deprecat|removed|renamed|instead|no longer", re.IGNORECASE)


def found(dotted: str) -> Any:
    """What a dotted name stands for. Raises AttributeError or ImportError where there is nothing."""
    parts = dotted.split(".")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for count in range(len(parts), 0, -1):
            try:
                thing = importlib.import_module(".".join(parts[:count]))
            except ImportError:
                continue
            for part in parts[count:]:
                thing = getattr(thing, part)
            return thing
    raise ImportError(dotted)


def by_symbol(rows: list[Deprecation]) -> pytest.MarkDecorator:
    """One test for each row, with its symbol as its name."""
    return pytest.mark.parametrize("row", rows, ids=[row.symbol for row in rows])


@by_symbol([row for row in ROWS if row.removed is not None and row.removed <= INSTALLED])
def test_a_removed_name_is_missing_or_raises(row: Deprecation) -> None:
    try:
        function = found(row.symbol)
    except (AttributeError, ImportError):
        return
    with pytest.raises(RuntimeError, match="removed"):
        function(torch.eye(2), torch.eye(2)) if row.symbol.endswith(("solve", "lstsq")) else function(torch.eye(2))


@by_symbol([row for row in ROWS if row.removed is None and row.since <= INSTALLED])
def test_a_deprecated_name_is_still_there(row: Deprecation) -> None:
    assert found(row.symbol) is not None


@by_symbol([row for row in ROWS if row.exact and row.replaced_in <= INSTALLED])
def test_an_exact_replacement_is_there(row: Deprecation) -> None:
    assert found(row.replacement) is not None


@by_symbol([row for row in ROWS if not row.exact and row.replaced_in <= INSTALLED])
def test_a_name_in_an_advice_is_there(row: Deprecation) -> None:
    for name in re.findall(r"torch(?:\.\w+)+", row.replacement):
        assert found(name) is not None


def test_no_replacement_is_deprecated_itself() -> None:
    old = {name for row in TABLE for name in row.names}
    assert [row.symbol for row in TABLE if row.exact and row.replacement in old] == []


def test_no_name_stands_twice() -> None:
    names = [name for row in TABLE for name in row.names]
    assert sorted(names) == sorted(set(names))


A = torch.eye(3)
IMAGE = torch.ones(1, 1, 4, 4)
WARNING_USES: dict[str, Callable[[], object]] = {
    "torch.qr": lambda: torch.qr(A),
    "torch.cholesky": lambda: torch.cholesky(A),
    "torch.chain_matmul": lambda: torch.chain_matmul(A, A),
    "torch.triangular_solve": lambda: torch.triangular_solve(A, A),
    "torch.lu": lambda: torch.lu(A),
    "torch.lu_solve": lambda: torch.lu_solve(A, *torch.linalg.lu_factor(A)),
    "torch.range": lambda: torch.range(0, 3),
    "torch.get_autocast_gpu_dtype": torch.get_autocast_gpu_dtype,
    "torch.get_autocast_cpu_dtype": torch.get_autocast_cpu_dtype,
    "torch.is_autocast_cpu_enabled": torch.is_autocast_cpu_enabled,
    "torch.has_cuda": lambda: torch.has_cuda,
    "torch.has_mps": lambda: torch.has_mps,
    "torch.nn.functional.upsample": lambda: torch.nn.functional.upsample(IMAGE, scale_factor=2),
    "torch.nn.functional.upsample_nearest": lambda: torch.nn.functional.upsample_nearest(IMAGE, scale_factor=2),
    "torch.nn.utils.clip_grad_norm": lambda: torch.nn.utils.clip_grad_norm([torch.ones(2, requires_grad=True)], 1.0),
    "torch.nn.utils.weight_norm": lambda: torch.nn.utils.weight_norm(torch.nn.Linear(2, 2)),
    "torch.nn.init.constant": lambda: torch.nn.init.constant(torch.ones(2), 0.5),
    "torch.testing.assert_allclose": lambda: torch.testing.assert_allclose(A, A),
    "torch.distributed.reduce_op": lambda: torch.distributed.reduce_op.SUM,
    "torch.cuda.memory_cached": torch.cuda.memory_cached,
    "functorch.vmap": lambda: found("functorch").vmap(torch.sin),
    "torch.backends.cuda.sdp_kernel": lambda: torch.backends.cuda.sdp_kernel(enable_math=True).__enter__(),
}
"""By row, a use that must warn. Some of PyTorch's warnings come once in a process, so each is made but once here."""


def is_removed(symbol: str) -> bool:
    """Whether the table says that the installed PyTorch no longer has a name."""
    (row,) = (row for row in TABLE if row.symbol == symbol)
    return row.removed is not None and row.removed <= INSTALLED


@pytest.mark.parametrize("symbol", [symbol for symbol in WARNING_USES if not is_removed(symbol)])
def test_a_use_warns(symbol: str) -> None:
    row = next(row for row in TABLE if row.symbol == symbol)
    assert row.warns
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            # Without a CUDA device or a process group it fails, once it has warned.
            with contextlib.suppress(RuntimeError, AssertionError, AttributeError):
                WARNING_USES[symbol]()
    finally:
        torch.set_warn_always(False)
    assert any(SAYS_DEPRECATED.search(str(item.message)) for item in said)


SAME_RESULTS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "torch.ger": (lambda: torch.ger(A[0], A[1] + 2), lambda: torch.outer(A[0], A[1] + 2)),
    "torch.qr": (lambda: torch.qr(A + 3)[1], lambda: torch.linalg.qr(A + 3)[1]),
    "torch.cholesky": (lambda: torch.cholesky(A * 3 + 0.1), lambda: torch.linalg.cholesky(A * 3 + 0.1)),
    "torch.chain_matmul": (lambda: torch.chain_matmul(A, A + 1, A), lambda: torch.linalg.multi_dot([A, A + 1, A])),
    "torch.nn.functional.upsample": (
        lambda: torch.nn.functional.upsample(IMAGE.cumsum(3), scale_factor=3),
        lambda: torch.nn.functional.interpolate(IMAGE.cumsum(3), scale_factor=3),
    ),
    "torch.nn.functional.upsample_nearest": (
        lambda: torch.nn.functional.upsample_nearest(IMAGE.cumsum(2), 7),
        lambda: torch.nn.functional.interpolate(IMAGE.cumsum(2), 7),
    ),
    "functorch.vmap": (
        lambda: found("functorch.vmap")(torch.sin)(A),
        lambda: torch.func.vmap(torch.sin)(A),
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("symbol", [symbol for symbol in SAME_RESULTS if not is_removed(symbol)])
def test_a_safe_replacement_gives_the_same_bits(symbol: str) -> None:
    old, new = SAME_RESULTS[symbol]
    assert torch.equal(old(), new())


@pytest.mark.filterwarnings("ignore")
def test_initialisers_draw_the_same_numbers() -> None:
    for name in ("normal", "uniform", "kaiming_normal", "xavier_uniform", "orthogonal"):
        drawn = []
        for function in (getattr(torch.nn.init, name), getattr(torch.nn.init, f"{name}_")):
            torch.manual_seed(5)
            drawn.append(function(torch.empty(4, 4)))
        assert torch.equal(*drawn)


def test_a_variable_is_a_detached_tensor() -> None:
    x = torch.ones(3, requires_grad=True) * 2
    wrapped = torch.autograd.Variable(x)
    assert type(wrapped) is torch.Tensor
    assert not wrapped.requires_grad
    assert wrapped.data_ptr() == x.data_ptr()
    assert torch.autograd.Variable(x, requires_grad=True).is_leaf


def test_collate_functions_are_the_public_ones() -> None:
    private = importlib.import_module("torch.utils.data._utils.collate")
    assert private.default_collate is torch.utils.data.default_collate
    assert private.default_convert is torch.utils.data.default_convert


def test_flags_of_the_attention_context() -> None:
    parameters = inspect.signature(torch.backends.cuda.sdp_kernel).parameters
    names = ["enable_flash", "enable_math", "enable_mem_efficient", "enable_cudnn"]
    assert list(parameters) == names
    assert all(parameter.default is True for parameter in parameters.values())
    backends = torch.nn.attention.SDPBackend
    assert all(hasattr(backends, name) for name in ("FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION"))


def test_weights_only_is_asked_for_by_default() -> None:
    assert "weights_only" in inspect.signature(torch.load).parameters
    assert "default value of the ``weights_only`` argument" in (torch.load.__doc__ or "") or INSTALLED >= (2, 6)


@pytest.mark.parametrize("name", ["StepLR", "ReduceLROnPlateau", "LambdaLR", "CosineAnnealingLR", "OneCycleLR"])
def test_schedulers_take_no_verbose(name: str) -> None:
    taken = inspect.signature(getattr(torch.optim.lr_scheduler, name).__init__).parameters
    assert ("verbose" in taken) == (INSTALLED < (2, 7))
    assert len(inspect.signature(torch.optim.lr_scheduler.LRScheduler.__init__).parameters) == (
        4 if INSTALLED < (2, 7) else 3
    )


@pytest.mark.parametrize("row", ARGUMENTS, ids=[f"{row.keyword}-{row.function.pattern[:30]}" for row in ARGUMENTS])
def test_old_arguments_are_taken_until_they_are_removed(row: Any) -> None:
    names = [
        "torch.optim.lr_scheduler.StepLR",
        "torch.nn.MSELoss",
        "torch.nn.functional.cross_entropy",
        "torch.autograd.profiler.profile",
        "torch.profiler.profile",
        "torch.nn.parallel.DistributedDataParallel",
        "torch.utils.data.DataLoader",
        "torch.nn.Hardtanh",
        "torch.autograd.backward",
        "torch.autograd.grad",
        "torch.nn.functional.gumbel_softmax",
        "torch.stft",
    ]
    owners = [name for name in names if row.function.fullmatch(name)]
    assert owners
    for name in owners:
        taken = inspect.signature(found(name)).parameters
        assert (row.keyword in taken) == (row.removed is None or row.removed > INSTALLED)
        assert not row.renamed or row.renamed in taken


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"size_average": False}, {"reduction": "sum"}),
        ({"size_average": True}, {"reduction": "mean"}),
        ({"reduce": False}, {"reduction": "none"}),
        ({"reduction": "elementwise_mean"}, {"reduction": "mean"}),
    ],
)
def test_reductions_by_their_new_names(old: dict[str, Any], new: dict[str, Any]) -> None:
    loss, target = torch.nn.functional.mse_loss, A + 0.3
    assert torch.equal(loss(A, target, **old), loss(A, target, **new))


def test_ddp_has_both_names_of_the_argument_from_2_13_on() -> None:
    taken = inspect.signature(torch.nn.parallel.DistributedDataParallel.__init__).parameters
    assert "broadcast_buffers" in taken
    assert ("forward_sync_buffers" in taken) == (INSTALLED >= (2, 13))


def test_the_older_profiler_refuses_the_arguments_of_the_newer_one() -> None:
    older = inspect.signature(torch.autograd.profiler.profile).parameters
    newer = inspect.signature(torch.profiler.profile).parameters
    for name in ("activities", "schedule", "on_trace_ready"):
        assert name in newer
        assert name not in older
    for name in ("record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules", "experimental_config"):
        assert name in newer
        assert name in older


@pytest.mark.filterwarnings("ignore")
def test_the_default_tensor_type_has_a_successor() -> None:
    assert callable(torch.set_default_tensor_type)
    assert callable(torch.set_default_device)


def test_stable_forms_are_there_and_more_exact() -> None:
    small = torch.tensor(1e-8)
    assert torch.log(1 + small) == 0.0 < torch.log1p(small)
    assert torch.exp(small) - 1 == 0.0 < torch.special.expm1(small)
    large = torch.full((2,), 100.0)
    assert torch.log(torch.sum(torch.exp(large), dim=0)).isinf()
    assert torch.logsumexp(large, dim=0).isfinite()
    assert torch.log(1 + torch.exp(large)).isinf().all()
    assert torch.nn.functional.softplus(large).isfinite().all()


def test_weights_that_true_means_are_there() -> None:
    models = pytest.importorskip("torchvision.models")
    for name in models.list_models(models):
        builder = builder_of(f"torchvision.models.{name}")
        if builder is not None and "pretrained" in builder.weights:
            assert builder.weights["pretrained"] in models.get_model_weights(name).__members__


# What PyTorch's own source calls deprecated, and the table does not name

LEFT_OUT: dict[str, str] = {
    r"torch\.(cuda|cpu)\.amp\..*": "TRN801 is about them",
    r"torch\.jit\..*|torch\._jit_internal\..*": "TorchScript: what replaces it is another technique, not a name",
    r"torch\.ao\..*|torch\.(nn\.)?quanti.*": "quantisation, which moved to another package, is no part of training",
    r"torch\.fx\..*|torch\.export\..*|torch\.onnx\..*|torch\._dynamo\..*": "tools for compilers and exporters",
    r"torch\.(_functorch|_vmap_internals|_prims_common|_library|_custom_op|_utils|_streambase|_check_is_size).*": (
        "private modules; what is public of functorch is in the table"
    ),
    r"torch\.distributed\.(_shard|_sharded_tensor|_sharding_spec|_symmetric_memory|rpc|tensor\._.*).*": (
        "private, or prototypes that were given up"
    ),
    r"torch\.distributed\.(_functional_collectives|distributed_c10d)\..*": (
        "collectives: rows of the table are about them, but for reduce_op"
    ),
    r"torch\.distributed\.(elastic|launch|checkpoint\.(staging|state_dict|_fsspec)|device_mesh|optim).*": (
        "launchers and agents, options of functions, or private"
    ),
    r"torch\.distributed\.fsdp\..*": "the older FSDP: options and methods of it",
    r"torch\.distributed\.nn\.functional\._deprecated": "the table names its callers",
    r"torch\.autograd\.(profiler_util\..*|profiler\.(EnforceUnique|load_nvprof|parse_nvprof_trace))|"
    r"torch\.profiler\..*\.export_memory_timeline": (
        "readers of another profiler's files; attributes of results, through values whose type is not written down"
    ),
    r"torch\.autograd\.(profiler_legacy|gradcheck|_functions|function|graph)\..*": (
        "private by PyTorch's own words, or methods of a context"
    ),
    r"torch\.distributions\..*|torch\._tensor\..*": "methods, reached through values whose type is not written down",
    r"torch\.cuda\.(memory\._set_allocator_settings|nccl\..*|_memory_viz\..*|_graph_annotations\..*)|"
    r"torch\.cuda\.green_contexts\.GreenContext\..*": "private, methods, or a form of one argument",
    r"torch\.nn\.modules\.(rnn|container|conv|module)\..*": "private helpers, a base class of 2017, forms of hooks",
    r"torch\.nn\.parallel\.(scatter_gather|comm|parallel_apply).*": "helpers behind DataParallel",
    r"torch\.nn\.(_reduction|init\._make_deprecate).*": "makers of the warnings of rows that are in the tables",
    r"torch\.nn\.attention\..*|torch\.sparse\..*|torch\.hub\..*|torch\.multiprocessing\..*|torch\.overrides\..*|"
    r"torch\.optim\.optimizer\.Optimizer\.__init__": (
        "forms of one argument, of a file or of a variable of the environment"
    ),
    r"torch\.nn\.functional\.(_.*|embedding_bag)": "forms of arguments, which depend on values",
    r"torch\.utils\.(_config_module|_contextlib|_cxx_pytree|_pytree|cpp_extension|hipify|model_dump|checkpoint).*": (
        "private, or a tool that is no part of a training program; the one pytree function that is used is in the table"
    ),
    r"torch\.utils\.data\.(datapipes|graph|graph_settings|dataset)\b.*": "data pipes, given up; an attribute",
    r"torch\.amp\.grad_scaler\..*|torch\.compiler\..*|torch\.backends\.\w+\._.*|torch\._inductor\..*": (
        "a protocol between classes, or private"
    ),
    r"torch\.masked\..*|torch\.package\..*|torch\.monitor\..*|torch\.library\.(?!impl_abstract).*|torch\.__getattr__": (
        "no part of a training program, or the maker of warnings that the table names"
    ),
}
"""What is left out on purpose, by a pattern of where the warning stands, and why."""


@cache
def source_warnings() -> tuple[str, ...]:
    """Where PyTorch's source decorates with `deprecated`, or warns of a deprecation, as dotted names."""
    root = Path(torch.__file__).parent
    names = set()
    for path in sorted(root.rglob("*.py")):
        below = path.relative_to(root)
        if {"testing", "_internal", "test", "_inductor", "contrib", "tools"} & set(below.parts[:-1]):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        if "eprecat" in text or "FutureWarning" in text:
            module = ".".join(("torch", *below.with_suffix("").parts)).removesuffix(".__init__")
            names |= {f"{module}.{name}" if name else module for name in _deprecated_in(ast.parse(text))}
    return tuple(sorted(names))


def _deprecated_in(tree: ast.AST, around: tuple[str, ...] = ()) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        inside = around
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inside = (*around, node.name)
            for item in node.decorator_list:
                if isinstance(item, ast.Call) and ast.unparse(item.func).endswith("deprecated"):
                    yield ".".join(inside)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("warnings.warn", "warn", "_warn_once"):
            text = ast.unparse(node)
            if "FutureWarning" in text or "DeprecationWarning" in text or "deprecated" in text:
                yield ".".join(inside)
        yield from _deprecated_in(node, inside)


def _is_in_a_table(place: str) -> bool:
    """Whether the function that warns is one of a row, or takes an argument of one."""
    function = re.sub(r"\.__init__$|\.__getattribute__$|\.WeightNorm\.apply$", "", place)
    function = function.replace("torch.profiler.profiler.", "torch.profiler.")
    last = function.rpartition(".")[2]
    names = {name for row in TABLE for name in row.names}
    if function in names or any(name.rpartition(".")[2] == last.lstrip("_") for name in names):
        return True
    public = {f"torch.nn.{last}", f"torch.nn.functional.{last}", f"torch.nn.parallel.{last}", function}
    public |= {f"torch.autograd.{last}", f"torch.utils.data.{last}"}
    return any(row.function.fullmatch(name) for row in ARGUMENTS for name in public) or last == "_BaseDataLoaderIter"


@pytest.mark.nightly
@pytest.mark.slow
def test_the_table_lacks_no_deprecation_but_those_left_out_on_purpose() -> None:
    patterns = [re.compile(pattern) for pattern in LEFT_OUT]
    lacking = [
        place
        for place in source_warnings()
        if not _is_in_a_table(place) and not any(pattern.fullmatch(place) for pattern in patterns)
    ]
    assert lacking == [], "give these a row in analysis/tables/versions/deprecations.py, or a reason in LEFT_OUT"


@pytest.mark.nightly
@pytest.mark.slow
def test_every_reason_is_still_needed() -> None:
    places = source_warnings()
    unneeded = [pattern for pattern in LEFT_OUT if not any(re.fullmatch(pattern, place) for place in places)]
    assert unneeded == []
