"""What the host checks: parameters of distributions, values that a probability is asked for, results of `linalg`."""

from __future__ import annotations

import pytest

from tests.interpreter.running import told_in_a_step


@pytest.mark.parametrize(
    "statement",
    [
        "Normal(output, 1.0)",
        "Categorical(logits=output)",
        "Normal(0.0, 1.0).log_prob(output)",
        "Independent(Normal(0.0, 1.0), 1).log_prob(output)",
        "torch.linalg.cholesky(output)",
    ],
)
def test_values_on_the_device_are_checked(statement: str) -> None:
    assert told_in_a_step(statement) == ["CHECKED sure"]


@pytest.mark.parametrize(
    "statement",
    [
        "Normal(0.0, 1.0)",
        "Normal(output, 1.0, validate_args=False).log_prob(output)",
        "Normal(output, 1.0, validate_args=False).rsample()",
        "torch.linalg.cholesky_ex(output)",
    ],
)
def test_numbers_and_what_is_told_not_to_check_are_not_checked(statement: str) -> None:
    assert told_in_a_step(statement) == []


def test_a_project_can_switch_the_checks_of_distributions_off() -> None:
    assert (
        told_in_a_step("Normal(output, 1.0)", "torch.distributions.Distribution.set_default_validate_args(False)") == []
    )


def test_a_distribution_is_where_its_parameters_are() -> None:
    assert "ITEM sure" in told_in_a_step("Normal(output, 1.0).mean.sum().item()")
    assert told_in_a_step("Normal(0.0, 1.0).sample((3,)).sum().item()") == []
