# requires: pytorch-accelerated==0.1.61 accelerate==1.15.0
# packages: pytorch_accelerated
# kind: trainer
import torch
from pytorch_accelerated import Trainer
from pytorch_accelerated.callbacks import ModelEmaCallback
from pytorch_accelerated.trainer import DEFAULT_CALLBACKS
from torch.utils.data import TensorDataset

items = TensorDataset(torch.randn(160, 8), torch.randint(0, 2, (160,)))
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
trainer = Trainer(
    model=model,
    loss_func=torch.nn.CrossEntropyLoss(),
    optimizer=torch.optim.AdamW(model.parameters(), lr=1e-3),
    callbacks=(*DEFAULT_CALLBACKS, ModelEmaCallback()),
)
trainer.train(
    train_dataset=items,
    eval_dataset=items,
    num_epochs=2,
    per_device_batch_size=16,
    train_dataloader_kwargs={"num_workers": 0, "shuffle": True},
    eval_dataloader_kwargs={"num_workers": 0},
)
