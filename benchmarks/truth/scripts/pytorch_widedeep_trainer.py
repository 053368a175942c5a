# requires: pytorch-widedeep==1.7.0
# packages: pytorch_widedeep
# kind: tabular
import numpy as np
import pandas as pd
from pytorch_widedeep import Trainer
from pytorch_widedeep.metrics import Accuracy
from pytorch_widedeep.models import TabMlp, Wide, WideDeep
from pytorch_widedeep.preprocessing import TabPreprocessor, WidePreprocessor

rng = np.random.default_rng(0)
table = pd.DataFrame({"color": rng.choice(["red", "blue"], 200), "size": rng.normal(size=200)})
labels = (table["size"] > 0).to_numpy().astype(int)
broad, deep = WidePreprocessor(wide_cols=["color"]), TabPreprocessor(cat_embed_cols=["color"], continuous_cols=["size"])
wide_inputs, deep_inputs = broad.fit_transform(table), deep.fit_transform(table)
network = TabMlp(
    column_idx=deep.column_idx,
    cat_embed_input=deep.cat_embed_input,
    continuous_cols=["size"],
    mlp_hidden_dims=[16, 8],
)
model = WideDeep(wide=Wide(input_dim=int(wide_inputs.max()), pred_dim=1), deeptabular=network)
trainer = Trainer(model, objective="binary", metrics=[Accuracy], device="cuda", num_workers=0, verbose=0)
trainer.fit(X_wide=wide_inputs, X_tab=deep_inputs, target=labels, n_epochs=2, batch_size=16, val_split=0.2)
