# requires: trl==1.16.0 transformers==5.24.0 accelerate==1.15.0 datasets
# packages: trl
# kind: text
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
from trl import SFTConfig, SFTTrainer

words = {word: index for index, word in enumerate(["<pad>", "<end>", *(f"w{i}" for i in range(60))])}
raw = Tokenizer(models.WordLevel(words, unk_token="<pad>"))
raw.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, pad_token="<pad>", eos_token="<end>")
texts = Dataset.from_dict({"text": [" ".join(f"w{(i + j) % 60}" for j in range(12)) for i in range(64)]})
model = GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=32, n_embd=16, n_layer=2, n_head=2))
arguments = SFTConfig(
    "output",
    per_device_train_batch_size=4,
    max_steps=14,
    logging_steps=5,
    save_strategy="no",
    report_to=[],
    bf16=False,
    max_length=16,
    disable_tqdm=True,
    dataset_num_proc=None,
)
SFTTrainer(model=model, args=arguments, train_dataset=texts, processing_class=tokenizer).train()
