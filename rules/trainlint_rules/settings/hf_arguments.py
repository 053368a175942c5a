"""TRN521."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import constant
from trainlint.analysis.tables.optimizers import FUSED_ADAMW_SINCE
from trainlint.analysis.tables.signs import GEMMA
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Edit, Safety
from trainlint.rule import Triggers
from trainlint_rules.settings.idioms.framework_settings import (
    EAGER_ATTENTION,
    HUGGING_FACE,
    HUGGING_FACE_FILES,
    SLOWER_OPTIMIZER,
)
from trainlint_rules.settings.idioms.setting_rows import ABSENT, claims, matches
from trainlint_rules.settings.idioms.trainer_arguments import (
    is_short,
    missing_arguments,
    without_gpu,
)

_OF_TRAINER = "per_device_train_batch_size"
_OF_AXOLOTL = "micro_batch_size"
"""Keys by which dicts are known."""


class HfArguments(CallRule):
    """Arguments of the Hugging Face Trainer that slow each step, in code or in a file

    ## Why
    The Trainer's defaults are careful, not fast: float32, and batches loaded in the training process. A few arguments
    cost in each step. `torch_empty_cache_steps` hands memory back to the driver. `include_num_input_tokens_seen`
    gathers and reads a count from the GPU. `ddp_find_unused_parameters` walks the autograd graph once more.
    `full_determinism` sets `CUDA_LAUNCH_BLOCKING=1`, so the CPU waits for every kernel. `optim="adamw_torch"` names
    the slower one of two equal optimizers: with torch 2.8 and newer the default is the fused one.

    The rule also reads dicts, and files of JSON and YAML, that hold such arguments: those of LLaMA-Factory, TRL and
    ms-swift are known by `per_device_train_batch_size`, those of axolotl by `micro_batch_size` and `base_model`. There
    it knows a few settings of theirs, such as eager attention.

    Absent arguments are reported only in code, and only where no others come from a dict. `bf16` counts as absent only
    where the file speaks of no half precision or quantised weights and loads no language model, whose stored weights
    may be in 16 bits; `dataloader_num_workers` only where the file imports what decodes pictures or sound.

    ## Example
    ```python
    from transformers import Trainer, TrainingArguments


    def finetune(model, dataset):
        arguments = TrainingArguments(
            output_dir="out",
            per_device_train_batch_size=16,
            bf16=True,
            optim="adamw_torch",
        )
        Trainer(model=model, args=arguments, train_dataset=dataset).train()
    ```

    ## Use instead
    ```python
    from transformers import Trainer, TrainingArguments


    def finetune(model, dataset):
        arguments = TrainingArguments(
            output_dir="out",
            per_device_train_batch_size=16,
            bf16=True,
            optim="adamw_torch_fused",
        )
        Trainer(model=model, args=arguments, train_dataset=dataset).train()
    ```

    In a file: `optim: adamw_torch_fused`. Two more arguments save GPU syncs in every micro-batch:
    `logging_nan_inf_filter=False`, which only changes what is logged, and
    `accelerator_config={"non_blocking": True}`, which copies batches while the GPU computes.

    ## Fix safety
    The fused optimizer computes the same step with another order of rounding, and needs floating-point parameters on
    one of the devices that it supports.

    ## Confirmed by
    Kernels of float32 matrix products in a profile; `cudaFree` at each step; several optimizer kernels
    for each group of parameters where one would do.

    ## Gain
    Mixed precision: a GPT-2 step fell from 1.09 to 0.73 s in published notes on efficient training; nothing where the
    step waits for data. `torch_empty_cache_steps`: about 10% by the Trainer's own documentation. The others were not
    measured here.

    ## References
    - `TrainingArguments`: https://huggingface.co/docs/transformers/main_classes/trainer#transformers.TrainingArguments
    - Efficient training on one GPU: https://huggingface.co/docs/transformers/perf_train_gpu_one
    """

    code = "TRN521"
    name = "hf-arguments"
    on = ("transformers.*.TrainingArguments", "transformers.*.Seq2SeqTrainingArguments")
    also = Triggers(dicts=frozenset({_OF_TRAINER, _OF_AXOLOTL}))
    unless = (is_short, without_gpu)
    message = "{fact}"
    help = "{instead}"
    fix_title = "Use the fused AdamW"
    fix_safety = Safety.UNSAFE

    def found(self, site: Site) -> Iterator[Match]:
        """Arguments that cost, and those whose absence does."""
        if isinstance(site.node, ast.Dict):
            yield from self._of_file(site)
            return
        for match in matches(site, claims(site.settings, HUGGING_FACE)):
            slower = constant(match.site.node) == SLOWER_OPTIMIZER
            yield replace(match, fix_needs=FUSED_ADAMW_SINCE) if slower else match
        yield from missing_arguments(site)

    def _of_file(self, site: Site) -> Iterator[Match]:
        """Arguments that are written down in a dict, most often one of a file of settings."""
        if site.settings.get(_OF_TRAINER) is None and site.settings.literal("base_model") is ABSENT:
            return
        yield from matches(site, claims(site.settings, HUGGING_FACE_FILES))
        if not site.file.names.show(GEMMA):
            yield from matches(site, claims(site.settings, EAGER_ATTENTION))

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """The fused optimizer, where the slower one is reported."""
        from trainlint.fixing.rewrite import set_keyword

        if isinstance(site.node, ast.Call) and constant(match.site.node) == SLOWER_OPTIMIZER:
            yield set_keyword(site.source, site.call, "optim", '"adamw_torch_fused"')
