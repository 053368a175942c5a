"""Settings that are right, or that somebody chose with a reason."""

import deepspeed


def deliberate(arguments):
    return {
        "train_batch_size": 128,
        "train_micro_batch_size_per_gpu": 8,
        "gradient_accumulation_steps": 2,
        "fp16": {"enabled": arguments.half},
        "bf16": {"enabled": not arguments.half},
        "zero_optimization": {"stage": 2, "overlap_comm": False, "contiguous_gradients": True},
        "wall_clock_breakdown": arguments.timed,
    }


def from_elsewhere(stage, shared):
    return {
        "train_batch_size": "auto",
        "train_micro_batch_size_per_gpu": "auto",
        "zero_optimization": {"stage": stage, "offload_param": {"device": "cpu", "pin_memory": True}},
        "others": {"zero_optimization": {"stage": 1, **shared}},
    }


SHARDED = {"zero_optimization": {"stage": 3, "offload_param": {"device": "cpu"}}}
PLAIN = {"zero_optimization": {"stage": 1, "reduce_bucket_size": 50000000}}
ASYNCHRONOUS = {"zero_optimization": {"stage": 2, "zenflow": {"overlap_step": True}}}
OFF = {"zero_optimization": {"stage": 0}}
CHOICES = {"zero_optimization": {"stage": [0, 1, 2]}, "train_batch_size": [16, 32]}


def prepare(model, arguments):
    return deepspeed.initialize(model=model, config=deliberate(arguments))
