# repository: pytorch/examples@77f55b912142e11fcfdf5b530231fb9c52f181e8
# requires: torchvision==0.28.0
# packages: examples/imagenet
# kind: vision
import runpy
import sys
from pathlib import Path
from unittest import mock

from torchvision import datasets

FakeData = datasets.FakeData


def few(size, image_size, num_classes, transform):
    return FakeData(60 if size > 100_000 else 8, (3, 32, 32), num_classes, transform)


sys.argv = ["main.py", "--dummy", "--epochs=1", "--batch-size=4", "--workers=1"]
with mock.patch.object(datasets, "FakeData", few):
    runpy.run_path(str(Path("imagenet", "main.py").resolve()), run_name="__main__")
