"""Fails by its own fault, inside a call that is watched."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from toy import train

train(3)
torch.ones(2).item()
