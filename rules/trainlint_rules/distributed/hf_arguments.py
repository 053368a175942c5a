"""TRN521."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.names import argument, constant, has_unpacked_arguments
from trainlint.finding import Finding, Fix, Safety, Severity
from trainlint.patterns import lazy
from trainlint.rule import Rule, Triggers

_HALF = lazy(
    r"bfloat16|float16|\bbf16|\bfp16|\.half\(|load_in_[48]bit|BitsAndBytes|GPTQ|AWQ|use_cpu|no_cuda|use_mps|"
    r"(CausalLM|ConditionalGeneration)\.from_pretrained"
)
"""What the text says where weights or training may be in lower precision already, or not on a GPU: weights of language
models are mostly stored in 16 bits, and transformers loads them as they are from version 5 on."""
_DECODES = lazy(r"ImageProcessor|FeatureExtractor|torchvision|\bPIL\b|librosa|torchaudio|datasets\.Audio|cv2")
"""What makes a sample expensive: pictures and sound are decoded when the loader asks for them."""
_Found = tuple[ast.expr | None, str, Severity, float]


class HfArguments(Rule):
    """Arguments of the Hugging Face Trainer that slow each step or leave the GPU's fast units idle

    ## Why
    The Trainer's defaults are careful, not fast: float32, and batches loaded in the training process. A few arguments
    cost in each step: `torch_empty_cache_steps` hands memory back to the driver, `include_num_input_tokens_seen`
    gathers and reads a count from the device, and `ddp_find_unused_parameters=True` walks the autograd graph once more.
    `optim="adamw_torch"` names the slower one of two equal optimizers: with torch 2.8 and newer the default is the
    fused one.

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

    ## Stays silent
    Where arguments come from the command line, a dict or a class of the project's own; for arguments that only
    evaluate; about precision, where the file speaks of half precision or quantised weights, or loads a language model,
    whose stored weights may be in 16 bits; about workers, unless the file decodes pictures or sound; in tests.

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
    severity = Severity.WARNING
    fix_safety = Safety.UNSAFE
    heat_matters = False
    triggers = Triggers(calls=frozenset({"TrainingArguments", "Seq2SeqTrainingArguments"}))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find arguments that cost, and those whose absence does."""
        if not (site.origin(site.call.func) or "").startswith("transformers.") or is_test_path(site.path):
            return
        for node, message, severity, confidence in (*_given(site.call), *_missing(site)):
            fix = _fused(site) if node is not None and constant(node) == "adamw_torch" else None
            yield self.finding(site, message, at=node, confidence=confidence, severity=severity, fix=fix)


def _given(call: ast.Call) -> Iterator[_Found]:
    optimizer = argument(call, "optim")
    if constant(optimizer) == "adamw_torch":
        message = (
            'since torch 2.8 the Trainer takes the fused AdamW by itself; `optim="adamw_torch"` asks for the slower one'
        )
        yield optimizer, message, Severity.ADVICE, 0.9
    for name, costly, message in (
        (
            "ddp_find_unused_parameters",
            (True,),
            "each backward pass walks the graph once more to look for unused weights",
        ),
        (
            "include_num_input_tokens_seen",
            (True, "all", "non_padding"),
            "counting tokens gathers a number from all ranks and reads it from the device in each step",
        ),
    ):
        value = argument(call, name)
        if value is not None and constant(value) in costly:
            yield (
                value,
                f"`{name}={ast.unparse(value)}`: {message}; leave it out unless it is needed",
                Severity.WARNING,
                0.9,
            )
    every = argument(call, "torch_empty_cache_steps")
    steps = constant(every)
    if isinstance(steps, int) and steps <= 10:
        message = f"the cache of device memory is emptied every {steps} steps and filled again; leave it out"
        yield every, message, Severity.WARNING, 0.85


def _missing(site: Site) -> Iterator[_Found]:
    call, text = site.call, site.source.text
    given = {keyword.arg for keyword in call.keywords}
    if has_unpacked_arguments(call) or not given & {"per_device_train_batch_size", "num_train_epochs", "max_steps"}:
        return
    if constant(argument(call, "do_train")) is False:
        return
    if not given & {"fp16", "bf16"} and not _HALF.search(text):
        message = "it trains in float32: give it `bf16=True` (or `fp16=True` on GPUs before Ampere)"
        yield None, message, Severity.ADVICE, 0.85
    if "dataloader_num_workers" not in given and _DECODES.search(text):
        message = "samples are decoded in the training process, between the steps; give it `dataloader_num_workers`"
        yield None, message, Severity.WARNING, 0.85


def _fused(site: Site) -> Fix | None:
    from trainlint.fixing.rewrite import attempt, set_keyword

    return attempt(
        lambda: Fix(
            "Take the fused AdamW",
            (set_keyword(site.source, site.call, "optim", '"adamw_torch_fused"'),),
            Safety.UNSAFE,
        )
    )
