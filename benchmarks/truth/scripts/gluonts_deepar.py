# requires: gluonts[torch]==0.17.0
# packages: gluonts
# kind: time series
import numpy as np
from gluonts.dataset.common import ListDataset
from gluonts.torch import DeepAREstimator

rng = np.random.default_rng(0)
series = [{"start": "2020-01-01", "target": rng.normal(size=80).cumsum()} for _ in range(4)]
estimator = DeepAREstimator(
    freq="D",
    prediction_length=4,
    context_length=8,
    num_layers=1,
    hidden_size=8,
    batch_size=8,
    num_batches_per_epoch=8,
    trainer_kwargs={
        "accelerator": "cuda",
        "devices": 1,
        "max_epochs": 2,
        "logger": False,
        "enable_progress_bar": False,
    },
)
estimator.train(ListDataset(series, freq="D"))
