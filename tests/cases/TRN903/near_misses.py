"""Each profiler with its own arguments."""

import torch
from torch.autograd.profiler import profile, record_function
from torch.profiler import ProfilerActivity
from torch.profiler import profile as new_profile


def trace(model, inputs, options):
    with profile(record_shapes=True, use_device="cuda") as first:
        with record_function("forward"):
            model(inputs)
    with new_profile(activities=[ProfilerActivity.CPU], on_trace_ready=print) as second:
        model(inputs)
    return first, second, torch.autograd.profiler.profile(**options)


class Runner:
    def profile(self, activities):
        return self.profiler.profile(activities=activities)
