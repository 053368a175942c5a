# requires: transformers==5.24.0 accelerate==1.15.0
# packages: transformers accelerate
# kind: text
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments


class Texts(torch.utils.data.Dataset):
    def __len__(self):
        return 96

    def __getitem__(self, index):
        tokens = torch.arange(index, index + 16) % 64
        return {"input_ids": tokens, "labels": tokens, "attention_mask": torch.ones(16, dtype=torch.long)}


model = GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=32, n_embd=16, n_layer=2, n_head=2))
arguments = TrainingArguments(
    "output",
    per_device_train_batch_size=4,
    num_train_epochs=1,
    logging_steps=5,
    save_strategy="no",
    report_to=[],
    disable_tqdm=True,
)
Trainer(model=model, args=arguments, train_dataset=Texts()).train()
