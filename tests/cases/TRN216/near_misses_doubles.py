"""A test makes up a class that moves nothing, to see what its caller does."""

import torch


def test_move_that_returns_nothing():
    class Broken:
        def __init__(self):
            self.values = torch.zeros(3)

        def to(self, device):
            self.values.to(device)

    assert Broken().to("cpu") is None
