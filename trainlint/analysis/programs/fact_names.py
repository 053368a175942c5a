"""Names whose use is a fact: imported ones by their origin, methods by their name, frameworks' settings by keyword."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from trainlint.analysis.syntax.names import NAMES
from trainlint.analysis.tables import collectives, parallel, precision, samplers
from trainlint.analysis.tables.fact_kinds import FactKind
from trainlint.analysis.tables.parallel import Wrapper, called_as
from trainlint.patterns import lazy

_LIGHTNING = "lightning pytorch_lightning lightning_fabric"
_MM = "mmengine mmcv"


class NameFact(NamedTuple):
    """What the use of a name says."""

    kinds: tuple[FactKind, ...]
    roots: frozenset[str] = frozenset()
    """For imported names: the packages from which it must come. For methods: empty."""
    detail: str = ""


class Setting(NamedTuple):
    """What a keyword says in a call of one of these."""

    kind: FactKind
    callee: re.Pattern[str]


def _imported(*rows: tuple[FactKind | tuple[FactKind, ...], str, str, str]) -> dict[str, tuple[NameFact, ...]]:
    table: dict[str, tuple[NameFact, ...]] = {}
    for kinds, roots, names, detail in rows:
        named = NameFact(kinds if isinstance(kinds, tuple) else (kinds,), frozenset(roots.split()), detail)
        for name in names.split():
            table[name] = (*table.get(name, ()), named)
    return table


_DDP = (FactKind.DDP, FactKind.DISTRIBUTED)
_SHARDED = (FactKind.FSDP, FactKind.DISTRIBUTED)
_OF_WRAPPER: Mapping[Wrapper, tuple[FactKind | tuple[FactKind, ...], str]] = {
    Wrapper.DATA_PARALLEL: (FactKind.DATA_PARALLEL, ""),
    Wrapper.DDP: (_DDP, ""),
    Wrapper.FSDP1: (_SHARDED, "fsdp"),
    Wrapper.FSDP2: (_SHARDED, "fsdp"),
}
_WRAPPERS = tuple(parallel.WRAPPERS.values())
IMPORTED: Mapping[str, tuple[NameFact, ...]] = _imported(
    *((FactKind.AUTOCAST, row.packages, row.name, "") for row in precision.AUTOCASTS),
    (FactKind.AUTOCAST, precision.FP8_AUTOCAST.packages, precision.AUTOCAST.name, ""),
    (FactKind.AUTOCAST, _MM, "AmpOptimWrapper", ""),
    (FactKind.AUTOCAST, "detectron2", "AMPTrainer", ""),
    (FactKind.AUTOCAST, "torch fairscale", "MixedPrecision MixedPrecisionPolicy", ""),
    ((FactKind.AUTOCAST, FactKind.GRAD_SCALER), "apex", "scale_loss", ""),
    (FactKind.AUTOCAST, "apex", "amp.initialize", ""),
    *((FactKind.GRAD_SCALER, row.packages, row.name, "") for row in precision.SCALERS),
    (FactKind.COMPILE, "torch", "compile _dynamo.optimize", ""),
    (FactKind.COMPILE, "torchtune", "compile_model compile_loss", ""),
    (FactKind.DISTRIBUTED, "torch", "init_process_group init_device_mesh", ""),
    (FactKind.DISTRIBUTED, "deepspeed", "init_distributed", ""),
    (FactKind.DISTRIBUTED, "horovod", "init DistributedOptimizer", "horovod"),
    *((_OF_WRAPPER[row.wrapper][0], row.packages, row.name, _OF_WRAPPER[row.wrapper][1]) for row in _WRAPPERS),
    (_DDP, _LIGHTNING, "DDPStrategy", "lightning"),
    (_SHARDED, _LIGHTNING, "FSDPStrategy ModelParallelStrategy", "fsdp"),
    (_SHARDED, f"{_LIGHTNING} accelerate", "DeepSpeedStrategy DeepSpeedPlugin", "zero"),
    (_SHARDED, "accelerate", "FullyShardedDataParallelPlugin", "fsdp"),
    (_SHARDED, "deepspeed", "zero.Init", "zero"),
    (_SHARDED, "torchtune", "shard_model", "fsdp"),
    (FactKind.DISTRIBUTED_SAMPLER, "torch torchdata", " ".join(samplers.DISTRIBUTED), ""),
    (FactKind.FRAMEWORK, _LIGHTNING, "Trainer Trainer.from_argparse_args LightningModule LightningCLI", "lightning"),
    (FactKind.FRAMEWORK, _LIGHTNING, "Fabric", "fabric"),
    (FactKind.FRAMEWORK, "transformers trl sentence_transformers", "Trainer", "transformers"),
    (FactKind.FRAMEWORK, "accelerate", "Accelerator", "accelerate"),
    (FactKind.FRAMEWORK, "deepspeed", "initialize", "deepspeed"),
    (FactKind.FRAMEWORK, "ignite", "Engine create_supervised_trainer create_supervised_evaluator", "ignite"),
    (FactKind.FRAMEWORK, _MM, "Runner EpochBasedRunner IterBasedRunner build_runner Runner.from_cfg", "mmengine"),
    (FactKind.FRAMEWORK, "speechbrain", "Brain", "speechbrain"),
    (FactKind.FRAMEWORK, "detectron2", "DefaultTrainer SimpleTrainer AMPTrainer TrainerBase", "detectron2"),
    (FactKind.FRAMEWORK, "fastai", "Learner vision_learner text_classifier_learner cnn_learner", "fastai"),
    (FactKind.FRAMEWORK, "composer", "Trainer", "composer"),
    (FactKind.FRAMEWORK, "colossalai", "Booster", "colossalai"),
    (FactKind.FRAMEWORK, "torchtnt", "AutoUnit", "torchtnt"),
    (FactKind.FRAMEWORK, "ultralytics", "YOLO", "ultralytics"),
    (FactKind.GROUP_DESTROYED, "torch deepspeed", "destroy_process_group", ""),
    (FactKind.NETWORK, "torch", "Conv2d ConvTranspose2d conv2d conv_transpose2d", "conv2d"),
    (FactKind.NETWORK, "torch", "Conv3d ConvTranspose3d conv3d", "conv3d"),
    (
        FactKind.NETWORK,
        "torch flash_attn xformers",
        "MultiheadAttention scaled_dot_product_attention flex_attention TransformerEncoderLayer "
        "TransformerDecoderLayer flash_attn_func flash_attn_varlen_func memory_efficient_attention",
        "attention",
    ),
    (
        FactKind.NETWORK,
        "torchvision",
        "resnet18 resnet34 resnet50 resnet101 resnet152 resnext50_32x4d wide_resnet50_2 vgg11 vgg13 vgg16 vgg16_bn "
        "vgg19 vgg19_bn alexnet inception_v3 densenet121 densenet169 mobilenet_v2 mobilenet_v3_large efficientnet_b0 "
        "efficientnet_b4 convnext_tiny fasterrcnn_resnet50_fpn maskrcnn_resnet50_fpn deeplabv3_resnet50 "
        "models.__dict__ models.get_model",
        "conv2d",
    ),
    (FactKind.NETWORK, "torchvision", "vit_b_16 vit_b_32 vit_l_16 swin_t swin_b", "pretrained"),
    (FactKind.NETWORK, "timm", "create_model", "pretrained"),
    (FactKind.NETWORK, "timm", "Attention Block", "attention"),
)
"""By the last word of an origin, or its last two: what it is, if it comes from one of the packages."""
_DERIVED_TRAINERS = lazy(r"^(transformers|trl|sentence_transformers)\..*Trainer$")

METHODS: Mapping[str, NameFact] = {
    name: NameFact(kinds, detail=detail)
    for kinds, names, detail in (
        ((FactKind.AUTOCAST,), precision.AUTOCAST.name, ""),
        ((FactKind.NO_SYNC,), "no_sync no_backward_sync set_requires_gradient_sync set_is_last_backward", ""),
        ((FactKind.SET_EPOCH,), "set_epoch", ""),
        ((FactKind.GROUP_DESTROYED,), "destroy_process_group", ""),
    )
    for name in names.split()
}
"""Methods that say the same whatever they are called on."""
ACCELERATOR = collectives.IN_CHARGE

_OPTIONS = lazy(r"Arguments$|Args$|Config$|Accelerator$")
_TRAINER = lazy(r"Trainer$|^Fabric$")
SETTINGS: Mapping[str, Setting] = {
    keyword: Setting(kind, callee)
    for kind, callee, keywords in (
        (FactKind.AUTOCAST, _OPTIONS, "fp16 bf16"),
        (FactKind.AUTOCAST, lazy(r"Config$|Accelerator$|FSDP|FullySharded"), "mixed_precision"),
        (FactKind.AUTOCAST, lazy(f"^({'|'.join(called_as(Wrapper.FSDP2))})$"), "mp_policy"),
        (FactKind.AUTOCAST, _TRAINER, "precision"),
        (FactKind.COMPILE, _OPTIONS, "torch_compile"),
        (FactKind.TF32, _OPTIONS, "tf32"),
        (FactKind.FSDP, _OPTIONS, "fsdp deepspeed deepspeed_plugin fsdp_plugin"),
        (FactKind.CHANNELS_LAST, lazy(""), "memory_format"),
    )
    for keyword in keywords.split()
}
"""Keywords whose value is a setting, by the last word of what is called."""
NO_SETTINGS = frozenset(("no", "none", "false", "32", "32-true", "fp32", "float32", "64", "64-true", "", "auto"))
"""Strings that leave a setting off or to somebody else."""
STRATEGIES = (("deepspeed", _SHARDED, "zero"), ("fsdp", _SHARDED, "fsdp"), ("ddp", _DDP, ""), ("dp", (), ""))
"""How Lightning's strategies begin, and what they are."""

TF32_SWITCHES = ("allow_tf32", "fp32_precision")
"""Attributes of PyTorch's backends."""

DEEPSPEED_KEYS = frozenset(
    (
        "train_batch_size",
        "train_micro_batch_size_per_gpu",
        "zero_optimization",
        "steps_per_print",
        "wall_clock_breakdown",
    )
)
"""A dict that holds one of these is a configuration of DeepSpeed."""
DEEPSPEED: Mapping[str, tuple[FactKind, ...]] = {
    "fp16": (FactKind.AUTOCAST,),
    "bf16": (FactKind.AUTOCAST,),
    "bfloat16": (FactKind.AUTOCAST,),
    "amp": (FactKind.AUTOCAST,),
    "zero_optimization": _SHARDED,
}


_LAST_WORDS = frozenset(key.rpartition(".")[2] for key in IMPORTED)


def may_say(name: ast.AST) -> bool:
    """Whether the use of an imported name can say anything, whatever it was imported from; quick."""
    if not isinstance(name, ast.Attribute):
        return True  # a plain name can stand for any origin
    return name.attr in _LAST_WORDS or name.attr.endswith("Trainer")


@lru_cache(NAMES)
def imported(origin: str) -> tuple[NameFact, ...]:
    """What the use of an imported name says."""
    root, *middle = origin.split(".")
    if not middle:
        return ()
    keys = (middle[-1], ".".join((root, *middle)[-2:]))
    found = [named for key in keys for named in IMPORTED.get(key, ()) if root in named.roots]
    if middle[-1] != "Trainer" and _DERIVED_TRAINERS.match(origin):
        found.append(NameFact((FactKind.FRAMEWORK,), detail="transformers"))
    return tuple(found)
