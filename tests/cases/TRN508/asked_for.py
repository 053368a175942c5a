"""The search for unused parameters, switched on by a literal."""

import torch
from accelerate import Accelerator, DistributedDataParallelKwargs


def main(build_model, args):
    model = build_model(args).to(args.gpu)
    if args.distributed:
        model = torch.nn.parallel.DistributedDataParallel(  #! TRN508
            model,
            device_ids=[args.gpu],
            find_unused_parameters=True,
        )
    return model


def accelerator():
    kwargs = DistributedDataParallelKwargs(find_unused_parameters=True)  #! TRN508
    return Accelerator(kwargs_handlers=[kwargs])
