"""TRN536."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.programs.test_files import is_test_path
from trainlint.analysis.site import Site
from trainlint.analysis.syntax.literal_dicts import Settings
from trainlint.finding import Finding, Severity
from trainlint.rule import Rule, Triggers

_HOST_ONLY = ("MULTI_CPU", "SAGEMAKER", "TPU", "XLA")
_NO = ("no", "NO", False)


class LauncherConfig(Rule):
    """A launcher's settings that keep training in float32, or gather all weights at once

    ## Why
    `accelerate launch` reads how to train from a YAML file that its questionnaire writes, and the first answer to
    several of its questions is "no": `mixed_precision: no` trains in float32 whatever the script could do.
    `fsdp_auto_wrap_policy: NO_WRAP` makes the whole model one unit of FSDP, so that all weights are gathered at once
    and nothing is saved while the model computes. `torch.distributed.launch` is deprecated since torch 1.9; torchrun
    takes its place.

    ## Example
    ```python
    import sys

    from torch.distributed.launch import main

    if __name__ == "__main__":
        main(["--nproc_per_node=8", "train.py", *sys.argv[1:]])
    ```

    ## Use instead
    ```python
    import sys

    from torch.distributed.run import main

    if __name__ == "__main__":
        main(["--nproc_per_node=8", "train.py", *sys.argv[1:]])
    ```

    torchrun passes the local rank in the variable LOCAL_RANK instead of the argument `--local_rank`. In a YAML file:
    `mixed_precision: bf16` and `fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP`.

    ## Stays silent
    For files that train on the CPU or on TPUs, for values that are left out, and in tests.

    ## Confirmed by
    Kernels of float32 matrix products; one all-gather as large as the model at the start of forward.

    ## Gain
    Not measured here: that of mixed precision (TRN401), and of FSDP as such (TRN513). Nothing where the script sets its
    own precision.

    ## References
    - Accelerate's launcher: https://huggingface.co/docs/accelerate/basic_tutorials/launch
    - torchrun: https://docs.pytorch.org/docs/stable/elastic/run.html
    """

    code = "TRN536"
    name = "launcher-config"
    severity = Severity.WARNING
    heat_matters = False
    preview = True
    triggers = Triggers(dicts=frozenset({"distributed_type"}), references=("torch.distributed.launch",))

    def check(self, site: Site) -> Iterator[Finding]:
        """Find settings of `accelerate launch` that waste the GPUs, and the old launcher."""
        if is_test_path(site.path):
            return
        if not isinstance(site.node, ast.Dict):
            if isinstance(site.node, ast.ImportFrom):
                message = (
                    "`torch.distributed.launch` is deprecated since torch 1.9; use `torch.distributed.run` (torchrun)"
                )
                yield self.finding(site, message, confidence=0.95)
            return
        settings = Settings(site.node)
        if settings.literal("compute_environment") is ... or settings.literal("use_cpu") is True:
            return
        if settings.literal("distributed_type") in _HOST_ONLY:
            return
        precision = settings.get("mixed_precision")
        if precision is not None and precision.literal in _NO and settings.section("deepspeed_config") is None:
            message = "everything that this file launches trains in float32; set `mixed_precision` to bf16 (or fp16)"
            yield self.finding(site, message, at=precision.key, confidence=0.85, severity=Severity.ADVICE)
        policy = settings.get("fsdp_config", "fsdp_auto_wrap_policy")
        if policy is not None and policy.literal == "NO_WRAP":
            message = "FSDP takes the whole model as one unit and gathers all weights at once; wrap the layers"
            yield self.finding(site, message, at=policy.key, confidence=0.9)
