"""Collects for a while, then updates four times: rollouts.py UPDATES."""

import sys
import time

from toy import model_and_optimizer, step

model, optimizer = model_and_optimizer()
for number in range(int(sys.argv[1])):
    if number % 4 == 0:
        time.sleep(0.06)
    step(model, optimizer)
