"""Arguments of the trainers of Hugging Face and Lightning that cost time in each training step."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator
from typing import NamedTuple

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, dotted, has_unpacked_arguments, last_name, nodes_in
from trainlint.analysis.tables.signs import BFLOAT16, FEW_BITS, FLOAT16, NO_GPU
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import early_guard
from trainlint.finding import Confidence, Severity
from trainlint.patterns import lazy


class CostlyArgument(NamedTuple):
    """A keyword with values that cost something, as a row of a table."""

    name: str
    values: Container[object]
    fact: str
    """What such a value does, as a clause without its subject."""
    instead: str
    """What to do about it."""
    sure: Confidence = Confidence.CERTAIN
    severity: Severity = Severity.WARNING


_UNUSED_WEIGHTS = "walks the autograd graph once more in every backward pass to look for unused weights"
SLOWER_OPTIMIZER = "adamw_torch"
HUGGING_FACE = (
    CostlyArgument(
        "optim",
        (SLOWER_OPTIMIZER,),
        "selects the slower one of two equal optimizers",
        'set `optim="adamw_torch_fused"`, which is the default since torch 2.8',
        severity=Severity.ADVICE,
    ),
    CostlyArgument(
        "ddp_find_unused_parameters",
        (True,),
        _UNUSED_WEIGHTS,
        "leave it out unless the model skips some of its weights",
    ),
    CostlyArgument(
        "include_num_input_tokens_seen",
        (True, "all", "non_padding"),
        "gathers a count from all ranks and forces a GPU sync in every training step",
        "leave it out unless you need the count",
    ),
    CostlyArgument(
        "torch_empty_cache_steps",
        range(1, 11),
        "frees cached GPU memory every few steps, and the next step allocates it again",
        "leave it out, or set it to some hundred steps",
        Confidence.LIKELY,
    ),
)
"""Of `TrainingArguments`."""
_IN_FLOAT32 = "training runs in float32"
LIGHTNING = (
    CostlyArgument(
        "detect_anomaly",
        (True,),
        "checks every operation of the backward pass for NaN",
        "set it only while you look for a NaN",
    ),
    CostlyArgument("profiler", ("pytorch", "advanced"), "records all of training", "set it only while you measure"),
    CostlyArgument(
        "strategy",
        [f"ddp{start}_find_unused_parameters_true" for start in ("", "_spawn", "_fork", "_notebook")],
        _UNUSED_WEIGHTS,
        'use `strategy="ddp"` unless the model skips some of its weights',
        Confidence.LIKELY,
    ),
)
"""Of Lightning's `Trainer`."""
REDUCED = CostlyArgument(
    "sync_dist",
    (True,),
    "reduces this value over all ranks in every training step",
    "leave it out, or log the mean of an epoch with `on_step=False, on_epoch=True`",
)
SHOWN = CostlyArgument(
    "prog_bar",
    (True,),
    "forces a GPU sync each time the bar is drawn, by default in every training step",
    "draw the bar less often: `TQDMProgressBar(refresh_rate=50)`",
    Confidence.LIKELY,
)
"""Of `self.log` in a LightningModule."""
_IN_BFLOAT16 = ("CausalLM", "ConditionalGeneration")
"""How classes end whose weights are most often stored in 16 bits, and loaded so."""
_DECODERS = lazy(r"^(torchvision|PIL|librosa|torchaudio|cv2)\b|ImageProcessor|FeatureExtractor|^datasets\.Audio$")
"""Imports that make a sample expensive: pictures and sound are decoded when the loader asks for them."""


def costly(site: Site, *rows: CostlyArgument) -> Iterator[Match]:
    """The arguments of a call that have a costly value. Fields: `fact` and `instead`."""
    for row in rows:
        value = argument(site.call, row.name)
        if value is not None and constant(value) in row.values:
            fields = {"fact": f"`{row.name}={site.text(value)}` {row.fact}", "instead": row.instead}
            yield Match(site.at(value), row.sure, fields, severity=row.severity)


def lightning_float32(site: Site) -> Iterator[Match]:
    """A Trainer of Lightning on a GPU that is given no lower precision than float32."""
    on_gpu = constant(argument(site.call, "accelerator")) in ("gpu", "cuda")
    precision = argument(site.call, "precision")
    if on_gpu and not has_unpacked_arguments(site.call):
        if precision is None or constant(precision) in (32, "32", "32-true"):
            instead = 'set `precision="bf16-mixed"`, or "16-mixed" on GPUs before Ampere'
            fields = {"fact": _IN_FLOAT32, "instead": instead}
            yield Match(site.at(precision or site.call), Confidence.LIKELY, fields, severity=Severity.ADVICE)


def logs_in_training_step(site: Site) -> bool:
    """Whether a call is one of a method of `self` in `training_step` of a class."""
    function = site.function
    if function is None or function.owner is None or function.name != "training_step":
        return False
    return dotted(site.receiver) == "self"


def keyword_of(site: Site) -> str | None:
    """The keyword whose value is reported; None where that is something else."""
    found = (part for part in nodes_in(site.statement) if isinstance(part, ast.keyword))
    return next((part.arg for part in found if part.value is site.node), None)


def missing_arguments(site: Site) -> Iterator[Match]:
    """What `TrainingArguments` that are written out lack, where they start a training."""
    given = {keyword.arg for keyword in site.call.keywords}
    starts = given & {"per_device_train_batch_size", "num_train_epochs", "max_steps"}
    if not starts or has_unpacked_arguments(site.call):
        return
    if not given & {"fp16", "bf16"} and not _may_use_fewer_bits(site):
        fields = {"fact": _IN_FLOAT32, "instead": "set `bf16=True`, or `fp16=True` on GPUs before Ampere"}
        yield Match(site, Confidence.LIKELY, fields, severity=Severity.ADVICE)
    if "dataloader_num_workers" not in given and _decodes_samples(site):
        fields = {"fact": "samples are decoded in the training process", "instead": "set `dataloader_num_workers`"}
        yield Match(site, Confidence.LIKELY, fields)


def _may_use_fewer_bits(site: Site) -> bool:
    """Whether training may be in fewer bits than float32, as by stored weights or an option, or not on a GPU."""
    if site.file.names.show(FLOAT16, BFLOAT16, FEW_BITS, NO_GPU):
        return True
    loaded = (called.call.func for called in site.calls("from_pretrained"))
    return any(
        isinstance(method, ast.Attribute) and last_name(method.value).endswith(_IN_BFLOAT16) for method in loaded
    )


def _decodes_samples(site: Site) -> bool:
    """Whether the file imports what decodes pictures or sound."""
    outline = site.file.outline
    origins = {*outline.imports.values(), *(outline.origin(place.node) for place in outline.references)}
    return any(origin is not None and _DECODERS.search(origin) for origin in origins)


def gives_keyword(site: Site, *names: str) -> bool:
    """Whether any call of the file is given one of these keywords."""
    calls = (place.node for place in site.file.outline.all_calls() if isinstance(place.node, ast.Call))
    return any(keyword.arg in names for call in calls for keyword in call.keywords)


@early_guard
def only_evaluates(site: Site) -> bool:
    """The arguments only evaluate (`do_train=False`)."""
    return constant(argument(site.call, "do_train")) is False
