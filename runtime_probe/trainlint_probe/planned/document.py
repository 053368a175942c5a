"""A plan as JSON."""

from __future__ import annotations

import json

from trainlint.planning.fits import Outlook
from trainlint.planning.recommendation import recommended
from trainlint_probe.planned.plan import Plan

SCHEMA_VERSION = 1


def document(plan: Plan) -> str:
    """The plan as a JSON object. Bytes and seconds are plain numbers; null stands for what is not known."""
    model, training, cluster = plan.model, plan.training, plan.training.cluster
    chosen = recommended(plan.outlooks)
    data = {
        "schema_version": SCHEMA_VERSION,
        "model": {
            "name": model.name,
            "parameters": round(model.parameters),
            "trained": round(model.trained),
            "activations_from": "trace" if model.traced else "formula" if model.transformer else None,
        },
        "training": {
            "precision": training.precision.value,
            "optimizer": training.optimizer.name,
            "batch": training.batch,
            "accumulation": training.accumulation,
            "checkpointing": training.checkpointing.value,
            "attention": training.attention.value,
            "compiled": training.compiled,
        },
        "cluster": {
            "gpus": cluster.gpus,
            "nodes": cluster.nodes,
            "gpu": plan.gpu,
            "memory": round(cluster.memory),
            "peak_flops": cluster.flops,
            "bandwidth_inside": cluster.inside,
            "bandwidth_between": cluster.between,
        },
        "activations_by_kind": {name: round(value) for name, value in plan.activations_by_kind()},
        "strategies": [_strategy(plan, item) for item in plan.outlooks],
        "recommended": chosen.strategy.key if chosen else None,
        "recommendation": plan.recommendation,
        "assumptions": list(plan.assumptions()),
    }
    return json.dumps(data, indent=2) + "\n"


def _strategy(plan: Plan, item: Outlook) -> dict[str, object]:
    held, sent, time = item.memory, item.traffic, item.duration
    return {
        "strategy": item.strategy.key,
        "title": item.strategy.title,
        "fits": item.fits,
        "share": round(item.share, 4),
        "memory": {
            **{name: round(value) for name, value in held.parts()},
            "activations": None if held.activations is None else round(held.activations),
            "total": round(held.total),
            "host": round(held.host),
        },
        "sent": {"inside": round(sent.inside), "between": round(sent.between), "to_host": round(sent.to_host)},
        "seconds": {"computing": time.computing, "sending": time.sending, "overlapped": time.overlapped},
        "largest_batch": item.largest_batch,
        "largest_model": round(plan.largest_model(item.strategy)),
    }
