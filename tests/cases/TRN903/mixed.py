"""Two profilers in one call."""

import torch
import torch.autograd.profiler as profiler
from torch.autograd.profiler import profile
from torch.profiler import ProfilerActivity, schedule, tensorboard_trace_handler


def trace(model, inputs):
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as run:  #! TRN903
        model(inputs)
    return run


def phases(folder):
    return profiler.profile(  #! TRN903
        schedule=schedule(wait=1, warmup=1, active=2), on_trace_ready=tensorboard_trace_handler(folder)
    )


RUN = torch.autograd.profiler.profile(on_trace_ready=print)  #! TRN903
