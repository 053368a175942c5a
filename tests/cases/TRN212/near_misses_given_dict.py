"""What `set_postfix` is given by position is a dict, also where it comes out of a model's result."""

from tqdm import tqdm


def train(model, optimizer, loader):
    bar = tqdm(loader)
    for batch in bar:
        loss, shown = model(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        shown.update({"rate": rate(), "seen": f"{seen()}"})
        bar.set_postfix(shown)
