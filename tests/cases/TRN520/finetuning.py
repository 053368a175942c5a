"""A script that keeps DeepSpeed's settings in dicts."""

import deepspeed


def settings(arguments):
    config = {
        "train_batch_size": 100,
        "train_micro_batch_size_per_gpu": 8,
        "gradient_accumulation_steps": 2,
        "fp16": {"enabled": True, "loss_scale": 0},
        "bf16": {"enabled": True},
        "zero_optimization": {  #! TRN520
            "stage": 2,
            "cpu_offload": True,  #! TRN520
            "offload_param": {"device": "cpu"},
            "offload_optimizer": {"device": "cpu", "pin_memory": False},  #! TRN520
            "contiguous_gradients": False,  #! TRN520
        },
        "wall_clock_breakdown": True,  #! TRN520
    }
    return config


def save_settings(arguments):
    return {
        "train_micro_batch_size_per_gpu": arguments.batch,
        "zero_optimization": {
            "stage": 3,
            "stage3_gather_fp16_weights_on_model_save": True,  #! TRN520
        },
    }


def prepare(model, arguments):
    return deepspeed.initialize(model=model, config=settings(arguments))
