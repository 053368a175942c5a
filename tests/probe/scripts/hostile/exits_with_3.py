"""Ends with a code of its own."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from toy import train

train(3)
sys.exit(3)
