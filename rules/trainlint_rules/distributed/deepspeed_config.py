"""TRN520."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.literal_dicts import Setting, Settings
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers

_ZERO = "zero_optimization"
_RENAMED = {
    "cpu_offload": '`"offload_optimizer": {"device": "cpu"}`',
    "cpu_offload_param": '`"offload_param": {"device": "cpu"}`',
    "cpu_offload_use_pin_memory": "`pin_memory` in the section of what is offloaded",
    "stage3_gather_fp16_weights_on_model_save": "`stage3_gather_16bit_weights_on_model_save`",
}
"""Settings that DeepSpeed calls deprecated, and what they are called now."""
_Found = tuple[Setting, str, Severity]


class DeepspeedConfig(Rule):
    """A setting of DeepSpeed that contradicts another one, does nothing, or slows each step

    ## Why
    DeepSpeed takes dozens of settings from a JSON file or a dict, and says nothing of most combinations that make no
    sense. ZeRO stage 2 reduces gradients while nothing else runs unless `overlap_comm` is set, which is on by itself in
    stage 3 only; stage 1 ignores it. `offload_param` is read in stage 3 only. `wall_clock_breakdown` makes the host
    wait for the device around forward, backward and step. Without `contiguous_gradients` the reduced gradients splinter
    memory, and what is offloaded into memory that is not pinned is copied while the host waits. Both of `fp16` and
    `bf16`, or a `train_batch_size` that the batches of the ranks cannot add up to, end the run at its start.

    ## Example
    ```python
    import deepspeed

    config = {
        "train_micro_batch_size_per_gpu": 4,
        "gradient_accumulation_steps": 8,
        "bf16": {"enabled": True},
        "zero_optimization": {"stage": 2, "contiguous_gradients": False},
        "wall_clock_breakdown": True,
    }


    def prepare(model):
        return deepspeed.initialize(model=model, model_parameters=model.parameters(), config=config)
    ```

    ## Use instead
    ```python
    import deepspeed

    config = {
        "train_micro_batch_size_per_gpu": 4,
        "gradient_accumulation_steps": 8,
        "bf16": {"enabled": True},
        "zero_optimization": {"stage": 2, "overlap_comm": True, "contiguous_gradients": True},
    }


    def prepare(model):
        return deepspeed.initialize(model=model, model_parameters=model.parameters(), config=config)
    ```

    `overlap_comm` keeps two more buckets of `reduce_bucket_size` elements on the device.

    ## Stays silent
    For `"overlap_comm": false`, which is often there because a version or a model could not do with it; under ZenFlow,
    which overlaps in its own way; for values such as "auto" that are settled elsewhere, and lists of values that a
    tuner chooses from; in stage 0, and in stage 1 on overlap, which is ignored there; in tests. Nothing is said about
    offloading as such, since the settings do not say how large the model is.

    ## Confirmed by
    All-reduces and reduce-scatters that no kernel of the backward pass overlaps; `cudaEventSynchronize` from timers of
    DeepSpeed in each step.

    ## Gain
    Not measured here. Overlap hides at most the time of the reduction, which a profile shows; on one GPU it is nothing.
    DeepSpeed's documentation names both switches as what its ZeRO stage 2 relies on to be fast.

    ## References
    - DeepSpeed, configuration: https://www.deepspeed.ai/docs/config-json/
    - DeepSpeed, settings of ZeRO with their defaults: https://deepspeed.readthedocs.io/en/latest/zero3.html
    """

    code = "TRN520"
    name = "deepspeed-config"
    severity = Severity.WARNING
    heat_matters = False
    triggers = Triggers(dicts=frozenset({_ZERO}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find settings that contradict each other, that nothing reads, or that cost in each step."""
        if not isinstance(site.node, ast.Dict) or is_test_path(site.path):
            return
        settings = Settings(site.node)
        for setting, message, severity in (*_in_sections(settings), *_in_zero(settings)):
            yield self.finding(site, message, at=setting.key, confidence=0.9, severity=severity)


def _in_sections(settings: Settings) -> Iterator[_Found]:
    halves = [settings.get(name) for name in ("fp16", "bf16") if settings.literal(name, "enabled") is True]
    if len(halves) == 2 and halves[1] is not None:
        yield (
            halves[1],
            "`fp16` and `bf16` are both enabled, which DeepSpeed refuses; enable one of them",
            Severity.ERROR,
        )
    whole = settings.get("train_batch_size")
    if whole is not None:
        parts = [settings.literal(name) for name in ("train_micro_batch_size_per_gpu", "gradient_accumulation_steps")]
        each = _product(parts)
        if isinstance(whole.literal, int) and each and whole.literal % each:
            message = (
                f"`train_batch_size` is {whole.literal}, which is no multiple of {parts[0]} samples a GPU times "
                f"{parts[1]} micro-batches: DeepSpeed refuses it on any number of GPUs; leave one of the three out"
            )
            yield whole, message, Severity.ERROR
    timed = settings.get("wall_clock_breakdown")
    if timed is not None and timed.literal is True:
        message = (
            "`wall_clock_breakdown` makes the host wait for the device around forward, backward and optimizer of each "
            "step; set it only while you measure"
        )
        yield timed, message, Severity.WARNING


def _in_zero(settings: Settings) -> Iterator[_Found]:
    zero, section = settings.get(_ZERO), settings.section(_ZERO)
    if zero is None or section is None:
        return
    stage = section.literal("stage")
    yield from _renamed(section)
    yield from _offloaded(section, stage)
    yield from _scattered(section, stage)
    yield from _unpinned(section)
    overlaps = section.get("overlap_comm") is not None or section.get("zenflow") is not None
    if stage == 2 and not overlaps and section.is_whole:
        message = (
            "in ZeRO stage 2 gradients are reduced while nothing else runs, unless `overlap_comm` is set; it is on by "
            "itself in stage 3 only"
        )
        yield zero, message, Severity.WARNING


def _renamed(section: Settings) -> Iterator[_Found]:
    for name, instead in _RENAMED.items():
        old = section.get(name)
        if old is not None:
            now = "leave it out" if old.literal is False else f"DeepSpeed calls it {instead} now"
            yield old, f"`{name}` is deprecated; {now}", Severity.WARNING


def _offloaded(section: Settings, stage: object) -> Iterator[_Found]:
    """Weights that are to be offloaded in a stage that does not split them."""
    offloaded = section.get("offload_param")
    if offloaded is not None and stage in (0, 1, 2) and section.literal("offload_param", "device") in ("cpu", "nvme"):
        message = (
            f"`offload_param` does nothing in stage {stage}: only stage 3 splits the weights that it would offload"
        )
        yield offloaded, message, Severity.WARNING


def _scattered(section: Settings, stage: object) -> Iterator[_Found]:
    """Gradients that are not copied into one piece of memory."""
    gradients = section.get("contiguous_gradients")
    if gradients is not None and gradients.literal is False and stage in (1, 2, 3):
        message = (
            "without `contiguous_gradients` reduced gradients stay where backward made them and splinter the memory; "
            "leave it on, as it is by default"
        )
        yield gradients, message, Severity.WARNING


def _unpinned(section: Settings) -> Iterator[_Found]:
    """What is offloaded to host memory that is not pinned."""
    for name in ("offload_optimizer", "offload_param"):
        pinned = section.get(name, "pin_memory")
        if pinned is not None and pinned.literal is False and section.literal(name, "device") == "cpu":
            message = f"`{name}` into memory that is not pinned is copied while the host waits; set `pin_memory`"
            yield pinned, message, Severity.WARNING


def _product(parts: list[object]) -> int:
    """The product of whole numbers; 0 where one is something else."""
    product = 1
    for part in parts:
        product *= part if isinstance(part, int) and not isinstance(part, bool) else 0
    return product
