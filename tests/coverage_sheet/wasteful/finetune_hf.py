"""Fine-tuning of a language model on captions with the HF Trainer:  python finetune_hf.py captions.jsonl"""

import sys

from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    Trainer,
    TrainingArguments,
)

NAME = "Qwen/Qwen2.5-0.5B"


def main(path):
    tokenizer = AutoTokenizer.from_pretrained(NAME)
    model = AutoModelForCausalLM.from_pretrained(NAME, attn_implementation="eager")
    rows = load_dataset("json", data_files=path, split="train")
    rows = rows.map(lambda row: tokenizer(row["caption"], truncation=True, max_length=256))
    arguments = TrainingArguments(
        output_dir="captions",
        per_device_train_batch_size=32,
        num_train_epochs=3,
        learning_rate=2e-5,
        optim="adamw_torch",  #! TRN521
    )
    collator = DataCollatorForLanguageModeling(tokenizer, mlm=False)
    Trainer(model=model, args=arguments, train_dataset=rows, data_collator=collator).train()


if __name__ == "__main__":
    main(sys.argv[1])
