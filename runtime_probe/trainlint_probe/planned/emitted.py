"""Configurations of DeepSpeed, FSDP2 and Accelerate for what a plan recommends."""

from __future__ import annotations

import json

from trainlint.cli.console import UsageError
from trainlint.planning.strategies import DDP, FSDP2_GATHERED, HYBRID, ONE, Strategy
from trainlint.planning.training import Checkpointing, Precision, Training


def emitted(kind: str, strategy: Strategy, training: Training) -> str:
    """The text of a configuration. Raises UsageError where the library has no such strategy."""
    match kind:
        case "deepspeed":
            return json.dumps(deepspeed(strategy, training), indent=2) + "\n"
        case "accelerate":
            return _yaml(accelerate(strategy, training))
    return fsdp2(strategy, training)


def deepspeed(strategy: Strategy, training: Training) -> dict[str, object]:
    """`ds_config.json`. Raises UsageError for hybrid sharding, which ZeRO has under another name and other options."""
    if strategy is HYBRID:
        raise UsageError(
            "DeepSpeed has no such hybrid of sharding and replication; use --emit fsdp2, or --strategy zero3"
        )
    zero: dict[str, object] = {"stage": strategy.stage}
    if strategy.stage:
        zero |= {"overlap_comm": True, "contiguous_gradients": True}
    if strategy.offloads:
        zero["offload_optimizer"] = {"device": "cpu", "pin_memory": True}
    return {
        "train_micro_batch_size_per_gpu": training.batch,
        "gradient_accumulation_steps": training.accumulation,
        "bf16": {"enabled": training.precision is not Precision.FP32},
        "zero_optimization": zero,
    }


def accelerate(strategy: Strategy, training: Training) -> dict[str, object]:
    """The file that `accelerate config` writes."""
    cluster = training.cluster
    data: dict[str, object] = {
        "compute_environment": "LOCAL_MACHINE",
        "distributed_type": "NO" if strategy is ONE else "MULTI_GPU",
        "mixed_precision": "no" if training.precision in (Precision.FP32, Precision.BF16) else "bf16",
        "num_machines": cluster.nodes,
        "num_processes": cluster.gpus,
        "machine_rank": 0,
        "use_cpu": False,
    }
    if strategy.shards_optimizer and (strategy.offloads or not strategy.shards_weights):
        data["distributed_type"] = "DEEPSPEED"
        data["deepspeed_config"] = {
            "zero_stage": strategy.stage,
            "gradient_accumulation_steps": training.accumulation,
            "offload_optimizer_device": "cpu" if strategy.offloads else "none",
            "offload_param_device": "none",
            "zero3_init_flag": strategy.shards_weights,
            "zero3_save_16bit_model": strategy.shards_weights,
        }
    elif strategy.shards_weights:
        if strategy is HYBRID:
            raise UsageError("Accelerate's FSDP2 takes no mesh of nodes in its file; use --emit fsdp2")
        data["distributed_type"] = "FSDP"
        data["fsdp_config"] = {
            "fsdp_version": 2,
            "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
            "fsdp_reshard_after_forward": strategy is not FSDP2_GATHERED,
            "fsdp_activation_checkpointing": training.checkpointing is Checkpointing.FULL,
            "fsdp_state_dict_type": "SHARDED_STATE_DICT",
            "fsdp_offload_params": False,
            "fsdp_cpu_ram_efficient_loading": True,
        }
    return data


def fsdp2(strategy: Strategy, training: Training) -> str:
    """Python that wraps a model's layers by `fully_shard`. Raises UsageError for strategies that shard no weights."""
    if not strategy.shards_weights or strategy.offloads:
        other = "deepspeed" if strategy.shards_optimizer else "accelerate"
        kind = "offloads the optimizer" if strategy.offloads else "shards no weights"
        raise UsageError(
            f"{strategy.title} {kind}, so `fully_shard` is not what it needs; use --emit {other}"
            + ("" if strategy is not DDP else ", or --strategy fsdp2")
        )
    cluster = training.cluster
    if strategy is HYBRID:
        sizes, names = f"({cluster.nodes}, {cluster.gpus_a_node})", '("replicate", "shard")'
    else:
        sizes, names = f"({cluster.gpus},)", '("shard",)'
    policy = (
        "MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)"
        if training.precision in (Precision.AUTOCAST, Precision.MIXED)
        else "MixedPrecisionPolicy()"
    )
    return f'''\
import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard


def shard(model, layers, device_type="cuda"):
    """Shard each of the layers, then the rest of the model. Build the optimizer afterwards."""
    mesh = init_device_mesh(device_type, {sizes}, mesh_dim_names={names})
    policy = {policy}
    for layer in layers:
        fully_shard(layer, mesh=mesh, mp_policy=policy, reshard_after_forward={strategy is not FSDP2_GATHERED})
    return fully_shard(model, mesh=mesh, mp_policy=policy)
'''


def _yaml(data: dict[str, object]) -> str:
    import yaml

    return str(yaml.safe_dump(data, sort_keys=False))
