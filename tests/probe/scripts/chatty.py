"""Says something on both streams in each step."""

import sys

from toy import model_and_optimizer, step

model, optimizer = model_and_optimizer()
for number in range(3000):
    step(model, optimizer)
    print("output stream", number, flush=True)
    print("error stream", number, file=sys.stderr, flush=True)
