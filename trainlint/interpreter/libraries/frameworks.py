"""What frameworks call, and what is presumed to run although nobody in sight calls it."""

from __future__ import annotations

import re
from typing import Final

from trainlint.analysis.tables.frameworks.hooks import OBSERVER_STEP_NAMES

TRAINING_STEP: Final = "training_step"
EVALUATION_FUNCTION: Final = re.compile(
    r"^_?(val|valid|validate|validation|eval|evaluate|evaluation|test|validation_step|test_step|predict|predict_step"
    r"|inference)(_|$)|_(eval|evaluate|validate|validation)$",
    re.IGNORECASE,
)
"""Names of functions that evaluate, whoever calls them."""
BESIDE_TRAINING: Final = re.compile(
    r"^_?(run_|do_|plot_)?(visuali[sz]\w*|profile|profiling|benchmark\w*|grad_?cam\w*|saliency\w*)$",
    re.IGNORECASE,
)
"""Names of functions that may compute gradients and yet train nothing."""
LIGHTNING_TRAINER: Final = re.compile(r"^(pytorch_)?lightning\..*\bTrainer$")
"""Makes what runs the loop over the loaders that its `fit` is given."""
STEP_HOOKS: Final = {
    "training_step": r".",
    "training_step_end": r"Lightning",
    "on_train_batch_start": r"Lightning|Callback|pl\.",
    "on_train_batch_end": r"Lightning|Callback|pl\.",
    "on_train_step_begin": r"Callback",
    "on_train_step_end": r"Callback",
    "on_before_zero_grad": r".",
    "on_after_backward": r".",
    "optimizer_step": r"Lightning|Trainer",
    "compute_loss": r"Trainer",
    "train_step": r".",
    "_compute_loss": r"Trainer",
    "_train_step": r".",
    "train_one_step": r".",
    "forward_train": r".",
    "run_step": r".",
    "on_before_optimizer_step": r".",
    "after_train_iter": r"Hook",
    "before_train_iter": r"Hook",
    "after_iter": r"Hook",
    "backward": r"Lightning",
    "lr_scheduler_step": r"Lightning",
    "get_batch_loss_metrics": r"Trainer",
    "fit_batch": r"Brain",
    "compute_forward": r"Brain",
    "compute_objectives": r"Brain",
    "manual_backward": r"Lightning",
    "on_step_end": r"Callback",
}
"""Methods that frameworks call in each step, with a pattern for the names of their classes' bases."""


def is_step_hook(name: str, bases: str) -> bool:
    """Whether a framework calls a method in each step, by its name and the names of its class's bases."""
    if name in STEP_HOOKS:
        return re.search(STEP_HOOKS[name], bases) is not None
    return "Callback" in bases and OBSERVER_STEP_NAMES.fullmatch(name) is not None


WITHOUT_BATCH: Final = frozenset({"run_step", "step", "optimizer_step", "on_step_end"})
"""Methods that are not given tensors."""
FIRST_ALONE: Final = frozenset({"training_step", "train_step"})
"""Methods whose first argument alone is a batch."""
PRESUMED: Final = frozenset(
    {
        "forward",
        "__call__",
        "loss",
        "compute_loss",
        "get_loss",
        "forward_features",
        "forward_train",
        "training_step",
    }
)
"""Methods of modules that run in each step, where nobody in sight calls them."""
FORWARD_NAME: Final = re.compile(r"(^|_)forward($|_)")
NOT_TRAINING: Final = re.compile(
    r"(^|_)(eval|evaluate|val|valid|validate|validation|validating|evaluation|test|inference|infer|predict|prediction"
    r"|sample|sampling|generate|generation|visuali[sz]e|plot|draw|save|load|export|onnx|demo|decode|beam|search|extract"
    r"|benchmark|init|reset|build|get_config|summary|synthesize|postprocess|dump|checkpoint|log_images?|restore|render"
    r"|debug|animate|show)(_|$)",
    re.IGNORECASE,
)
"""Names of functions and classes that are for something else than training."""
NOT_TRAINING_PATH: Final = re.compile(
    r"(^|/|_)(eval|evaluate|evaluation|inference|infer|demo|demos|test|tests|predict|export|convert|deploy|benchmark"
    r"|generate|sample|sampling|visuali[sz]e|visuali[sz]ation|notebooks?|hubconf|preprocess|prepare|server|webui|gradio"
    r"|app|examples?/inference|onnx|conversion|scripts/convert)(_|/|\.|$)",
    re.IGNORECASE,
)
NOT_A_TENSOR: Final = re.compile(
    r"(^|_)(idx|index|epoch|step|iter|mode|name|cfg|config|args|opt|flag|ctx|model|num|n|size|phase|split|return|use|is"
    r"|hw|HW|[hHwW]|dim|shape|stage|scale|optimizer.*|optim)($|_)|shapes?$"
    r"|^(k|dims?|batch_size|reduction|logger|state|trainer|outputs_dict)$|len(gth)?$"
)
"""Names of parameters that are no tensors, though the method gets batches."""
TARGETS: Final = re.compile(r"(^|_)(targets?|labels?|gts?|ground_truths?)($|_)")
"""Names of optional parameters that a forward pass is given where it trains."""
DECODING_STATE: Final = re.compile(r"(^|_)(cache|past|incremental)($|_)|^past_key_values?$")
"""Names of optional parameters that a forward pass is given where it decodes, token by token."""
LOADER_PARAMETER: Final = re.compile(r"(^|_)(data_?loader|loader|train_dl|dl|train_iter)s?$")
