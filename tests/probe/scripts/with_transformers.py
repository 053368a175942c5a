"""The Trainer of transformers, which saves a checkpoint every three steps."""

import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import PretrainedConfig, PreTrainedModel, Trainer, TrainingArguments


class Config(PretrainedConfig):
    model_type = "small"


class Model(PreTrainedModel):
    config_class = Config

    def __init__(self, config):
        super().__init__(config)
        self.layer = nn.Linear(4, 1)
        self.post_init()

    def forward(self, inputs, labels=None):
        output = self.layer(inputs)
        return {"loss": (output - labels).square().mean(), "output": output}


class Data(Dataset):
    def __len__(self):
        return 400

    def __getitem__(self, index):
        return {"inputs": torch.randn(4), "labels": torch.randn(1)}


arguments = TrainingArguments(
    output_dir="results",
    per_device_train_batch_size=4,
    max_steps=100,
    save_steps=3,
    save_total_limit=2,
    use_cpu=True,
    report_to="none",
    disable_tqdm=True,
)
Trainer(model=Model(Config()), args=arguments, train_dataset=Data()).train()
