# repository: pytorch/examples@77f55b912142e11fcfdf5b530231fb9c52f181e8
# requires: torchvision==0.28.0
# packages: examples/vae
# kind: generative
import runpy
import sys
from pathlib import Path
from unittest import mock

from torchvision import datasets


def digits(root, train=True, transform=None, download=False):
    return datasets.FakeData(160 if train else 40, (1, 28, 28), 10, transform)


Path("results").mkdir(exist_ok=True)
sys.argv = ["main.py", "--batch-size=8", "--epochs=2"]
with mock.patch.object(datasets, "MNIST", digits):
    runpy.run_path(str(Path("vae", "main.py").resolve()), run_name="__main__")
