# requires: neuralforecast==3.3.0
# packages: neuralforecast
# kind: time series
import numpy as np
import pandas as pd
from neuralforecast import NeuralForecast
from neuralforecast.losses.pytorch import MQLoss
from neuralforecast.models import NHITS

rng = np.random.default_rng(0)
table = pd.DataFrame(
    {
        "unique_id": np.repeat(["a", "b", "c", "d"], 60),
        "ds": np.tile(pd.date_range("2020-01-01", periods=60), 4),
        "y": rng.normal(size=240).cumsum(),
    }
)
settings = {
    "max_steps": 14,
    "batch_size": 4,
    "windows_batch_size": 16,
    "accelerator": "cuda",
    "devices": 1,
    "logger": False,
    "enable_progress_bar": False,
    "enable_checkpointing": False,
}
models = [NHITS(h=4, input_size=12, loss=MQLoss(level=[80]), mlp_units=[[16, 16]] * 3, **settings)]
NeuralForecast(models=models, freq="D").fit(table)
