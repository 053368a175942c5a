"""Calls what PyTorch calls when an operator of CUDA is about to wait: without a device, nobody else does."""

import ctypes

import torch
from torch.cuda import _gpu_trace
from toy import model_and_optimizer, step

streams = _gpu_trace.StreamSynchronizationCallbacks
libc = ctypes.CDLL(None)
# A thread without any Python of its own, as those of autograd.
on_a_thread = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(streams.fire_callbacks)


class Waits(torch.autograd.Function):
    """Waits in backward, on another thread."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        thread = ctypes.c_ulong()
        start, join = libc.pthread_create, libc.pthread_join
        # On one line: the thread may wait as soon as it is started, before the next line is reached.
        start(ctypes.byref(thread), None, on_a_thread, None), join(thread, None)  # in backward
        return gradient


def in_an_operator():
    streams.fire_callbacks(0)  # stream


model, optimizer = model_and_optimizer()
x = torch.ones(3, requires_grad=True)
while True:
    in_an_operator()
    _gpu_trace.DeviceSynchronizationCallbacks.fire_callbacks()  # device
    _gpu_trace.EventSynchronizationCallbacks.fire_callbacks(0)  # event
    x.sum().item(), streams.fire_callbacks(0)  # told
    Waits.apply(x).sum().backward()
    step(model, optimizer)
