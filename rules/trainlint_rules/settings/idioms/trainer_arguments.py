"""Arguments of the trainers of Hugging Face and Lightning: what is missing, and when they cost nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, dotted, has_unpacked_arguments, last_name
from trainlint.analysis.tables.signs import BFLOAT16, FEW_BITS, FLOAT16, NO_GPU
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import early_guard
from trainlint.finding import Confidence, Severity
from trainlint.patterns import lazy
from trainlint_rules.settings.idioms.framework_settings import IN_FLOAT32, LIGHTNING_BFLOAT16

_FEW_STEPS = 100
_IN_BFLOAT16 = ("CausalLM", "ConditionalGeneration")
"""How classes end whose weights are most often stored in 16 bits, and loaded so."""
_DECODERS = lazy(r"^(torchvision|PIL|librosa|torchaudio|cv2)\b|ImageProcessor|FeatureExtractor|^datasets\.Audio$")
"""Imports that make a sample expensive: pictures and sound are decoded when the loader asks for them."""


def lightning_float32(site: Site) -> Iterator[Match]:
    """A Trainer of Lightning on a GPU that is given no precision."""
    on_gpu = constant(argument(site.call, "accelerator")) in ("gpu", "cuda")
    if on_gpu and not has_unpacked_arguments(site.call) and argument(site.call, "precision") is None:
        fields = {"fact": IN_FLOAT32, "instead": LIGHTNING_BFLOAT16}
        yield Match(site, Confidence.LIKELY, fields, severity=Severity.ADVICE)


def logs_in_training_step(site: Site) -> bool:
    """Whether a call is one of a method of `self` in `training_step` of a class."""
    function = site.function
    if function is None or function.owner is None or function.name != "training_step":
        return False
    return dotted(site.receiver) == "self"


def missing_arguments(site: Site) -> Iterator[Match]:
    """What `TrainingArguments` that are written out lack, where they start a training."""
    given = {keyword.arg for keyword in site.call.keywords}
    starts = given & {"per_device_train_batch_size", "num_train_epochs", "max_steps"}
    if not starts or has_unpacked_arguments(site.call):
        return
    if not given & {"fp16", "bf16"} and not _may_use_fewer_bits(site):
        fields = {"fact": IN_FLOAT32, "instead": "set `bf16=True`, or `fp16=True` on GPUs before Ampere"}
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


@early_guard
def is_short(site: Site) -> bool:
    """The run has at most 100 steps (`max_steps`)."""
    steps = site.settings.literal("max_steps")
    return isinstance(steps, int) and 0 < steps <= _FEW_STEPS


@early_guard
def without_gpu(site: Site) -> bool:
    """The run is not on a GPU of NVIDIA or AMD (`use_cpu`, `no_cuda`, `use_mps_device`)."""
    return any(site.settings.literal(name) is True for name in ("use_cpu", "no_cuda", "use_mps_device"))
