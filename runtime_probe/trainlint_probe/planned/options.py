"""What may be typed after `trainlint plan`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from trainlint.cli.arguments import Parser, add_color, one_of
from trainlint.cli.console import UsageError
from trainlint.naming import did_you_mean
from trainlint.planning.hardware import GPUS, Gpu, gpu_named
from trainlint.planning.sizes import bytes_of, count_of
from trainlint.planning.strategies import STRATEGIES
from trainlint.planning.training import OPTIMIZERS, Attention, Checkpointing, Cluster, Precision, Training
from trainlint_probe.planned.inputs import read_input

if TYPE_CHECKING:
    from trainlint.report.settings import Color

_T = TypeVar("_T")
_DESCRIPTION = """\
Says what a training needs of each GPU, before it runs: memory by part, what each GPU sends, and which way of sharding
fits. Name the model in one of four ways:

  trainlint plan --params 7.5e9                        its size alone; activations are left out
  trainlint plan config.json --sequence 2048           a configuration of Hugging Face transformers
  trainlint plan --layers 32 --hidden 4096 --heads 32 --vocabulary 32000 --sequence 2048
  trainlint plan package.module:build --input 3x224x224
                                                       a callable that returns the model; it runs, without weights
"""


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked of `trainlint plan`."""

    target: str | None
    """A `config.json`, or `package.module:callable`."""
    parameters: float | None
    numbers: dict[str, int]
    """Layers, hidden size, heads and so on, as far as they were typed."""
    gated: bool
    untied: bool
    inputs: tuple[str, ...]
    rank: int
    """Of LoRA; 0 without."""
    training: Training
    gpu: Gpu | None
    strategy: str | None
    output_format: str
    output_file: Path | None
    color: Color


def read_options(arguments: Sequence[str]) -> Options:
    """What was typed. Raises UsageError, or SystemExit as argparse does."""
    typed = _parser().parse_args(list(arguments))
    numbers = {name: value for name in _NUMBERS if (value := getattr(typed, name)) is not None}
    sources = [typed.target is not None, typed.params is not None, bool(set(numbers) - {"sequence"})]
    if sum(sources) != 1:
        raise UsageError(
            "name the model in one way: --params 7e9, a config.json, --layers and the other numbers, "
            "or package.module:callable"
        )
    if typed.gpus % typed.nodes:
        raise UsageError(f"{typed.gpus} GPUs cannot be spread evenly over {typed.nodes} nodes")
    return Options(
        typed.target,
        typed.params,
        numbers,
        typed.gated,
        typed.untied,
        tuple(typed.input),
        typed.lora or 0,
        _training(typed),
        typed.gpu,
        typed.strategy,
        typed.output_format,
        typed.output_file,
        typed.color,
    )


def _training(typed: argparse.Namespace) -> Training:
    gpu: Gpu | None = typed.gpu
    default = Cluster()
    memory = typed.gpu_memory or (gpu.memory if gpu is not None else default.memory)
    inside = typed.bandwidth_inside * 1e9 if typed.bandwidth_inside else (gpu.link * 1e9 if gpu else default.inside)
    cluster = Cluster(
        gpus=typed.gpus,
        nodes=typed.nodes,
        memory=memory,
        flops=gpu.flops(typed.precision) if gpu is not None else None,
        inside=inside,
        between=typed.bandwidth_between * 1e9 if typed.bandwidth_between else default.between,
    )
    return Training(
        precision=typed.precision,
        optimizer=typed.optimizer,
        batch=typed.batch,
        accumulation=typed.accumulation,
        checkpointing=typed.checkpointing,
        attention=typed.attention,
        compiled=typed.compile,
        utilisation=typed.mfu,
        cluster=cluster,
    )


_NUMBERS = ("layers", "hidden", "heads", "vocabulary", "sequence", "inner", "shared_heads")


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        "trainlint plan",
        usage="trainlint plan [MODEL] [OPTIONS]",
        description=_DESCRIPTION,
        epilog="Exit codes: 0 something fits; 1 nothing fits; 2 wrong usage, or a model that cannot be read.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("target", nargs="?", metavar="MODEL", help="a config.json, or package.module:callable")
    model = parser.add_argument_group("the model")
    model.add_argument("--params", type=_checked(count_of), metavar="N", help="its size: 7.5e9, 7b, 350M")
    for name, what in (
        ("layers", "layers of a transformer"),
        ("hidden", "hidden size"),
        ("heads", "heads of attention"),
        ("vocabulary", "tokens of the vocabulary"),
        ("sequence", "tokens of a sample"),
        ("inner", "width of the feed-forward part (default: 4 times the hidden size)"),
        ("shared-heads", "heads of keys and values, if fewer"),
    ):
        model.add_argument(f"--{name}", type=_whole, metavar="N", help=what)
    model.add_argument("--gated", action="store_true", help="the feed-forward part is gated (SwiGLU), as in Llama")
    model.add_argument("--untied", action="store_true", help="the output layer has weights of its own")
    model.add_argument(
        "--input",
        action="append",
        default=[],
        type=_checked(_input),
        metavar="SHAPE",
        help="an argument of the callable's model, for one sample: 3x224x224, tokens:1024, mask=1024",
    )
    model.add_argument("--lora", type=_whole, metavar="RANK", help="train adapters of this rank beside frozen weights")
    run = parser.add_argument_group("the training")
    _choice(run, "--precision", Precision, Precision.AUTOCAST, "what weights and states are held in")
    run.add_argument(
        "--optimizer",
        type=_checked(_optimizer),
        default=OPTIMIZERS[2],
        metavar="NAME",
        help=f"{', '.join(item.name for item in OPTIMIZERS)} (default: adamw)",
    )
    run.add_argument("--batch", type=_whole, default=1, metavar="N", help="samples of a micro-batch on a GPU")
    run.add_argument("--accumulation", type=_whole, default=1, metavar="N", help="micro-batches of a step")
    _choice(run, "--checkpointing", Checkpointing, Checkpointing.NONE, "activations that are computed again")
    _choice(run, "--attention", Attention, Attention.FUSED, "whether scores are kept")
    run.add_argument("--compile", action="store_true", help="the model runs under torch.compile")
    gpus = parser.add_argument_group("the GPUs")
    gpus.add_argument("--gpus", type=_whole, default=1, metavar="N", help="in all nodes together (default: 1)")
    gpus.add_argument("--nodes", type=_whole, default=1, metavar="N", help="(default: 1)")
    gpus.add_argument("--gpu", type=_checked(_gpu), metavar="NAME", help="such as a100-80gb, h100, rtx-4090")
    gpus.add_argument(
        "--gpu-memory", type=_checked(bytes_of), metavar="SIZE", help="80GB, 24GiB (default: by --gpu, or 80GB)"
    )
    gpus.add_argument("--bandwidth-inside", type=_positive, metavar="GB/s", help="a GPU sends so much inside a node")
    gpus.add_argument("--bandwidth-between", type=_positive, metavar="GB/s", help="and to other nodes (default: 25)")
    gpus.add_argument("--mfu", type=_share, default=0.4, metavar="SHARE", help="of the peak reached (default: 0.4)")
    output = parser.add_argument_group("output")
    _one(output, "--strategy", [item.key for item in STRATEGIES], "plan for this one alone")
    _one(output, "--output-format", ("text", "json", "html"), "how to say it", default="text")
    output.add_argument("--output-file", type=Path, metavar="FILE", help="write there instead of the terminal")
    add_color(output)
    return parser


def _choice(
    group: argparse._ArgumentGroup,
    flag: str,
    kind: type[Precision] | type[Checkpointing] | type[Attention],
    default: Precision | Checkpointing | Attention,
    what: str,
) -> None:
    names = ", ".join(item.value for item in kind)

    def one(text: str) -> Precision | Checkpointing | Attention:
        try:
            return kind(text)
        except ValueError:
            hint = did_you_mean(text, [item.value for item in kind])
            raise ValueError(f"expected one of {names}, not {text!r}{hint}") from None

    group.add_argument(
        flag, type=_checked(one), default=default, metavar="NAME", help=f"{what}: {names} (default: {default.value})"
    )


def _one(
    group: argparse._ArgumentGroup, flag: str, words: Sequence[str], what: str, *, default: str | None = None
) -> None:
    """An option that takes one of some words."""
    by_default = f" (default: {default})" if default else ""
    group.add_argument(
        flag, type=one_of(words), default=default, metavar="NAME", help=f"{what}: {', '.join(words)}{by_default}"
    )


def _checked(read: Callable[[str], _T]) -> Callable[[str], _T]:
    """A reader whose ValueError argparse shows as it is written."""

    def reader(text: str) -> _T:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return reader


def _input(text: str) -> str:
    read_input(text)  # the process that builds the model reads it once more
    return text


def _optimizer(text: str) -> object:
    found = next((item for item in OPTIMIZERS if item.name == text.lower()), None)
    if found is None:
        names = [item.name for item in OPTIMIZERS]
        raise ValueError(f"expected one of {', '.join(names)}, not {text!r}{did_you_mean(text, names)}")
    return found


def _gpu(text: str) -> Gpu:
    found = gpu_named(text)
    if found is None:
        known = ", ".join(gpu.name for gpu in GPUS)
        hint = did_you_mean(text, [gpu.name for gpu in GPUS]) or f"; give its --gpu-memory, or one of {known}"
        raise ValueError(f"no figures are known of {text!r}{hint}")
    return found


def _whole(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) < 1 << 31:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on, not {text!r}")
    return int(text)


def _positive(text: str) -> float:
    value = _float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError(f"expected a number above 0, not {text!r}")
    return value


def _share(text: str) -> float:
    value = _float(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"expected a share above 0 and up to 1, not {text!r}")
    return value


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
