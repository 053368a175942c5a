# requires: pytorch-tabnet==4.1.0
# packages: pytorch_tabnet
# kind: tabular
import numpy as np
from pytorch_tabnet.tab_model import TabNetClassifier

rng = np.random.default_rng(0)
inputs = rng.normal(size=(256, 10)).astype("float32")
labels = (inputs[:, 0] > 0).astype("int64")
learner = TabNetClassifier(n_d=8, n_a=8, n_steps=2, device_name="cuda", verbose=0)
learner.fit(inputs, labels, max_epochs=3, batch_size=32, virtual_batch_size=16, drop_last=True)
