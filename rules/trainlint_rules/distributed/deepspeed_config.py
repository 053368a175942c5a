"""TRN520."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.literal_dicts import Setting, Settings
from trainlint.contract.bases import SettingRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Severity

_ZERO = "zero_optimization"
_RENAMED = {
    "cpu_offload": '`"offload_optimizer": {"device": "cpu"}`',
    "cpu_offload_param": '`"offload_param": {"device": "cpu"}`',
    "cpu_offload_use_pin_memory": "`pin_memory` in the section of what is offloaded",
    "stage3_gather_fp16_weights_on_model_save": "`stage3_gather_16bit_weights_on_model_save`",
}
"""Settings that DeepSpeed calls deprecated, and what they are called now."""
_TIMED = (
    "`wall_clock_breakdown` forces GPU syncs around forward, backward and optimizer in every step",
    "set it only while you measure",
)
_OVERLAP = ("in ZeRO stage 2 gradients are reduced while nothing else runs", "set `overlap_comm`")
_SCATTERED = (
    "without `contiguous_gradients` reduced gradients stay where backward made them and splinter the memory",
    "leave it on, as it is by default",
)
_Claim = tuple[Setting, str, str]
"""A setting, what is wrong with it, and what to do."""


class DeepspeedConfig(SettingRule):
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
    on = (_ZERO,)
    message = "{fact}"
    help = "{instead}"

    def found(self, site: Site) -> Iterator[Match]:
        """Settings that contradict each other, that nothing reads, or that cost in each step."""
        for setting, fact, instead in _refused(site.settings):
            fields = {"fact": f"{fact}: DeepSpeed refuses it", "instead": instead}
            yield Match(site.at(setting.key), fields=fields, severity=Severity.ERROR)
        for setting, fact, instead in _costly(site.settings):
            yield Match(site.at(setting.key), fields={"fact": fact, "instead": instead})


def _refused(settings: Settings) -> Iterator[_Claim]:
    halves = [settings.get(name) for name in ("fp16", "bf16") if settings.literal(name, "enabled") is True]
    if len(halves) == 2 and halves[1] is not None:
        yield halves[1], "`fp16` and `bf16` are both enabled", "enable one of them"
    whole = settings.get("train_batch_size")
    parts = [settings.literal(name) for name in ("train_micro_batch_size_per_gpu", "gradient_accumulation_steps")]
    numbers = [part for part in parts if isinstance(part, int) and not isinstance(part, bool)]
    each = numbers[0] * numbers[1] if len(numbers) == 2 else 0
    if whole is not None and isinstance(whole.literal, int) and each and whole.literal % each:
        product = f"{numbers[0]} samples a GPU times {numbers[1]} micro-batches"
        yield whole, f"`train_batch_size` {whole.literal} is no multiple of {product}", "leave one of the three out"


def _costly(settings: Settings) -> Iterator[_Claim]:
    timed, zero = settings.get("wall_clock_breakdown"), settings.get(_ZERO)
    if timed is not None and timed.literal is True:
        yield timed, *_TIMED
    section = settings.section(_ZERO)
    if zero is None or section is None:
        return
    yield from _renamed(section)
    yield from _offloaded(section)
    stage, gradients = section.literal("stage"), section.get("contiguous_gradients")
    if gradients is not None and gradients.literal is False and stage in (1, 2, 3):
        yield gradients, *_SCATTERED
    overlaps = section.get("overlap_comm") is not None or section.get("zenflow") is not None
    if stage == 2 and not overlaps and section.is_whole:
        yield zero, *_OVERLAP


def _renamed(section: Settings) -> Iterator[_Claim]:
    for name, instead in _RENAMED.items():
        old = section.get(name)
        if old is not None:
            yield old, f"`{name}` is deprecated", "leave it out" if old.literal is False else f"write {instead}"


def _offloaded(section: Settings) -> Iterator[_Claim]:
    """Weights that are offloaded in a stage that does not split them, or to host memory that is not pinned."""
    stage = section.literal("stage")
    for name in ("offload_optimizer", "offload_param"):
        to, offloaded, pinned = section.literal(name, "device"), section.get(name), section.get(name, "pin_memory")
        if offloaded and name == "offload_param" and stage in (0, 1, 2) and to in ("cpu", "nvme"):
            yield offloaded, f"`{name}` does nothing in stage {stage}", "use stage 3, which splits the weights"
        if pinned is not None and pinned.literal is False and to == "cpu":
            yield pinned, f"`{name}` copies to pageable memory while the host waits", "set `pin_memory`"
