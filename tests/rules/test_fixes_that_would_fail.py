"""No fix is offered that leaves a call failing, or makes one fail."""

from __future__ import annotations

import pytest

from tests.rules.safe.offered import fixes

CHECKPOINTED = """\
from torch.utils.checkpoint import checkpoint


def forward(layer, rows, places):
    def made(layer):
        def run(PARAMETERS):
            return layer(rows)

        return run

    def direct(PARAMETERS):
        return layer(rows)

    return checkpoint(FUNCTION, rows, places=places)
"""


@pytest.mark.parametrize("function", ["made(layer)", "direct"])
@pytest.mark.parametrize(
    ("parameters", "offered"), [("*rows", False), ("rows", False), ("rows, places", True), ("*rows, **named", True)]
)
def test_a_checkpoint_of_a_function_that_takes_no_keyword_is_left(
    function: str, parameters: str, offered: bool
) -> None:
    text = CHECKPOINTED.replace("PARAMETERS", parameters).replace("FUNCTION", function)
    assert ("TRN309" in fixes(text, "TRN309")) is offered
