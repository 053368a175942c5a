"""A plan as JSON."""

from __future__ import annotations

import json

from trainlint.planning.alternatives import Tried
from trainlint.planning.choice import recommended
from trainlint.planning.fits import Outlook
from trainlint_probe.planned.plan import Plan

SCHEMA_VERSION = 1


def document(plan: Plan) -> str:
    """The plan as a JSON object. Bytes and seconds are plain numbers; null stands for what is not known."""
    model, training, cluster = plan.model, plan.training, plan.training.cluster
    chosen = recommended(plan.outlooks)
    idle = model.transformer.idle if model.transformer else 0
    data = {
        "schema_version": SCHEMA_VERSION,
        "model": {
            "name": model.name,
            "parameters": round(model.parameters),
            "trained": round(model.trained),
            "passed_by_a_token": round(model.parameters - idle),
            "notes": list(model.notes),
            "parts": {part.name: part.parameters for part in model.parts},
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
        "instead": _instead(plan),
        "recommendation": plan.recommendation,
        "assumptions": list(plan.assumptions()),
    }
    return json.dumps(data, indent=2) + "\n"


def _instead(plan: Plan) -> dict[str, object] | None:
    found = plan.instead
    if found is None:
        return None
    return {
        "cheapest": _tried(found.cheapest) if found.cheapest else None,
        "alone": [_tried(item) for item in found.alone],
        "gpus_as_asked": found.gpus,
        "left_out": found.left_out or None,
    }


def _tried(item: Tried) -> dict[str, object]:
    held = round(item.outlook.memory.total)
    return {"flags": item.flags, "strategy": item.outlook.strategy.key, "total": held, "fits": item.outlook.fits}


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
