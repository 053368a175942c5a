"""Settings of Accelerate that are as they should be, or that are for a machine without GPUs."""

import torch.distributed.run as launcher

HALF = {"compute_environment": "LOCAL_MACHINE", "distributed_type": "MULTI_GPU", "mixed_precision": "bf16"}
HOST = {"compute_environment": "LOCAL_MACHINE", "distributed_type": "MULTI_CPU", "mixed_precision": "no"}
SLOW_MACHINE = {
    "compute_environment": "LOCAL_MACHINE",
    "distributed_type": "NO",
    "use_cpu": True,
    "mixed_precision": "no",
}
STATE = {"distributed_type": "NO", "mixed_precision": "no"}


def start(script):
    launcher.main(["--nproc_per_node=8", script])
