"""Which values a backward pass goes through."""

from __future__ import annotations

import ast
import textwrap

import pytest

from trainlint.analysis.types.backward import BackwardFlow, Backwards


def seen(code: str, function: str | None = None) -> Backwards:
    """The answers for module level, or for the names of one function."""
    tree = ast.parse(textwrap.dedent(code))
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == function]
    return BackwardFlow(tree).seen_from(nodes[0] if nodes else None)


@pytest.mark.parametrize(
    "start",
    [
        "loss.backward()",
        "(loss / 4).backward()",
        "scaler.scale(loss).backward()",
        "accelerator.backward(loss)",
        "self.manual_backward(loss)",
        "torch.autograd.backward(loss)",
        "loss.sum().backward(weights)",
        "loss_scaler(loss, optimizer, parameters=model.parameters())",
    ],
)
def test_a_backward_starts_from_the_loss(start: str) -> None:
    assert seen(start).is_part_of_loss("loss")


@pytest.mark.parametrize(
    "code",
    [
        "super().backward(loss)",
        "loss.item()",
        "print(loss)",
        "loss.detach().requires_grad_().shape",
    ],
)
def test_what_starts_no_backward(code: str) -> None:
    assert not seen(code).goes_through("loss")


def test_terms_and_factors_are_parts_of_the_loss_and_what_went_through_a_model_is_not() -> None:
    flow = seen(
        """
        output = model(image)
        fit = criterion(output, target)
        loss = 0.5 * fit + size.sum()
        loss.backward()
        """
    )
    assert [name for name in ("fit", "size", "output", "image") if flow.is_part_of_loss(name)] == ["fit", "size"]
    assert all(flow.goes_through(name) for name in ("fit", "size", "output", "image"))


def test_elements_of_a_summed_dictionary_are_parts_of_the_loss() -> None:
    flow = seen(
        """
        for name, value in losses.items():
            shown[name] += value
        sum(losses.values()).backward()
        """
    )
    assert flow.is_part_of_loss("value")
    assert not flow.goes_through("shown")


def test_what_is_cut_off_carries_no_graph() -> None:
    flow = seen("hits = outputs.argmax(1)\nseen = loss.item()\ntotal = loss.detach()\n(hits + seen + total).backward()")
    assert not flow.goes_through("outputs")
    assert not flow.goes_through("loss")


def test_a_list_that_is_trained_leads_to_its_elements() -> None:
    flow = seen("chances.append(chance)\nloss = torch.stack(chances).mean()\nloss.backward()")
    assert flow.goes_through("chance")


def test_a_replay_memory_is_no_list() -> None:
    flow = seen("memory.add(state, action)\nbatch = memory.sample(8)\nmodel(batch).sum().backward()")
    assert not flow.goes_through("action")


def test_parts_of_an_object_come_from_it() -> None:
    flow = seen("outputs = model(batch)\nloss = outputs.loss\nloss.backward()")
    assert flow.goes_through("outputs")
    assert flow.is_part_of_loss("outputs.loss")


def test_variables_of_two_functions_have_nothing_in_common() -> None:
    code = """
        def train():
            loss = step()
            loss.backward()

            def evaluate():
                loss = step()
                return loss
        """
    assert seen(code, "train").starts_from("loss")
    assert not seen(code, "evaluate").goes_through("loss")


def test_a_closure_shares_the_variables_that_it_does_not_bind() -> None:
    code = """
        def train():
            total = 0.0

            def add(loss):
                nonlocal total
                total = total + loss

            total.backward()
        """
    assert seen(code, "add").goes_through("loss")


def test_attributes_of_self_are_shared_by_all_methods() -> None:
    code = """
        class Trainer:
            def forward(self, batch):
                self.loss = self.model(batch)

            def backward(self):
                self.loss.backward()
        """
    assert seen(code, "forward").goes_through("batch")


def test_what_is_returned_yielded_or_stored_in_an_attribute_leaves() -> None:
    code = """
        def collect(self, loader):
            for batch in loader:
                output = self.model(batch)
                number = output.sum().item()
                self.last = output
                score = output.mean()
            return number
        """
    flow = seen(code, "collect")
    assert flow.leaves("output")
    assert flow.leaves("number")
    assert not flow.leaves("score")


def test_a_graph_that_is_kept_for_a_second_backward_is_known() -> None:
    flow = seen("loss.backward(retain_graph=True)\nother.backward(retain_graph=False)")
    assert flow.stays_after_backward("loss")
    assert not flow.stays_after_backward("other")
