"""How often does a line run? Each snippet is a shape of training code that people really write."""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model, marked

SNIPPETS = {
    "a loop with a backward is a step": """
        for epoch in range(epochs):
            start = time.time()  #= epoch
            for batch in train_loader:
                loss = model(batch)  #= step
                loss.backward()
                for parameter in model.parameters():
                    clip(parameter)  #= inner
        print("done")  #= once
    """,
    "a scheduler that is given a score": """
        for point in points.split(64):
            loss = model(point).mean()  #= once
            opt_scheduler.step(loss)
    """,
    "batches of one step that stand in a list": """
        for update in range(updates):
            samples = [next(rows) for _ in range(count)]
            counted = count_items(samples)  #= step
            for views in samples:
                loss = model(views)  #= inner
                loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    """,
    "a pass over all batches that makes one step": """
        for epoch in range(epochs):
            start = time.time()  #= epoch
            for views in train_loader:
                loss = model(views)  #= step
                loss.backward()
            optimizer.step()
    """,
    "groups of batches in the loop that draws them": """
        for batches in train_loader:
            for batch in batches:
                loss = network(batch)  #= inner
                loss.backward()
            optimizer.step()  #= step
    """,
    "a scheduler's step behind a loop over steps": """
        for epoch in range(epochs):
            start = time.time()  #= epoch
            for number in range(steps):
                loss = model(sample())  #= step
                loss.backward()
                optimizer.step()
            scheduler.step()
    """,
    "a backward in a function that only calls itself": """
        def train(batch):
            loss = model(batch)  #= unknown
            loss.backward()
            if batch:
                train(batch[1:])
    """,
    "what is set up only if asked for": """
        def fix(seed):
            torch.manual_seed(seed)  #= once
        def main(args):
            if args.debug:
                fix(0)
        main(parse())
    """,
    "intervals": """
        for step, batch in enumerate(loader):
            loss = model(batch)
            loss.backward()
            if step % 100 == 0:
                log(loss)  #= rare
            else:
                skip(loss)  #= step
            if not step % args.log_interval:
                log(loss)  #= rare
            if step % args.accumulation_steps == 0:
                optimizer.step()  #= step
            if step % 100 != 0:
                continue
            log(loss)  #= rare
    """,
    "a boolean computed before": """
        for step, batch in enumerate(loader):
            should_log = step % args.every == 0
            due = is_main and step % 50 == 0
            loss = model(batch)
            loss.backward()
            if due and rank == 0:
                log(loss)  #= rare
            if rank == 0:
                log(loss)  #= step
            value = loss.item() if should_log else None  #= step
    """,
    "first and last steps, failures": """
        for step, batch in enumerate(loader):
            if step == 0:
                show(batch)  #= rare
            try:
                loss = model(batch)  #= step
            except RuntimeError:
                free()  #= rare
            if not torch.isfinite(loss):
                report(loss)  #= rare
                raise ValueError
            loss.backward()
            if args.debug:
                show(loss)  #= rare
            assert loss > 0  #= step
    """,
    "accumulation by hand": """
        for step in range(max_steps):
            for micro_step in range(accumulation_steps):
                x, y = get_batch("train")  #= inner
                loss = model(x, y) / accumulation_steps
                loss.backward()
            optimizer.step()  #= step
    """,
    "minibatches of an update": """
        for iteration in range(num_iterations):
            rollout = collect()  #= epoch
            for epoch in range(update_epochs):
                for start in range(0, batch_size, minibatch_size):
                    loss = compute(rollout, start)
                    loss.backward()  #= step
    """,
    "while and next": """
        it = iter(loader)
        while step < total:
            batch = next(it)
            loss = model(batch)
            loss.backward()  #= step
    """,
    "an evaluation loop": """
        def evaluate(model, val_loader):
            for batch in val_loader:
                total = model(batch)  #= eval-step
            return total
    """,
    "heat flows to callees": """
        def norm(model):
            return sum(p.norm() for p in model.parameters())  #= step

        def unused(model):
            return model  #= unknown

        def train(model, loader):
            for batch in loader:
                model(batch).sum().backward()
                norm(model)
    """,
    "methods of a trainer": """
        class Trainer:
            def run(self):
                while self.step < self.total:
                    self.run_step(next(self.data))

            def run_step(self, batch):
                self.forward_backward(batch)  #= step
                self.log()

            def forward_backward(self, batch):
                for i in range(0, batch.shape[0], self.microbatch):
                    loss = self.model(batch[i:])  #= inner
                    loss.backward()

            def log(self):
                write(self.step)  #= step
    """,
    "a framework calls the hooks": """
        class Net(LightningModule):
            def training_step(self, batch, batch_idx):
                return self.net(batch)  #= step

            def validation_step(self, batch, batch_idx):
                return self.net(batch)  #= eval-step

            def on_train_epoch_end(self):
                self.reset()  #= epoch
    """,
    "worker code": """
        class Images(Dataset):
            def __getitem__(self, index):
                return load(index)  #= worker

        def collate(items):
            return torch.stack(items)  #= worker
    """,
    "a diffusion sampler is no training": """
        for t in scheduler.timesteps:
            noise = model(sample, t)  #= once
            sample = scheduler.step(noise, t, sample)
    """,
    "test data on which a model adapts is trained on": """
        for images in test_loader:
            loss = entropy(model(images))
            loss.backward()  #= step
            optimizer.step()
    """,
    "a closure in the loop": """
        for batch in loader:
            def forward():
                return model(batch)  #= step
            loss = forward()
            loss.backward()
    """,
    "a loss scaler holds the backward": """
        def train_one_epoch(model, data_loader, optimizer, loss_scaler):
            for samples in data_loader:
                loss = model(samples)
                loss_scaler(loss, optimizer, parameters=model.parameters())  #= step
    """,
    "a recursive pair of functions ends": """
        def ping(n):
            pong(n)  #= unknown

        def pong(n):
            ping(n)
    """,
    "a body that may go on runs more often": """
        for images, labels in train_loader:
            if images is None:
                continue
            loss = criterion(model(images), labels)
            loss.backward()
            print(loss)  #= step
            break
    """,
    "a break of a loop inside is none of the loop around": """
        for images, labels in train_loader:
            loss = criterion(model(images), labels)
            loss.backward()
            print(loss)  #= step
            for name in names:
                break
    """,
    "sizes that are written out are no batches": """
        def smoke():
            for size in (16, 32, 64):
                loss = model(size)
                loss.backward()
                optimizer.step()
                print(loss)  #= once

        smoke()
    """,
    "something that is stepped and never cleared": """
        for t in scheduler.timesteps:
            x = scheduler.step(noise, t, x)
            print(x)  #= once
    """,
    "an optimizer that is cleared and stepped once an epoch": """
        for epoch in range(epochs):
            optimizer.zero_grad()
            for cells in train_loader:
                loss = model(cells)
                loss.backward()
                print(loss)  #= step
            optimizer.step()
            print(epoch)  #= epoch
    """,
    "parts of a batch that a while draws": """
        while step < total:
            cells = next(data)
            for part in range(parts):
                loss = model(cells[part])
                loss.backward()
                print(loss)  #= inner
            optimizer.step()
            print(step)  #= step
    """,
}


@pytest.mark.parametrize("code", SNIPPETS.values(), ids=SNIPPETS.keys())
def test_heat(code: str) -> None:
    model = file_model(code)
    found = [(statement.lineno, model.heats.of(block).heat.value) for statement, block, _ in marked(model)]
    assert found == [(statement.lineno, said) for statement, _, said in marked(model)]


def test_the_chain_explains_the_heat() -> None:
    model = file_model("""
        def norm(model):
            return model.weight.norm()  #= step

        for batch in train_loader:
            model(batch).sum().backward()
            norm(model)
    """)
    [(_, block, _)] = marked(model)
    assert model.heats.of(block).chain == ("line 5: for batch in train_loader", "line 7: calls norm")


def test_users_declare_functions_hot_and_cold() -> None:
    code = """
        def update(model):
            model.sync()  #= declared

        for batch in train_loader:
            model(batch).sum().backward()
            update(model)
    """
    for model, expected in (
        (file_model(code, hot=("update",)), "step"),
        (file_model(code, cold=("update",)), "rare"),
    ):
        [(_, block, _)] = marked(model)
        assert model.heats.of(block).heat.value == expected
