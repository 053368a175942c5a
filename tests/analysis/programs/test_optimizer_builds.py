"""From whose parameters is an optimizer built?"""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model
from trainlint.analysis.programs.optimizer_builds import optimizer_builds

IMPORTS = "import torch\nfrom torch.optim import AdamW as Optimizer\nfrom networks import optim\n"
SNIPPETS = {
    "o = torch.optim.SGD(model.parameters(), lr=0.1)": [("o", {"model"})],
    "self.o = Optimizer([{'params': self.net.head.parameters()}, {'params': body.parameters()}])": [
        ("self.o", {"self.net.head", "body"})
    ],
    "kept = [p for n, p in net.named_parameters()]\ngroups = [{'params': kept}]\no = Optimizer(groups)": [
        ("o", {"net"})
    ],
    "train(torch.optim.Adam(params=net.parameters()))": [(None, {"net"})],
    "o = torch.optim.Adam(given)": [("o", set())],
    "o = optim.make(net.parameters())\nopt = factory(net.parameters())": [],
}


@pytest.mark.parametrize("code", SNIPPETS)
def test_optimizers_with_their_models(code: str) -> None:
    builds = optimizer_builds(file_model(IMPORTS + code + "\n"))
    found = [(item.name, set(item.models)) for item in builds.values()]
    assert found == SNIPPETS[code]
