"""TRN536."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.contract.bases import SettingRule
from trainlint.contract.declared_rule import Match
from trainlint.contract.guard import early_guard
from trainlint.rule import Triggers
from trainlint_rules.settings.idioms.framework_settings import ACCELERATE
from trainlint_rules.settings.idioms.setting_rows import claims, matches

_OLD = {"fact": "`torch.distributed.launch` is deprecated since torch 1.9", "instead": "use `torch.distributed.run`"}


@early_guard
def _without_gpus(site: Site) -> bool:
    """Training runs on the CPU or on TPUs."""
    if not isinstance(site.node, ast.Dict):
        return False
    kind = site.settings.literal("distributed_type")
    return site.settings.literal("use_cpu") is True or kind in ("MULTI_CPU", "SAGEMAKER", "TPU", "XLA")


class LauncherConfig(SettingRule):
    """A launcher's settings that keep training in float32, or gather all weights at once

    ## Why
    `accelerate launch` reads how to train from a YAML file that its questionnaire writes, and the first answer to
    several of its questions is "no": `mixed_precision: no` trains in float32 whatever the script could do.
    `fsdp_auto_wrap_policy: NO_WRAP` makes the whole model one unit of FSDP, so that all weights are gathered at once
    and nothing is saved while the model computes. `torch.distributed.launch` is deprecated since torch 1.9; torchrun
    takes its place.

    Precision is not judged where a section for DeepSpeed may set it.

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
    preview = True
    on = ("distributed_type",)
    also = Triggers(references=("torch.distributed.launch",))
    unless = (_without_gpus,)
    message = "{fact}"
    help = "{instead}"

    def found(self, site: Site) -> Iterator[Match]:
        """Settings of `accelerate launch` that waste the GPUs, and imports of the old launcher."""
        if isinstance(site.node, ast.ImportFrom):
            yield Match(site, fields=_OLD)
        if not isinstance(site.node, ast.Dict) or site.settings.literal("compute_environment") is ...:
            return
        yield from matches(site, claims(site.settings, ACCELERATE))
