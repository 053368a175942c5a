"""Variables from before."""

import os

os.environ["NCCL_ASYNC_ERROR_HANDLING"] = "1"  #! TRN532
os.environ["NCCL_BLOCKING_WAIT"] = "0"  #! TRN532


def launch(arguments):
    env = dict(os.environ)
    if arguments.optimise:
        env["TORCH_NCCL_AVOID_RECORD_STREAMS"] = "1"  #! TRN532
    return env
