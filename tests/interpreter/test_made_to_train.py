"""What is presumed to run in each step counts less where objects of its class are made for something else alone."""

from __future__ import annotations

from typing import Final

import pytest

from tests.interpreter.running import run_files

_NET: Final = """
import torch
class Inner(torch.nn.Module):
    def forward(self, x):
        return x.sum().item()
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
    def forward(self, x):
        return self.inner(x)
"""


@pytest.mark.parametrize(
    ("files", "certainty"),
    [
        ({"export.py": "from net import Net\nNet()"}, "guess"),
        ({"export.py": "from net import Net\nNet()", "train.py": "from net import Net\nNet()"}, "likely"),
        ({"main.py": "from net import Net\ndef evaluate():\n    Net()\nevaluate()"}, "guess"),
        ({"main.py": "from net import Net\nif options.get('check', False):\n    Net()"}, "guess"),
        ({"main.py": "from net import Net\nclass Task:\n    def setup(self):\n        Net()"}, "likely"),
        (
            {"main.py": "from net import Net\nclass A(Net):\n    @classmethod\n    def get(cls):\n        cls()"},
            "likely",
        ),
        ({"main.py": "from net import Net\nnet = Net()\nnet.eval()"}, "guess"),
        ({"main.py": "from net import Net\nnet = Net.from_pretrained(path).cuda()\nnet.eval()"}, "guess"),
        ({"main.py": "from net import Net\nnet = Net()\nfit(net.train())\nnet.eval()"}, "likely"),
        ({"main.py": "import net\nnet.NETS[options.name]()"}, "likely"),
        ({"main.py": "import net", "tests/test_net.py": "from net import Net\nNet()"}, "likely"),
    ],
)
def test_it_is_a_guess_where_no_object_is_made_to_train(files: dict[str, str], certainty: str) -> None:
    _, events = run_files({"net.py": _NET, **files}.items())
    assert {event.certainty for event in events} == {certainty}
