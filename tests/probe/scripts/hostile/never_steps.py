"""Has an optimizer and never lets it step."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from toy import model_and_optimizer

model, optimizer = model_and_optimizer()
optimizer.zero_grad()
