"""Words by which a file shows that a process group may be started: by itself, or by a framework."""

from __future__ import annotations

STARTING_PROCESSES = tuple(
    b"init_process_group init_distributed init_dist init_device_mesh deepspeed ccelerat ightning Fabric Trainer "
    b"TrainingArguments fairscale horovod mmengine mmcv detectron2 colossalai composer ignite idist ray. rpc vllm "
    b"sglang tensorrt_llm".split()
)
"""Wide on purpose: a program of which no file holds one of these runs as one process."""
