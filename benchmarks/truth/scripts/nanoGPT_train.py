# repository: karpathy/nanoGPT@3adf61e154c3fe3fca428ad6bc3818b27a3b8291
# requires: numpy
# packages: nanoGPT
# kind: text
import runpy
import sys
from pathlib import Path

import numpy as np

data = Path("data", "tiny")
data.mkdir()
for split in ("train", "val"):
    np.random.default_rng(0).integers(0, 60, 2000).astype("uint16").tofile(data / f"{split}.bin")
options = {
    "dataset": "tiny",
    "compile": False,
    "eval_interval": 15,
    "eval_iters": 2,
    "gradient_accumulation_steps": 2,
    "batch_size": 2,
    "block_size": 16,
    "n_layer": 2,
    "n_head": 2,
    "n_embd": 16,
    "max_iters": 20,
}
sys.argv = ["train.py", *(f"--{name}={value}" for name, value in options.items())]
runpy.run_path(str(Path("train.py").resolve()), run_name="__main__")
