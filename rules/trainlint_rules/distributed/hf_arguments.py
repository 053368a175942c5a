"""TRN521."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import constant
from trainlint.analysis.tables.optimizers import FUSED_ADAMW_SINCE
from trainlint.contract.bases import CallRule
from trainlint.contract.declared_rule import Match
from trainlint.finding import Edit, Safety
from trainlint_rules.distributed.idioms.trainer_arguments import (
    HUGGING_FACE,
    SLOWER_OPTIMIZER,
    costly,
    missing_arguments,
    only_evaluates,
)


class HfArguments(CallRule):
    """Arguments of the Hugging Face Trainer that slow each step or leave the GPU's fast units idle

    ## Why
    The Trainer's defaults are careful, not fast: float32, and batches loaded in the training process. A few arguments
    cost in each step: `torch_empty_cache_steps` hands memory back to the driver, `include_num_input_tokens_seen`
    gathers and reads a count from the device, and `ddp_find_unused_parameters=True` walks the autograd graph once more.
    `optim="adamw_torch"` names the slower one of two equal optimizers: with torch 2.8 and newer the default is the
    fused one.

    Absent arguments are reported only where no others come from a dict. `bf16` counts as absent only where the file
    speaks of no half precision or quantised weights and loads no language model, whose stored weights may be in 16
    bits; `dataloader_num_workers` only where the file imports what decodes pictures or sound.

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
    unless = (only_evaluates,)
    message = "{fact}"
    help = "{instead}"
    fix_title = "Use the fused AdamW"
    fix_safety = Safety.UNSAFE

    def found(self, site: Site) -> Iterator[Match]:
        """Arguments that cost, and those whose absence does."""
        for match in costly(site, *HUGGING_FACE):
            slower = constant(match.site.node) == SLOWER_OPTIMIZER
            yield replace(match, fix_needs=FUSED_ADAMW_SINCE) if slower else match
        yield from missing_arguments(site)

    def edits(self, site: Site, match: Match) -> Iterable[Edit]:
        """The fused optimizer, where the slower one is reported."""
        from trainlint.fixing.rewrite import set_keyword

        if constant(match.site.node) == SLOWER_OPTIMIZER:
            yield set_keyword(site.source, site.call, "optim", '"adamw_torch_fused"')
