"""Short rows, somebody's choice, inference, and padding to the longest row."""

from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
CLASSES = 3


def dynamic(rows):
    return tokenizer(rows["text"], truncation=True, max_length=512, padding=True)


def short(rows):
    return tokenizer(rows["label"], truncation=True, max_length=CLASSES, padding="max_length")


def by_option(rows, args):
    return tokenizer(rows["text"], padding="max_length" if args.pad_to_max_length else False)


def counted(rows):
    longest = max(len(text) for text in rows["text"])
    return tokenizer(rows["text"], max_length=longest, padding="max_length")


def prepare(rows):
    return [rows.map(function, batched=True) for function in (dynamic, short, by_option, counted)] + [
        rows.map(dynamic),
        rows.map(short),
        rows.map(by_option),
        rows.map(counted),
    ]


def answer(model, question):
    inputs = tokenizer(question, padding="max_length", max_length=512, return_tensors="pt")
    return model.generate(**inputs)
