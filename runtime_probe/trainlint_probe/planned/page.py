"""A plan as a page: stacked bars against the memory of a GPU, and the figures in a table."""

from __future__ import annotations

from trainlint.planning.choice import recommended
from trainlint.planning.fits import TIGHT
from trainlint.report.markup import html_environment
from trainlint_probe.planned.plan import Plan
from trainlint_probe.planned.words import count, gigabytes, seconds

_COLORS = {
    "weights": "#0072b2",
    "gradients": "#56b4e9",
    "master copy": "#004d7a",
    "optimizer": "#cc79a7",
    "activations": "#009e73",
    "logits and loss": "#e69f00",
    "buffers": "#8c959f",
    "CUDA context": "#6e7781",
    "fragmentation": "#d0d7de",
}
"""Okabe and Ito's palette, which people with any kind of colour blindness can tell apart."""


def page(plan: Plan) -> str:
    """The whole page."""
    environment = html_environment("trainlint_probe.planned")
    environment.globals.update({function.__name__: function for function in (count, gigabytes, seconds)})
    most = max(plan.training.cluster.memory, *(item.memory.total for item in plan.outlooks))
    return environment.get_template("plan.html").render(
        plan=plan, chosen=recommended(plan.outlooks), colors=_COLORS, scale=most, tight=TIGHT
    )
