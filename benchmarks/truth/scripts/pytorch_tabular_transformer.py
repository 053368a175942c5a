# requires: pytorch_tabular==1.2.0
# packages: pytorch_tabular
# kind: tabular
import numpy as np
import pandas as pd
from pytorch_tabular import TabularModel
from pytorch_tabular.config import DataConfig, OptimizerConfig, TrainerConfig
from pytorch_tabular.models import FTTransformerConfig

rng = np.random.default_rng(0)
table = pd.DataFrame({"color": rng.choice(["red", "blue"], 200), "size": rng.normal(size=200)})
table["label"] = (table["size"] > 0).astype(int)
model = TabularModel(
    data_config=DataConfig(target=["label"], continuous_cols=["size"], categorical_cols=["color"]),
    model_config=FTTransformerConfig(task="classification", num_heads=2, num_attn_blocks=1, input_embed_dim=8),
    optimizer_config=OptimizerConfig(),
    trainer_config=TrainerConfig(
        batch_size=16,
        max_epochs=2,
        accelerator="gpu",
        devices=1,
        load_best=False,
        checkpoints=None,
        early_stopping=None,
        progress_bar="none",
    ),
    suppress_lightning_logger=True,
    verbose=False,
)
model.fit(train=table, validation=table[:32])
