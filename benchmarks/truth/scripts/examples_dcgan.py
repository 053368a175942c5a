# repository: pytorch/examples@77f55b912142e11fcfdf5b530231fb9c52f181e8
# requires: torchvision==0.28.0
# packages: examples/dcgan
# kind: generative
import functools
import runpy
import sys
from pathlib import Path
from unittest import mock

from torchvision import datasets

few = functools.partial(datasets.FakeData, 40)
words = "--dataset fake --accel --batchSize 2 --niter 1 --ngf 4 --ndf 4 --nz 8 --workers 1 --manualSeed 1"
sys.argv = ["main.py", *words.split()]
with mock.patch.object(datasets, "FakeData", few):
    runpy.run_path(str(Path("dcgan", "main.py").resolve()), run_name="__main__")
