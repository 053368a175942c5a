"""A launcher of a project's own over the one that torch retired, and the settings that it writes for Accelerate."""

import yaml
from torch.distributed.launch import main, parse_args  #! TRN536


def write(path):
    settings = {
        "compute_environment": "LOCAL_MACHINE",
        "distributed_type": "FSDP",
        "mixed_precision": "no",  #! TRN536
        "fsdp_config": {
            "fsdp_auto_wrap_policy": "NO_WRAP",  #! TRN536
        },
    }
    path.write_text(yaml.safe_dump(settings))


def start(script):
    main(parse_args(["--nproc_per_node=8", script]))
