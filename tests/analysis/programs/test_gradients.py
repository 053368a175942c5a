"""Where is autograd off? Marks say on or off."""

from __future__ import annotations

import pytest

from tests.analysis.facts import file_model, marked

SNIPPETS = {
    "with blocks, alone and among others": """
        with torch.no_grad():
            a = model(x)  #= off
        with open(path) as f, autocast(), torch.inference_mode():
            b = model(x)  #= off
        c = model(x)  #= on
    """,
    "decorators, also a project's own": """
        def smart_mode():
            def wrap(function):
                return torch.no_grad()(function)
            return wrap

        @torch.inference_mode()
        def evaluate(model):
            return model(x)  #= off

        @smart_mode()
        def validate(model):
            return model(x)  #= off

        @torch.enable_grad()
        def train(model):
            return model(x)  #= on
    """,
    "callers": """
        def score(model):
            return model(x)  #= off

        def step(model):
            return model(x)  #= on

        @torch.no_grad()
        def evaluate(model):
            score(model)
            step(model)

        def train(model):
            step(model)
    """,
    "an exit stack": """
        def evaluate(model):
            with ExitStack() as stack:
                if isinstance(model, nn.Module):
                    stack.enter_context(inference_context(model))
                stack.enter_context(torch.no_grad())
                for x in loader:
                    model(x)  #= off
    """,
    "the switch": """
        def main():
            before = model(x)  #= on
            torch.set_grad_enabled(False)
            after = model(x)  #= off

        def phases(phase):
            with torch.set_grad_enabled(phase == "train"):
                out = model(x)  #= off
    """,
    "recursion": """
        def down(n):
            down(n - 1)  #= on

        down(3)
    """,
    "a hook that an evaluation calls as well": """
        class Distilled(Trainer):
            def compute_loss(self, model, inputs):
                return self.distance(model(inputs))  #= on

            def distance(self, outputs):
                return outputs.mean()  #= on

            def prediction_step(self, model, inputs):
                with torch.no_grad():
                    return self.compute_loss(model, inputs)  #= off
    """,
    "a circle that nobody enters": """
        def one(n):
            two(n)  #= on

        def two(n):
            one(n)  #= on
    """,
    "framework hooks": """
        class Net(LightningModule):
            def validation_step(self, batch, index):
                self.net(batch)  #= off

            def training_step(self, batch, index):
                self.net(batch)  #= on
    """,
}


@pytest.mark.parametrize("code", SNIPPETS.values(), ids=SNIPPETS.keys())
def test_gradients(code: str) -> None:
    model = file_model(code)
    found = [
        (item.lineno, "off" if model.gradients.off(block, item.lineno) else "on") for item, block, _ in marked(model)
    ]
    assert found == [(statement.lineno, said) for statement, _, said in marked(model)]
