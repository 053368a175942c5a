"""Rows that are selected for the host: for texts and for counts. It waits for their number all the same."""


def train_counting(model, optimizer, train_loader, counter, device):
    for inputs, tokens in train_loader:
        tokens = tokens.to(device, non_blocking=True)
        loss = model(inputs.to(device, non_blocking=True), tokens)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        counter.update(tokens[tokens != 0].tolist())  #! TRN202 TRN209


def train_on_texts(model, optimizer, prompt_loader, tokenizer, device):
    for hidden, answers in prompt_loader:
        answers = answers.to(device, non_blocking=True)
        loss = model(hidden.to(device, non_blocking=True), answers)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for row in answers:
            model.remember(tokenizer.decode(row[row != 0], skip_special_tokens=True))  #! TRN209
