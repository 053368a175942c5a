"""Asynchronous calls beside which something runs, or may."""

import torch.distributed as dist


def beside(model, batch, gradient):
    work = dist.all_reduce(gradient, async_op=True)
    output = model(batch)
    work.wait()
    return output


def many(gradients):
    works = [dist.all_reduce(gradient, async_op=True) for gradient in gradients]
    for work in works:
        work.wait()


def handed_on(gradient):
    work = dist.all_reduce(gradient, async_op=True)
    return gradient, work


def chosen(gradient, async_op):
    work = dist.all_reduce(gradient, async_op=async_op)
    if work is not None:
        work.wait()


def on_a_stream_of_its_own(output, part, own_stream):
    if own_stream:
        work = dist.all_to_all_single(output, part, async_op=True)
        work.wait()
    else:
        dist.all_to_all_single(output, part)
    return output
