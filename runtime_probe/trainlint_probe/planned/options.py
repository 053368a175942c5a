"""What may be typed after `trainlint plan`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from trainlint.cli.arguments import Parser, Words, add_color, one_of
from trainlint.cli.console import UsageError
from trainlint.naming import did_you_mean
from trainlint.planning.hardware import GPUS, Gpu, gpu_named
from trainlint.planning.sizes import bytes_of, count_of
from trainlint.planning.strategies import STRATEGIES
from trainlint.planning.training import OPTIMIZERS, Attention, Checkpointing, Cluster, Precision, Training
from trainlint_probe.options import above_zero, checked, count, options_of
from trainlint_probe.planned.inputs import read_input

if TYPE_CHECKING:
    from trainlint.report.settings import Color

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
    typed = plan_parser().parse_args(list(arguments))
    numbers = {name: value for name in _NUMBERS if (value := getattr(typed, name)) is not None}
    sources = [typed.target is not None, typed.parameters is not None, bool(set(numbers) - {"sequence"})]
    if sum(sources) != 1:
        raise UsageError(
            "name the model in one way: --params 7e9, a config.json, --layers and the other numbers, "
            "or package.module:callable"
        )
    if typed.gpus % typed.nodes:
        raise UsageError(f"{typed.gpus} GPUs cannot be spread evenly over {typed.nodes} nodes")
    return options_of(Options, typed, numbers=numbers, inputs=tuple(typed.inputs), training=_training(typed))


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


def plan_parser() -> argparse.ArgumentParser:
    """The parser of `trainlint plan`."""
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
    model.add_argument(
        "--params", dest="parameters", type=checked(count_of), metavar="N", help="its size: 7.5e9, 7b, 350M"
    )
    for name, what in (
        ("layers", "layers of a transformer"),
        ("hidden", "hidden size"),
        ("heads", "heads of attention"),
        ("vocabulary", "tokens of the vocabulary"),
        ("sequence", "tokens of a sample"),
        ("inner", "width of the feed-forward part (default: 4 times the hidden size)"),
        ("shared-heads", "heads of keys and values, if fewer"),
    ):
        model.add_argument(f"--{name}", type=count, metavar="N", help=what)
    model.add_argument("--gated", action="store_true", help="the feed-forward part is gated (SwiGLU), as in Llama")
    model.add_argument("--untied", action="store_true", help="the output layer has weights of its own")
    model.add_argument(
        "--input",
        dest="inputs",
        action="append",
        default=[],
        type=checked(_input),
        metavar="SHAPE",
        help="an argument of the callable's model, for one sample: 3x224x224, tokens:1024, mask=1024",
    )
    model.add_argument(
        "--lora",
        dest="rank",
        type=count,
        default=0,
        metavar="RANK",
        help="train adapters of this rank beside frozen weights",
    )
    run = parser.add_argument_group("the training")
    _one(run, "--precision", _by_value(Precision), "what weights and states are held in", default="autocast")
    optimizers = {item.name: item for item in OPTIMIZERS}
    _one(run, "--optimizer", optimizers, "what updates the weights", default="adamw")
    run.add_argument("--batch", type=count, default=1, metavar="N", help="samples of a micro-batch on a GPU")
    run.add_argument("--accumulation", type=count, default=1, metavar="N", help="micro-batches of a step")
    _one(run, "--checkpointing", _by_value(Checkpointing), "activations that are computed again", default="none")
    _one(run, "--attention", _by_value(Attention), "whether scores are kept", default="fused")
    run.add_argument("--compile", action="store_true", help="the model runs under torch.compile")
    gpus = parser.add_argument_group("the GPUs")
    gpus.add_argument("--gpus", type=count, default=1, metavar="N", help="in all nodes together (default: 1)")
    gpus.add_argument("--nodes", type=count, default=1, metavar="N", help="(default: 1)")
    gpus.add_argument(
        "--gpu",
        type=Words(checked(_gpu), tuple(gpu.name for gpu in GPUS)),
        metavar="NAME",
        help="such as a100-80gb, h100, rtx-4090",
    )
    gpus.add_argument(
        "--gpu-memory", type=checked(bytes_of), metavar="SIZE", help="80GB, 24GiB (default: by --gpu, or 80GB)"
    )
    gpus.add_argument("--bandwidth-inside", type=_positive, metavar="GB/s", help="a GPU sends so much inside a node")
    gpus.add_argument("--bandwidth-between", type=_positive, metavar="GB/s", help="and to other nodes (default: 25)")
    gpus.add_argument("--mfu", type=_share, default=0.4, metavar="SHARE", help="of the peak reached (default: 0.4)")
    output = parser.add_argument_group("output")
    _one(output, "--strategy", {item.key: item.key for item in STRATEGIES}, "plan for this one alone")
    formats = {name: name for name in ("text", "json", "html")}
    _one(output, "--output-format", formats, "how to say it", default="text")
    output.add_argument("--output-file", type=Path, metavar="FILE", help="write there instead of the terminal")
    add_color(output)
    return parser


def _one(
    group: argparse._ArgumentGroup, flag: str, named: Mapping[str, object], what: str, *, default: str | None = None
) -> None:
    """An option that takes one of some words, in any case, and keeps what the word names."""
    by_default = f" (default: {default})" if default else ""
    read = one_of(tuple(named))
    group.add_argument(
        flag,
        type=Words(lambda text: named[str(read(text.lower()))], tuple(named)),
        default=default and named[default],
        metavar="NAME",
        help=f"{what}: {', '.join(named)}{by_default}",
    )


_positive = above_zero("a number above 0", 1e6)
_share = above_zero("a share above 0 and up to 1", 1.0)


def _by_value(kind: type[Enum]) -> dict[str, Enum]:
    return {item.value: item for item in kind}


def _input(text: str) -> str:
    read_input(text)  # the process that builds the model reads it once more
    return text


def _gpu(text: str) -> Gpu:
    found = gpu_named(text)
    if found is None:
        known = ", ".join(gpu.name for gpu in GPUS)
        hint = did_you_mean(text, [gpu.name for gpu in GPUS]) or f"; give its --gpu-memory, or one of {known}"
        raise ValueError(f"no figures are known of {text!r}{hint}")
    return found
