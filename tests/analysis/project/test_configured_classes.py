"""Classes that configurations name, of which a library's function builds objects."""

from __future__ import annotations

import pytest

from tests.analysis.project.project import project

AGENT = """
import torch


class Learner:
    def __init__(self, net):
        self.net = net

    def update(self, batch, memory):
        return self.net(batch) + memory.sample()
"""
MEMORY = """
class Memory:
    def sample(self):
        return 0
"""
TRAIN = """
{imports}
from shop.memory import Memory


def main(cfg, loader, optimizer):
    learner = {build}
    memory = Memory()
    for batch in loader:
        loss = learner.update(batch, memory)
        loss.backward()
        optimizer.step()
"""
CONFIGURATION = "learner:\n  {key}: shop.agent.Learner\n  rate: 0.1\n"


@pytest.mark.parametrize(
    ("imports", "build", "configuration", "linked"),
    [
        ("import hydra", "hydra.utils.instantiate(cfg.learner)", CONFIGURATION.format(key="_target_"), True),
        ("import hydra", "hydra.utils.instantiate(cfg.learner)", CONFIGURATION.format(key="class"), True),
        (
            "from hydra.utils import instantiate",
            "instantiate(cfg.learner, net=None)",
            CONFIGURATION.format(key="_target_"),
            True,
        ),
        ("import hydra", "hydra.utils.instantiate(cfg.learner)", CONFIGURATION.format(key="name"), False),
        ("import hydra", "hydra.main(cfg.learner)", CONFIGURATION.format(key="_target_"), False),
    ],
)
def test_an_object_of_a_class_that_a_configuration_names(
    imports: str, build: str, configuration: str, linked: bool
) -> None:
    files = {
        "shop/__init__.py": "",
        "shop/agent.py": AGENT,
        "shop/memory.py": MEMORY,
        "train.py": TRAIN.format(imports=f"{imports}\nimport shop.agent", build=build),
    }
    found = project(files, {"config.yaml": configuration})
    assert ("Memory.sample" in found.facts_by_file["shop/memory.py"].gradients_off) is linked
