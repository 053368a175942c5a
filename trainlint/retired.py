"""Rules that trainlint had, and the rules that tell now what they told.

`select`, ignore comments and baselines may still name them: they mean their successors there. What has none is no
longer looked for. `ignore` turns off no rule that it does not name.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

RETIRED = {
    "TRN104": "loader-built-in-loop",
    "TRN109": "sampler-seeded-per-rank",
    "TRN110": "device-work-in-worker",
    "TRN111": "tensor-from-list-of-arrays",
    "TRN206": "unsynchronised-host-read",
    "TRN211": "sync-per-parameter",
    "TRN212": "progress-bar-reads-each-step",
    "TRN214": "nan-guard-each-step",
    "TRN217": "host-random-fed-to-device",
    "TRN218": "tensor-handed-to-reader",
    "TRN219": "non-blocking-from-pageable",
    "TRN305": "graph-retained",
    "TRN310": "allocator-setting-too-late",
    "TRN311": "outputs-kept-on-device",
    "TRN312": "deepcopy-in-training-step",
    "TRN315": "outputs-kept-with-graph",
    "TRN316": "checkpoint-module-called",
    "TRN317": "allocator-statistics-each-step",
    "TRN403": "scaler-without-half",
    "TRN407": "deterministic-left-on",
    "TRN409": "misaligned-dimension",
    "TRN410": "bias-before-batch-norm",
    "TRN411": "double-precision-tensor",
    "TRN412": "python-loop-over-tensor",
    "TRN413": "anomaly-detection-left-on",
    "TRN415": "forward-called-directly",
    "TRN417": "evaluation-in-train-mode",
    "TRN418": "float32-cast-before-transfer",
    "TRN503": "scalar-collectives-one-by-one",
    "TRN506": "collective-not-overlapped",
    "TRN511": "extreme-bucket-size",
    "TRN512": "optimizer-before-fsdp",
    "TRN514": "fsdp1-api",
    "TRN515": "full-state-dict-on-device",
    "TRN516": "save-on-every-rank",
    "TRN517": "device-not-set",
    "TRN519": "private-collective",
    "TRN523": "no-sync-around-backward-only",
    "TRN524": "collective-on-temporary",
    "TRN525": "fsdp-clipped-locally",
    "TRN526": "ddp-module-bypassed",
    "TRN527": "rank-guarded-collective",
    "TRN528": "async-then-wait",
    "TRN529": "reduce-scatter-by-hand",
    "TRN531": "broadcast-before-ddp",
    "TRN533": "local-batch-norm",
    "TRN534": "blocking-checkpoint",
    "TRN536": "launcher-config",
    "TRN537": "torchtune-recipe",
    "TRN602": "optimizer-unfused",
    "TRN603": "optimizer-built-in-loop",
    "TRN604": "scheduler-before-step",
    "TRN606": "gradients-dropped",
    "TRN608": "clip-after-step",
    "TRN609": "step-size-not-scaled",
    "TRN610": "adagrad-before-device",
    "TRN611": "clip-per-parameter",
    "TRN701": "attention-by-hand",
    "TRN702": "eager-attention",
    "TRN704": "compile-in-loop",
    "TRN706": "graph-break-in-compiled",
    "TRN708": "log-softmax-then-nll",
    "TRN710": "norm-by-hand",
    "TRN712": "one-hot-matmul",
    "TRN713": "big-logits-loss",
    "TRN714": "elementwise-chain",
    "TRN716": "unfused-batch-norm-inference",
    "TRN802": "sdp-kernel-context",
    "TRN803": "memory-cached",
    "TRN805": "functorch-namespace",
    "TRN813": "ddp-broadcast-buffers-renamed",
    "TRN815": "distributed-nn-deprecated",
    "TRN816": "cuda-default-tensor-type",
    "TRN901": "timing-without-sync",
    "TRN902": "profiler-left-on",
    "TRN903": "profiler-mixed-api",
    "TRN904": "profiler-without-schedule",
    "TRN905": "throughput-from-host-clock",
    "TRN906": "benchmark-without-warm-up",
}
"""By the code. No new rule gets one of these codes or names."""
_NAMES = ("TRN812",)
_READS = ("TRN201", "TRN202", "TRN203")
TOLD_BY = {
    "TRN211": _READS,
    "TRN212": _READS,
    "TRN214": ("TRN201", "TRN203"),
    "TRN217": ("TRN207",),
    "TRN218": _READS,
    "TRN219": ("TRN205", "TRN207"),
    "TRN315": ("TRN304",),
    "TRN519": _NAMES,
    "TRN802": _NAMES,
    "TRN803": _NAMES,
    "TRN805": _NAMES,
    "TRN815": _NAMES,
}
_CODES = {name: code for code, name in RETIRED.items()}


def retired_code(word: str) -> str | None:
    """The code of the retired rule that a word stands for, by its full code or its name; None for any other word."""
    return word.upper() if word.upper() in RETIRED else _CODES.get(word.lower())


def successors(word: str) -> tuple[str, ...]:
    """The codes of the rules that tell now what the retired rule told that a word stands for."""
    return TOLD_BY.get(retired_code(word) or "", ())


def retired_notes(words: Iterable[str]) -> tuple[str, ...]:
    """A sentence for each of the words that stands for a retired rule."""
    codes = dict.fromkeys(code for word in words if (code := retired_code(word)))
    return tuple(f"{code} ({RETIRED[code]}) is retired: {_now(code)}" for code in codes)


def _now(code: str) -> str:
    *others, last = successors(code) or ("",)
    if not last:
        return "nothing looks for it any more"
    return f"{', '.join(others)} and {last} tell it now" if others else f"{last} tells it now"
