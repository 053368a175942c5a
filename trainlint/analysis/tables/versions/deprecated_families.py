"""Names that PyTorch deprecated as a family: rows that differ in little but the name."""

from __future__ import annotations

from trainlint.analysis.tables.versions.deprecation import DISTRIBUTED, DOCS, FUNC, INIT, LINALG, Deprecation


def initialisers() -> list[Deprecation]:
    """Initialisers without the underscore that says that they write."""
    names = "uniform normal constant eye dirac xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal"
    return [
        Deprecation(f"torch.nn.init.{name}", "TRN812", (0, 4), f"torch.nn.init.{name}_", INIT, exact=True)
        for name in names.split()
    ]


def functorch() -> list[Deprecation]:
    """What moved from functorch into torch.func."""
    names = "vmap grad grad_and_value vjp jvp jacrev jacfwd hessian functionalize"
    rows = [
        Deprecation(f"functorch.{name}", "TRN812", (2, 0), f"`torch.func.{name}`", FUNC, replaced_in=(2, 0))
        for name in names.split()
    ]
    for name, words in (
        ("make_functional", "`torch.func.functional_call(model, parameters, inputs)`"),
        ("make_functional_with_buffers", "`torch.func.functional_call(model, (parameters, buffers), inputs)`"),
        ("combine_state_for_ensemble", "`torch.func.stack_module_state(models)`"),
    ):
        rows.append(Deprecation(f"functorch.{name}", "TRN812", (2, 0), words, FUNC, replaced_in=(2, 0)))
    return rows


def removed_linear_algebra() -> list[Deprecation]:
    """What moved into torch.linalg."""
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
            LINALG,
            replaced_in=(1, 9),
            removed=removed,
            spellings=(f"torch._linalg_utils.{name}",),
        )
        for name, removed, words in rows
    ]


def cuda_constructors() -> list[Deprecation]:
    """Types of tensors that name their device."""
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


def autocast_settings() -> list[Deprecation]:
    """Settings of autocast for one kind of device."""
    source = DOCS + "amp.html"
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


def distributed_nn() -> list[Deprecation]:
    """Collectives with gradients."""
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
            DISTRIBUTED,
            replaced_in=(2, 11),
            spellings=(f"torch.distributed.nn.functional.{name}",),
        )
        for name, words in rows.items()
    ]


def built_with() -> list[Deprecation]:
    """Names that say what PyTorch was built with."""
    rows = (
        ("has_cuda", "torch.backends.cuda.is_built()"),
        ("has_cudnn", "torch.backends.cudnn.is_available()"),
        ("has_mps", "torch.backends.mps.is_built()"),
        ("has_mkldnn", "torch.backends.mkldnn.is_available()"),
    )
    source = DOCS + "backends.html"
    return [Deprecation(f"torch.{name}", "TRN812", (2, 1), f"`{words}`", source) for name, words in rows]
