"""Takes away what the probe counts operations with."""

import sys
from pathlib import Path

import torch.utils.flop_counter

sys.path.insert(0, str(Path(__file__).parents[1]))
from toy import train

torch.utils.flop_counter.FlopCounterMode = None
train(5000)
