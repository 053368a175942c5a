"""Arguments that are complete, that only evaluate, or that come from somewhere else."""

from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments


def from_the_command_line():
    (arguments,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
    return arguments


def evaluate(model, dataset):
    arguments = TrainingArguments(output_dir="out", do_train=False, per_device_eval_batch_size=64)
    return Trainer(model=model, args=arguments, eval_dataset=dataset).evaluate()




def finetune(model, dataset, options):
    arguments = TrainingArguments(
        output_dir="out",
        num_train_epochs=options.epochs,
        bf16=True,
        optim="adamw_torch_fused",
        torch_empty_cache_steps=500,
        ddp_find_unused_parameters=False,
    )
    Trainer(model=model, args=arguments, train_dataset=dataset).train()


def from_a_dict(model, dataset, options):
    arguments = TrainingArguments(output_dir="out", max_steps=100, **options)
    Trainer(model=model, args=arguments, train_dataset=dataset).train()


def finetune_as_stored(name, dataset):
    model = AutoModelForCausalLM.from_pretrained(name)
    arguments = TrainingArguments(output_dir="out", max_steps=100, dataloader_pin_memory=False)
    Trainer(model=model, args=arguments, train_dataset=dataset).train()
