# requires: deepctr-torch==0.3.0
# packages: deepctr_torch
# kind: recommendation
import numpy as np
from deepctr_torch.inputs import DenseFeat, SparseFeat, get_feature_names
from deepctr_torch.models import DeepFM

rng = np.random.default_rng(0)
columns = [SparseFeat("user", 20, embedding_dim=4), SparseFeat("item", 30, embedding_dim=4), DenseFeat("price", 1)]
values = {"user": rng.integers(0, 20, 320), "item": rng.integers(0, 30, 320), "price": rng.random(320)}
inputs = {name: values[name] for name in get_feature_names(columns)}
model = DeepFM(columns, columns, dnn_hidden_units=(16, 8), task="binary", device="cuda:0")
model.compile("adam", "binary_crossentropy", metrics=["binary_crossentropy", "auc"])
model.fit(inputs, rng.integers(0, 2, 320), batch_size=16, epochs=2, verbose=0, validation_split=0.2)
