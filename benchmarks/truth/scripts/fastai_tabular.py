# requires: fastai==2.8.12
# packages: fastai
# kind: tabular
import numpy as np
import pandas as pd
from fastai.tabular.all import Categorify, FillMissing, Normalize, TabularDataLoaders, accuracy, tabular_learner

rng = np.random.default_rng(0)
table = pd.DataFrame({"color": rng.choice(["red", "blue", "green"], 200), "size": rng.normal(size=200)})
table["age"] = rng.normal(size=200)
table["label"] = rng.choice(["yes", "no"], 200)
loaders = TabularDataLoaders.from_df(
    table,
    procs=[Categorify, FillMissing, Normalize],
    cat_names=["color"],
    cont_names=["size", "age"],
    y_names="label",
    bs=16,
    device="cuda",
)
learner = tabular_learner(loaders, layers=[16, 8], metrics=accuracy)
with learner.no_bar():
    learner.fit(2, 1e-2)
