# repository: pytorch/examples@77f55b912142e11fcfdf5b530231fb9c52f181e8
# requires: torchvision==0.28.0
# packages: examples/mnist
# kind: vision
import runpy
import sys
from pathlib import Path
from unittest import mock

from torchvision import datasets


def digits(root, train=True, transform=None, download=False):
    return datasets.FakeData(160 if train else 40, (1, 28, 28), 10, transform)


sys.argv = ["main.py", "--batch-size=8", "--test-batch-size=20", "--epochs=2"]
with mock.patch.object(datasets, "MNIST", digits):
    runpy.run_path(str(Path("mnist", "main.py").resolve()), run_name="__main__")
