"""Writes what it has, however it ends."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from toy import train

try:
    train(5000)
finally:
    Path("final.log").write_text("the end")
