"""What names in tests mean, as patterns."""

from __future__ import annotations

import re
from typing import Final


def _word(words: str) -> re.Pattern[str]:
    return re.compile(rf"(^|_)({'|'.join(words.split())})($|_)", re.IGNORECASE)


def _whole(names: str) -> re.Pattern[str]:
    return re.compile(rf"^_?({'|'.join(names.split())})$", re.IGNORECASE)


_EVALUATION_WORDS: Final = (
    "eval evaluate evaluating evaluation val validate validation validating test testing infer inference export onnx"
    " tracing jit scripting"
)
_ASKED: Final = r"(is_|do_|to_|should_|need_|use_|run_|in_)?"
EVALUATION: Final = re.compile(
    rf"{_word(_EVALUATION_WORDS).pattern}|^_?{_ASKED}(valid|dev|generate|generating|generation|sampling|predict|predicting"
    r"|prediction)(_?(mode|only|step|phase|epoch|loader|set))?$",
    re.IGNORECASE,
)
TRAINING: Final = _word("train training")
"""In a string that names a phase."""
TRAINING_FLAG: Final = _whole(r"(is_?|do_|in_|was_|for_)?train(ing)?(_?(mode|phase|time|only|flag))?")
"""In a name. `train_on_crops` says how to train, not whether."""
RARE: Final = re.compile(
    r"(^|_)(verbose|debug|debugging|display|vis|visuali[sz]e|visuali[sz]ation|plot|checkpoint|ckpt|dump|interval|freq"
    r"|frequency|every|period|summary|profile|profiler|profiling|best|dry_run|monitor|benchmark|sanity|timing|histogram"
    rf"|print|report)($|_)|^_?{_ASKED}sav(e|ing)($|_)|_save$"
    r"|(^|_)log(s|ging)?(?!_?(prob|std|var|scale|sigma|softmax|likelihood|mel|spec|space|det|alpha|sum|ratio|p$))($|_)"
    r"|^_?(is_|at_)?first(_?(step|iter|batch|time|epoch|call|forward|backward|run|pass)\w*)?$"
    rf"|^_?(early_|{_ASKED})stop(ping|ped)?$|(^|_)is_last($|_)",
    re.IGNORECASE,
)
ONCE_TRUE: Final = _whole(r"(is_)?(initiali[sz]ed|initted|inited|built|warmed_up|setup_done|is_setup)")
"""Marks that are unset the first time only."""
UNSET: Final = re.compile(r"^_?(disabled?_|(clear|empty|free)_(\w+_)?(cache|memory)($|_))", re.IGNORECASE)
"""Flags that are mostly unset: they switch something off, as `disable_adapters` does, or release memory."""
SOME_VALID: Final = re.compile(r"(^|_)(valid|masks?|masked)(_[a-z]{1,30})?\.(any|sum)\(\)$")
"""Whether anything is left of the data, which mostly is."""
NO_MEANING: Final = re.compile(
    r"(^|_)((use|act|activation|grad|gradient)_checkpoint|(ret|return|min|max|default)_val|is_valid|prob|log_dict|filter)$",
    re.I,
)
"""Names that look like those above and say nothing of how often: `use_checkpoint` saves memory in each step."""
RANK: Final = re.compile(r"rank|main_process|is_master|is_main|is_chief|world_size|distributed|num_processes", re.I)
GPU: Final = re.compile(
    r"(^|(?<!no)(?<!disable)_)(cuda|gpus?|gpu_ids?|n_?gpus?|num_gpus?)$|^(use|is|has|with|on)_(cuda|gpu)"
    r"|cuda(_is)?_available|is_cuda$",
    re.IGNORECASE,
)
GPU_AVAILABLE: Final = re.compile(r"(cuda|accelerator)\.is_available")
OTHER_DEVICE: Final = re.compile(
    r"(^|[._'\"])(mps|xpu|npu|tpu|xla|hpu|use_tpu|musa|is_torch_xla_available|is_torch_npu_available"
    r"|(no|disable)_(cuda|gpu))($|[._'\"(])",
    re.I,
)
OTHER_KIND: Final = re.compile(r"(MULTI_)?(CPU|XLA|TPU|NPU|XPU|HPU|MPS|MLU|MUSA|SDAA|NEURON)$")
COUNTER: Final = re.compile(
    r"^_?(global_?steps?|steps?|iter|iteration|it|batch_?idx|batch_?i|batch_?id|batch_?num|batch_?index|epoch|cur_?iter"
    r"|cur_?epoch|current_?(step|epoch|iter)|i_batch|iter_?num|num_?iter|itr|num_updates|total_?(step|iter)s?|step_?num"
    r"|_?n_?updates|train_?steps?|cumulative_iters|(batch|step|iter|update)_?count)$"
)
"""Names of counters of steps, whatever their value. `i` counts only where its loop is known."""
PROGRESS: Final = re.compile(r"(^|[._])(p|progress|tqdm|batch)_?bar\.n$")
"""What a progress bar has counted."""
ACCUMULATION: Final = re.compile(
    r"accum|micro|grad_acc|(?<![a-z]_)update_freq|aggregat|virtual|ga_steps|n_critic|critic_iter|d_reg|subdivision"
    r"|(policy|actor)_(freq|delay|interval)",
    re.IGNORECASE,
)
INFINITE: Final = re.compile(r"(^|\.)(inf|infty)$|^float\('inf(inity)?'\)$", re.IGNORECASE)
INTERVAL: Final = re.compile(
    r"freq|every|interval|period|(?<![a-z])per_(checkpoint|ckpt|log|print|save|eval|report)"
    r"|(?<![a-z])(log|logging|print|save|eval|val|checkpoint|ckpt|snapshot|summary|report|display|vis|plot)_?(steps?|iters?"
    r"|iterations?|ticks?|batch(es)?|updates?)(?![a-z])",
    re.IGNORECASE,
)
"""The length of an interval: `print_freq`, `log_step`, `steps_per_checkpoint`."""
LIMIT: Final = re.compile(r"max|total|end|limit|patience|num_|n_iter|len|stop|budget", re.IGNORECASE)
BEST: Final = re.compile(r"(^|_)best($|_)")
CHANCE: Final = re.compile(r"(^|\.)random(\.random|\.rand)?\(\)$")
"""Draws a number between 0 and 1."""
SELDOM: Final = 0.1
"""So small a chance makes code run now and then."""
FAILURE: Final = re.compile(r"\.(isnan|isinf)\(")
"""Asks whether training has gone wrong."""
PADDING: Final = re.compile("pad", re.IGNORECASE)
"""What may be 'valid' without being validated."""
ELAPSED: Final = re.compile(r"time\(\)|last_")
PASSED_TIME: Final = re.compile(rf"{ELAPSED.pattern}|interval|_freq|_every")
ON_GPU: Final = frozenset({"cuda", "gpu"})
ON_OTHERS: Final = frozenset({"cpu", "mps", "xla", "npu", "xpu"})
OFTEN: Final = 4
"""An interval of at most so many steps counts as each step."""
