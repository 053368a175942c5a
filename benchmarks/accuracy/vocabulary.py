"""The one table between trainlint's rule codes and the issues that labels speak of."""

from __future__ import annotations

from collections.abc import Iterable

ISSUES = (
    "sync-in-train-loop",
    "h2d-blocking",
    "cpu-create-then-cuda",
    "cpu-in-forward",
    "loader-no-workers",
    "loader-no-pin",
    "loader-no-persistent",
    "no-set-epoch",
    "rng-misuse",
    "empty-cache-in-loop",
    "gc-in-loop",
    "eval-no-grad",
    "graph-retaining-accumulation",
    "retain-graph",
    "zero-grad-false",
    "grad-accum-bug",
    "load-no-map-location",
    "missing-amp",
    "amp-misuse",
    "deprecated-amp",
    "deprecated-other",
    "tf32",
    "deterministic-on",
    "anomaly-on",
    "all-gather-cat",
    "collective-misuse",
    "dataparallel",
    "ddp-unused-params",
    "no-sync-missing",
    "optimizer-before-wrap",
    "fsdp-no-policy",
    "param-loop",
    "unfused-optimizer",
    "manual-attention",
    "compile-in-loop",
    "timing-no-sync",
)
"""Every issue that a label may name, in the order in which reports list them."""

ADVICE = frozenset(
    ("missing-amp", "tf32", "param-loop", "rng-misuse", "unfused-optimizer", "load-no-map-location"),
)
"""Issues whose every occurrence nobody labels, so an unlabelled finding of them proves nothing."""

ISSUES_OF_RULE: dict[str, tuple[str, ...]] = {
    "TRN101": ("loader-no-workers",),
    "TRN102": ("loader-no-pin",),
    "TRN103": ("loader-no-persistent",),
    "TRN108": ("no-set-epoch",),
    "TRN201": ("sync-in-train-loop",),
    "TRN202": ("sync-in-train-loop", "cpu-in-forward"),
    "TRN203": ("sync-in-train-loop",),
    "TRN204": ("sync-in-train-loop",),
    "TRN205": ("h2d-blocking",),
    "TRN207": ("cpu-create-then-cuda", "cpu-in-forward", "h2d-blocking"),
    "TRN208": ("h2d-blocking", "cpu-create-then-cuda"),
    "TRN209": ("sync-in-train-loop",),
    "TRN210": ("sync-in-train-loop", "cpu-in-forward"),
    "TRN211": ("sync-in-train-loop", "param-loop"),
    "TRN212": ("sync-in-train-loop",),
    "TRN213": ("sync-in-train-loop",),
    "TRN214": ("sync-in-train-loop",),
    "TRN218": ("sync-in-train-loop",),
    "TRN219": ("h2d-blocking",),
    "TRN215": ("sync-in-train-loop", "collective-misuse"),
    "TRN301": ("empty-cache-in-loop",),
    "TRN302": ("gc-in-loop",),
    "TRN303": ("eval-no-grad",),
    "TRN304": ("graph-retaining-accumulation",),
    "TRN306": ("zero-grad-false",),
    "TRN307": ("grad-accum-bug",),
    "TRN308": ("grad-accum-bug",),
    "TRN314": ("load-no-map-location",),
    "TRN401": ("missing-amp",),
    "TRN402": ("amp-misuse",),
    "TRN404": ("amp-misuse",),
    "TRN405": ("amp-misuse",),
    "TRN406": ("tf32",),
    "TRN501": ("all-gather-cat",),
    "TRN502": ("collective-misuse",),
    "TRN504": ("collective-misuse", "param-loop"),
    "TRN505": ("collective-misuse",),
    "TRN507": ("dataparallel",),
    "TRN508": ("ddp-unused-params",),
    "TRN510": ("no-sync-missing",),
    "TRN513": ("fsdp-no-policy",),
    "TRN530": ("collective-misuse",),
    "TRN601": ("unfused-optimizer",),
    "TRN607": ("param-loop",),
    "TRN801": ("deprecated-amp",),
    "TRN817": ("deprecated-amp",),
    "TRN818": ("deprecated-other",),
    **{f"TRN{number}": ("deprecated-other",) for number in range(802, 817)},
}
"""A finding may match a label of any issue that its rule stands for. Rules absent here are not scored."""


def issues_of(code: str) -> tuple[str, ...]:
    """The issues that a rule stands for; empty for a rule that no label can speak of."""
    return ISSUES_OF_RULE.get(code, ())


def covered_issues(codes: Iterable[str]) -> frozenset[str]:
    """The issues that at least one of these rules can find."""
    return frozenset(issue for code in codes for issue in issues_of(code))
