"""The kinds of claims, what a run counts of them, and which rules speak of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from trainlint.catalogue import RuleEntry
from trainlint.evidence.simulation import DeviceEvent
from trainlint.symptoms import Symptom

_TO_DEVICE = "host to device"


class Kind(NamedTuple):
    """What a claim may say of a line."""

    name: str
    aliases: tuple[str, ...] = ()
    symptom: Symptom | None = None
    """What the rules that speak of it are confirmed by."""
    rules: str = ""
    """The codes of the rules that speak of it besides, as a regular expression."""
    counted: Callable[[DeviceEvent], bool] | None = None
    """Which events on a simulated device are this; None where no event shows it."""
    each_step: bool = False
    """Whether it is a defect only where the line runs in each step."""
    meaning: str = ""

    def is_told_by(self, rule: RuleEntry) -> bool:
        """Whether a rule speaks of it."""
        if self.rules and re.fullmatch(self.rules, rule.code):
            return True
        return self.symptom is not None and self.symptom in rule.loaded().confirmed_by


def _waits(event: DeviceEvent) -> bool:
    return event.kind in ("wait", "copy") and event.blocking


def _copies(event: DeviceEvent) -> bool:
    return event.kind == "copy"


def _copies_pageable(event: DeviceEvent) -> bool:
    return event.kind == "copy" and event.direction == _TO_DEVICE and (event.pageable or event.blocking)


def _uploads(event: DeviceEvent) -> bool:
    return event.kind == "copy" and event.direction == _TO_DEVICE


def _is_collective(event: DeviceEvent) -> bool:
    return event.kind == "collective"


def _empties(event: DeviceEvent) -> bool:
    return event.what.endswith("empty_cache")


KINDS = (
    Kind("wait", ("sync", "host-sync", "sync-in-train-loop", "stall"), Symptom.HOST_SYNC, counted=_waits,
         each_step=True, meaning="a wait of the CPU for the GPU"),
    Kind("copy", ("transfer", "host-device-copy"), Symptom.HOST_TO_DEVICE, "TRN202|TRN210", _copies, each_step=True,
         meaning="a copy between CPU and GPU"),
    Kind("pageable-copy", ("blocking-copy", "h2d-blocking"), Symptom.HOST_TO_DEVICE, "", _copies_pageable,
         each_step=True, meaning="a copy to the GPU that blocks or is from pageable memory"),
    Kind("created-on-host", ("cpu-create-then-cuda", "cpu-in-forward"), Symptom.HOST_TO_DEVICE, "TRN210", _uploads,
         each_step=True, meaning="a tensor that is made on the CPU and copied to the GPU"),
    Kind("collective", ("collective-misuse", "all-gather-cat"), Symptom.COLLECTIVE, "", _is_collective,
         each_step=True, meaning="an exchange between ranks"),
    Kind("empty-cache", ("empty-cache-in-loop", "cache-emptied"), Symptom.CACHE_EMPTIED, "", _empties, each_step=True,
         meaning="torch.cuda.empty_cache"),
    Kind("gc", ("gc-in-loop", "garbage-collection"), Symptom.GARBAGE_COLLECTION, each_step=True,
         meaning="gc.collect"),
    Kind("no-grad", ("eval-no-grad", "no-grad-missing", "missing-no-grad"), Symptom.EVALUATION_WITH_GRADIENTS,
         meaning="an evaluation that records gradients"),
    Kind("num-workers", ("loader-no-workers", "no-workers", "data-wait"), None, "TRN101",
         meaning="a loader without workers"),
    Kind("pin-memory", ("loader-no-pin", "no-pin-memory"), None, "TRN102", meaning="a loader without pinned memory"),
    Kind("persistent-workers", ("loader-no-persistent",), Symptom.WORKERS_STARTED, meaning="workers start each epoch"),
    Kind("set-epoch", ("no-set-epoch",), None, "TRN108", meaning="a distributed sampler without set_epoch"),
    Kind("deprecated", ("deprecated-amp", "deprecated-other"), None, "TRN8..", meaning="a name that goes away"),
    Kind("graph-kept", ("graph-retaining-accumulation", "retain-graph"), Symptom.GRAPH_KEPT,
         meaning="a graph that outlives its step"),
    Kind("zero-grad", ("zero-grad-false", "grad-accum-bug"), None, "TRN306|TRN307|TRN605",
         meaning="gradients that are cleared wrongly, or not"),
    Kind("mixed-precision", ("missing-amp", "amp-misuse", "no-amp"), None, "TRN40[1245]|TRN801",
         meaning="16-bit training that is missing or wrong"),
    Kind("tf32", (), None, "TRN406", meaning="matrix products without TensorFloat-32"),
    Kind("slow-switch", ("deterministic-on", "anomaly-on"), Symptom.SLOW_SWITCH,
         meaning="a debugging or determinism switch that stays on"),
    Kind("map-location", ("load-no-map-location",), None, "TRN314", meaning="torch.load onto the GPU that saved it"),
    Kind("data-parallel", ("dataparallel",), None, "TRN507", meaning="nn.DataParallel"),
    Kind("unused-parameters", ("ddp-unused-params",), None, "TRN508", meaning="DDP searches for unused parameters"),
    Kind("no-sync", ("no-sync-missing",), None, "TRN510", meaning="accumulation under DDP without no_sync"),
    Kind("fsdp", ("optimizer-before-wrap", "fsdp-no-policy"), None, "TRN513",
         meaning="FSDP that is set up wrongly"),
    Kind("optimizer", ("unfused-optimizer", "param-loop"), None, "TRN60[17]", meaning="a slow update"),
    Kind("attention", ("manual-attention",), None, "TRN703", meaning="attention written by hand"),
    Kind("compile", ("compile-in-loop",), Symptom.COMPILE_CALL, "TRN705", meaning="torch.compile used wrongly"),
    Kind("timing", ("timing-no-sync",), None, "TRN90[156]", meaning="times taken without waiting for the device"),
)  # fmt: skip

_BY_SYMPTOM: Mapping[Symptom, Callable[[DeviceEvent], bool]] = {
    Symptom.HOST_SYNC: _waits,
    Symptom.HOST_TO_DEVICE: _uploads,
    Symptom.COLLECTIVE: _is_collective,
    Symptom.CACHE_EMPTIED: _empties,
}
_BY_NAME = {name: kind for kind in KINDS for name in (kind.name, *kind.aliases)}


def kind_named(written: str, rules: Mapping[str, RuleEntry]) -> Kind | None:
    """The kind that a claim names: a kind, one of its aliases, or a rule. None where there is none.

    Args:
        written: the word of the claim; case, blanks and underscores do not matter.
        rules: the installed rules by upper-case code and by name.
    """
    word = "-".join(written.replace("_", " ").split()).lower()
    known = _BY_NAME.get(word)
    if known is not None:
        return known
    rule = rules.get(word.upper()) or rules.get(word)
    if rule is None:
        return None
    counted = next((_BY_SYMPTOM[one] for one in rule.loaded().confirmed_by if one in _BY_SYMPTOM), None)
    return Kind(
        rule.code, rules=re.escape(rule.code), counted=counted, each_step=counted is not None, meaning=rule.name
    )
