# requires: torch-rechub==0.9.0
# packages: torch_rechub
# kind: recommendation
import numpy as np
from torch_rechub.basic.features import DenseFeature, SparseFeature
from torch_rechub.models.ranking import WideDeep
from torch_rechub.trainers import CTRTrainer
from torch_rechub.utils.data import DataGenerator

rng = np.random.default_rng(0)
sparse = [SparseFeature("user", vocab_size=20, embed_dim=4), SparseFeature("item", vocab_size=30, embed_dim=4)]
dense = [DenseFeature("price")]
values = {
    "user": rng.integers(0, 20, 320),
    "item": rng.integers(0, 30, 320),
    "price": rng.random(320).astype("float32"),
}
generator = DataGenerator(values, rng.integers(0, 2, 320).astype("float32"))
train, valid, test = generator.generate_dataloader(split_ratio=[0.7, 0.1], batch_size=16)
model = WideDeep(wide_features=dense, deep_features=sparse, mlp_params={"dims": [16, 8], "activation": "relu"})
CTRTrainer(model, n_epoch=2, device="cuda:0", earlystop_patience=4).fit(train, valid)
