"""A classifier under the trainer of transformers, with what it does by default."""

import sys
import tempfile
import warnings

import torch
from torch import nn
from transformers import Trainer, TrainingArguments

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 1
STEPS, BATCH, WIDTH = 44, 8 * SIZE, 16 * SIZE
warnings.simplefilter("ignore")
torch.manual_seed(0)
losses = []


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 3))

    def forward(self, inputs, labels=None):
        outputs = self.layers(inputs)
        loss = nn.functional.cross_entropy(outputs, labels)
        losses.append(loss.detach())
        return {"loss": loss, "logits": outputs}


rows = [{"inputs": torch.randn(6), "labels": torch.randint(3, ())} for _ in range(STEPS * BATCH)]
model = Classifier()
arguments = TrainingArguments(
    output_dir=tempfile.mkdtemp(),
    max_steps=STEPS,
    per_device_train_batch_size=BATCH,
    logging_steps=5,
    save_strategy="no",
    report_to="none",
    disable_tqdm=True,
    use_cpu=not torch.cuda.is_available(),
)
Trainer(model, arguments, train_dataset=rows).train()  # copy to device 2/step; wait 2/step; wait 2/5 steps
