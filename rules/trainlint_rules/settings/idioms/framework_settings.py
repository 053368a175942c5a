"""Settings of training frameworks that cost something in each step, one row each.

Settings that depend on the data, on the GPU or on what somebody wants to see are LIKELY at most, or POSSIBLE. Which
files hold such settings is known by `trainlint.training_settings.files`.
"""

from __future__ import annotations

from trainlint.finding import Confidence, Severity
from trainlint_rules.settings.idioms.setting_rows import ABSENT, Path, SettingRow

_FEW_STEPS = range(1, 11)
_OFF = (ABSENT, False, None)
SLOWER_OPTIMIZER = "adamw_torch"
IN_FLOAT32 = "training runs in float32"
LIGHTNING_BFLOAT16 = 'set `precision="bf16-mixed"`, or "16-mixed" on GPUs before Ampere'
_UNUSED_WEIGHTS = "{setting} walks the autograd graph once more in every backward pass to look for unused weights"
_ALL_WEIGHTS_TRAIN: tuple[tuple[Path, tuple[object, ...]], ...] = (
    (("adapter",), (ABSENT, None)),
    (("lora_r",), (ABSENT, None)),
    (("use_peft",), _OFF),
    (("tuner_type",), (ABSENT, "full")),
    (("finetuning_type",), (ABSENT, "full")),
)
"""With adapters the optimizer has few weights, and no optimizer is slow; and where adapters are put on parts that a
batch may leave out, DDP has to look for them."""
_IN_FEWER_BITS = (
    "fp16", "float16", "bfloat16", "pure_bf16", "torch_dtype", "dtype", "fp8", "gptq", "load_in_4bit", "load_in_8bit",
    "quantization_bit", "quant_bits",
)  # fmt: skip
"""Other settings by which training may compute in fewer bits than float32."""


def _slower_optimizer(name: str) -> SettingRow:
    return SettingRow(
        (name,),
        "{setting} selects the slower one of two equal optimizers",
        "use `adamw_torch_fused`, which is the default since torch 2.8",
        values=(SLOWER_OPTIMIZER,),
        where=_ALL_WEIGHTS_TRAIN,
        sure=Confidence.LIKELY,
        severity=Severity.ADVICE,
    )


def _often(name: str, act: str, every: str, *, by: tuple[tuple[str, tuple[object, ...]], ...]) -> SettingRow:
    """A row for what is done after every few steps."""
    return SettingRow(
        (name,),
        f"{{setting}} {act} after every few steps",
        every,
        values=_FEW_STEPS,
        where=tuple(((key,), values) for key, values in by),
        sure=Confidence.LIKELY,
    )


_LESS_OFTEN = "evaluate every few hundred steps, or once an epoch"
HUGGING_FACE = (
    _slower_optimizer("optim"),
    SettingRow(
        ("ddp_find_unused_parameters",),
        _UNUSED_WEIGHTS,
        "leave it out unless the model skips some of its weights",
        values=(True,),
        where=_ALL_WEIGHTS_TRAIN,
    ),
    SettingRow(
        ("include_num_input_tokens_seen",),
        "{setting} gathers a count from all ranks and forces a GPU sync in every training step",
        "leave it out unless you need the count",
        values=(True, "all", "non_padding"),
    ),
    SettingRow(
        ("torch_empty_cache_steps",),
        "{setting} frees cached GPU memory every few steps, and the next step allocates it again",
        "leave it out, or set it to some hundred steps",
        values=_FEW_STEPS,
        sure=Confidence.LIKELY,
    ),
    SettingRow(
        ("dataloader_num_workers",),
        "{setting} loads every batch in the training process while the GPU waits",
        "set it to 2 or more",
        values=(0,),
        sure=Confidence.LIKELY,
        severity=Severity.ADVICE,
    ),
    SettingRow(
        ("dataloader_pin_memory",),
        "{setting} copies batches to the GPU from pageable memory",
        "leave it out: memory is pinned by default",
        values=(False,),
        sure=Confidence.LIKELY,
        severity=Severity.ADVICE,
    ),
    SettingRow(
        ("logging_steps",),
        "{setting} gathers the loss from all ranks and forces GPU syncs in every training step",
        "log every 10 steps or more",
        values=(1,),
        sure=Confidence.POSSIBLE,  # nothing next to steps that take seconds, as those of language models do
        severity=Severity.ADVICE,
    ),
    *(
        _often("eval_steps", "evaluates", _LESS_OFTEN, by=((strategy, ("steps",)),))
        for strategy in ("eval_strategy", "evaluation_strategy")
    ),
    _often(
        "save_steps",
        "writes a checkpoint",
        "save every few hundred steps",
        by=(("save_strategy", (ABSENT, "steps")),),
    ),
    SettingRow(
        ("full_determinism",),
        "{setting} selects deterministic kernels and makes the CPU wait for each (`CUDA_LAUNCH_BLOCKING=1`)",
        "set `seed` alone unless runs must match bit for bit",
        values=(True,),
    ),
)
"""Of `TrainingArguments`."""


def _eager_attention(name: str, value: str) -> SettingRow:
    return SettingRow(
        (name,),
        "{setting} stores a matrix of all queries by all keys in each layer",
        "leave it out, or choose SDPA or FlashAttention",
        values=(value,),
        sure=Confidence.LIKELY,
    )


EAGER_ATTENTION = (
    _eager_attention("attn_implementation", "eager"),
    _eager_attention("attn_impl", "eager"),
    _eager_attention("flash_attn", "disabled"),
)
"""Of LLaMA-Factory, TRL, ms-swift and axolotl. Authors of some models recommend it."""
HUGGING_FACE_FILES = (
    *HUGGING_FACE,
    _slower_optimizer("optimizer"),
    SettingRow(
        ("bf16",),
        IN_FLOAT32,
        "set `bf16: true`, or `fp16: true` on GPUs before Ampere",
        values=(False,),
        where=tuple(((key,), _OFF) for key in _IN_FEWER_BITS),
        sure=Confidence.LIKELY,
        severity=Severity.ADVICE,
    ),
)
"""Of files that become `TrainingArguments` along with arguments of the model and the data."""
LIGHTNING = (
    SettingRow(
        ("precision",),
        IN_FLOAT32,
        LIGHTNING_BFLOAT16,
        values=(32, "32", "32-true"),
        where=((("accelerator",), ("gpu", "cuda")),),
        sure=Confidence.LIKELY,
        severity=Severity.ADVICE,
    ),
)
"""Of Lightning's `Trainer`."""
REDUCED = SettingRow(
    ("sync_dist",),
    "{setting} reduces this value over all ranks in every training step",
    "leave it out, or log the mean of an epoch with `on_step=False, on_epoch=True`",
    values=(True,),
)
SHOWN = SettingRow(
    ("prog_bar",),
    "{setting} forces a GPU sync each time the bar is drawn, by default in every training step",
    "draw the bar less often: `TQDMProgressBar(refresh_rate=50)`",
    values=(True,),
    sure=Confidence.LIKELY,
)
"""Of `self.log` in a LightningModule."""
