"""Waits for something that does not come."""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from toy import train

train(4)
time.sleep(600)
