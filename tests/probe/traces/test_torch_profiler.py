"""What the installed PyTorch writes today, read without it."""

import subprocess
import sys
from pathlib import Path

import pytest

from trainlint.evidence.run import Phase
from trainlint_probe.traces.judge import judge
from trainlint_probe.traces.reading import read_trace

_TRAINING = """
import sys, time
import torch
from torch.profiler import ProfilerActivity, profile
from torch.utils.data import DataLoader, Dataset

class Slow(Dataset):
    def __len__(self): return 48
    def __getitem__(self, index):
        time.sleep(0.02)
        return torch.ones(32)

model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
optimizer = torch.optim.AdamW(model.parameters())
with profile(activities=[ProfilerActivity.CPU], with_stack=True) as profiler:
    for batch in DataLoader(Slow(), batch_size=8):
        model(batch).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        profiler.step()
profiler.export_chrome_trace(sys.argv[1])
"""


@pytest.mark.nightly
@pytest.mark.slow
def test_a_training_with_a_slow_loader_is_read_from_its_own_trace(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    script, path = tmp_path / "train.py", tmp_path / "trace.json.gz"
    script.write_text(_TRAINING)
    subprocess.run([sys.executable, script, path], check=True, timeout=300, capture_output=True)
    reading = read_trace(path)
    assert len(reading.steps_ms) == 5  # of six, the first is left out; what follows the last step() is no step
    assert reading.phases[Phase.DATA_WAIT] > 8 * 20
    assert reading.phases[Phase.DATA_WAIT] > 0.5 * reading.step_ms
    assert {Phase.FORWARD, Phase.BACKWARD, Phase.OPTIMIZER} < set(reading.phases)
    assert sum(reading.phases.values()) == pytest.approx(reading.step_ms)
    assert reading.device is None
    assert [finding.name for finding in judge(reading)] == ["loader-starvation"]
