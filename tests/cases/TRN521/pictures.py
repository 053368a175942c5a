"""Fine-tuning a picture classifier whose samples are decoded when they are asked for."""

import transformers
from torchvision import transforms
from transformers import Seq2SeqTrainingArguments, Trainer, TrainingArguments

resize = transforms.Resize(224)


def finetune(model, dataset, options):
    dataset.set_transform(resize)
    arguments = TrainingArguments(  #! TRN521
        output_dir=options.output,
        num_train_epochs=3,
        per_device_train_batch_size=32,
        ddp_find_unused_parameters=True,  #! TRN521
        torch_empty_cache_steps=1,  #! TRN521
    )
    Trainer(model=model, args=arguments, train_dataset=dataset).train()


def translate(model, dataset, options):
    arguments = Seq2SeqTrainingArguments(
        output_dir=options.output,
        max_steps=1000,
        dataloader_num_workers=8,
        fp16=True,
        include_num_input_tokens_seen=True,  #! TRN521
        optim="adamw_torch",  #! TRN521
    )
    transformers.Seq2SeqTrainer(model=model, args=arguments, train_dataset=dataset).train()
