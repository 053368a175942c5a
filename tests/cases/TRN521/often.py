"""Training that is interrupted all the time, and one whose settings stand in a dict."""

from transformers import Trainer, TrainingArguments

SETTINGS = {
    "per_device_train_batch_size": 8,
    "bf16": True,
    "save_steps": 2,  #! TRN521
}


def interrupted(model, dataset, held_out):
    arguments = TrainingArguments(
        output_dir="out",
        per_device_train_batch_size=8,
        bf16=True,
        eval_strategy="steps",
        eval_steps=5,  #! TRN521
        save_steps=10,  #! TRN521
        full_determinism=True,  #! TRN521
    )
    Trainer(model=model, args=arguments, train_dataset=dataset, eval_dataset=held_out).train()


def from_a_dict(model, dataset):
    Trainer(model=model, args=TrainingArguments(**SETTINGS), train_dataset=dataset).train()
