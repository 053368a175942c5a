"""Rules that trainlint had, and the rules that tell now what they told.

`select`, ignore comments and baselines may still name them: they mean their successors there. What has none is no
longer looked for. `ignore` turns off no rule that it does not name.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

RETIRED = {
    "TRN110": "device-work-in-worker",
    "TRN206": "unsynchronised-host-read",
    "TRN211": "sync-per-parameter",
    "TRN212": "progress-bar-reads-each-step",
    "TRN214": "nan-guard-each-step",
    "TRN217": "host-random-fed-to-device",
    "TRN218": "tensor-handed-to-reader",
    "TRN219": "non-blocking-from-pageable",
    "TRN305": "graph-retained",
    "TRN310": "allocator-setting-too-late",
    "TRN316": "checkpoint-module-called",
    "TRN411": "double-precision-tensor",
    "TRN418": "float32-cast-before-transfer",
    "TRN506": "collective-not-overlapped",
    "TRN512": "optimizer-before-fsdp",
    "TRN515": "full-state-dict-on-device",
    "TRN516": "save-on-every-rank",
    "TRN523": "no-sync-around-backward-only",
    "TRN524": "collective-on-temporary",
    "TRN525": "fsdp-clipped-locally",
    "TRN526": "ddp-module-bypassed",
    "TRN527": "rank-guarded-collective",
    "TRN528": "async-then-wait",
    "TRN531": "broadcast-before-ddp",
    "TRN533": "local-batch-norm",
    "TRN534": "blocking-checkpoint",
    "TRN603": "optimizer-built-in-loop",
    "TRN608": "clip-after-step",
    "TRN609": "step-size-not-scaled",
    "TRN610": "adagrad-before-device",
    "TRN611": "clip-per-parameter",
    "TRN704": "compile-in-loop",
    "TRN712": "one-hot-matmul",
    "TRN816": "cuda-default-tensor-type",
    "TRN905": "throughput-from-host-clock",
    "TRN906": "benchmark-without-warm-up",
}
"""By the code. No new rule gets one of these codes or names."""
_READS = ("TRN201", "TRN202", "TRN203")
TOLD_BY = {
    "TRN211": _READS,
    "TRN212": _READS,
    "TRN214": ("TRN201", "TRN203"),
    "TRN217": ("TRN207",),
    "TRN218": _READS,
    "TRN219": ("TRN205", "TRN207"),
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
