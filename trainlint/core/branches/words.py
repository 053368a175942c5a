"""What names in tests mean, as patterns."""

from __future__ import annotations

import re
from typing import Final


def _word(words: str) -> re.Pattern[str]:
    return re.compile(rf"(^|_)({'|'.join(words.split())})($|_)", re.IGNORECASE)


EVALUATION: Final = _word(
    "eval evaluate evaluating evaluation val valid validate validation validating test testing infer inference sampling"
    " predict is_?test do_?eval dev generate export onnx tracing jit scripting"
)
TRAINING: Final = _word("train training is_?train istraining")
RARE: Final = _word(
    "log logs logging print verbose debug debugging display vis visuali[sz]e visualization plot save saving checkpoint"
    " ckpt dump interval freq frequency every period summary profile profiler profiling best first initialized initted"
    " inited is_last dry_run monitor benchmark sanity timing histogram early_?stop stop tensorboard_step report"
)
RANK: Final = re.compile(r"rank|main_process|is_master|is_main|is_chief|world_size|distributed|num_processes", re.I)
GPU: Final = re.compile(
    r"(^|_|\.)(cuda|gpu|gpus|gpu_id|gpu_ids|use_cuda|use_gpu|n_gpu|num_gpus?|ngpus?|is_cuda)($|_|\()|cuda\.is_available",
    re.IGNORECASE,
)
OTHER_DEVICE: Final = re.compile(
    r"(^|[._'\"])(mps|xpu|npu|tpu|xla|hpu|use_tpu|musa|is_torch_xla_available|is_torch_npu_available)($|[._'\"(])", re.I
)
COUNTER: Final = re.compile(
    r"^(global_?steps?|steps?|iters?|iteration|iterations|it|i|j|idx|batch_?idx|batch_?i|batch_?id|batch_?num"
    r"|batch_?index|epochs?|cur_?iter|cur_?epoch|current_?(step|epoch|iter)|i_batch|n_iter|iter_?num|itr|num_updates"
    r"|total_?(step|iter)s?|step_?num|_?n_?updates|train_?steps?)$"
)
ACCUMULATION: Final = re.compile(
    r"accum|micro|grad_acc|update_freq|aggregat|virtual|ga_steps|n_critic|critic_iter|d_reg|subdivision", re.IGNORECASE
)
LIMIT: Final = re.compile(r"max|total|end|limit|patience|num_|n_iter|len|stop|budget|last", re.IGNORECASE)
LAST_ONE: Final = re.compile(r"(^|[._(])(total|len\(|max|last|final|end|num_batches)")
BEST: Final = re.compile(r"(^|_)best($|_)")
PASSED_TIME: Final = re.compile(r"time\(\)|interval|_freq|_every|last_")
ON_GPU: Final = frozenset({"cuda", "gpu"})
ON_OTHERS: Final = frozenset({"cpu", "mps", "xla", "npu", "xpu"})
OFTEN: Final = 4
"""An interval of at most so many steps counts as each step."""
