"""Saves at the end of the process."""

import atexit
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from toy import train

atexit.register(lambda: Path("atexit.txt").write_text("saved"))
train(5000)
