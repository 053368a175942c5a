"""TRN520."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.contract.bases import SettingRule
from trainlint.contract.declared_rule import Match
from trainlint_rules.settings.idioms.deepspeed_settings import ZERO, deepspeed_claims
from trainlint_rules.settings.idioms.setting_rows import matches


class DeepspeedConfig(SettingRule):
    """A setting of DeepSpeed that contradicts another one, does nothing, or slows each step

    ## Why
    DeepSpeed takes dozens of settings from a JSON file or a dict, and says nothing of most combinations that make no
    sense. ZeRO stage 2 reduces gradients while nothing else runs unless `overlap_comm` is set, which is on by itself in
    stage 3 only; stage 1 ignores it. `wall_clock_breakdown` makes the CPU wait for the GPU around forward, backward
    and step. Without `contiguous_gradients` the reduced gradients splinter memory, and what is offloaded into memory
    that is not pinned is copied while the CPU waits.

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

    `overlap_comm` keeps two more buckets of `reduce_bucket_size` elements on the GPU.

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
    on = (ZERO,)
    message = "{fact}"
    help = "{instead}"

    def found(self, site: Site) -> Iterator[Match]:
        """Settings that contradict each other, that nothing reads, or that cost in each step."""
        return matches(site, deepspeed_claims(site.settings))
