# requires: pytorch-forecasting==1.8.0 lightning==2.6.6
# packages: pytorch_forecasting
# kind: time series
import lightning
import numpy as np
import pandas as pd
from pytorch_forecasting import QuantileLoss, TemporalFusionTransformer, TimeSeriesDataSet

rng = np.random.default_rng(0)
table = pd.DataFrame({"time": np.tile(np.arange(40), 4), "series": np.repeat(["a", "b", "c", "d"], 40)})
table["value"] = rng.normal(size=160).cumsum()
items = TimeSeriesDataSet(
    table,
    time_idx="time",
    target="value",
    group_ids=["series"],
    max_encoder_length=12,
    max_prediction_length=4,
    time_varying_unknown_reals=["value"],
    time_varying_known_reals=["time"],
)
model = TemporalFusionTransformer.from_dataset(
    items, hidden_size=8, attention_head_size=1, hidden_continuous_size=4, loss=QuantileLoss(), log_interval=0
)
trainer = lightning.Trainer(
    accelerator="cuda",
    devices=1,
    max_steps=14,
    gradient_clip_val=0.1,
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
)
trainer.fit(model, items.to_dataloader(train=True, batch_size=8, num_workers=0))
