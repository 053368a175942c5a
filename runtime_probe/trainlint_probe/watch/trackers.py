"""Experiment trackers are told, by their own environment variables, to send nothing during a probe."""

from __future__ import annotations

from collections.abc import Mapping

SILENT: Mapping[str, str] = {
    # https://docs.wandb.ai/guides/track/environment-variables
    "WANDB_MODE": "disabled",
    # https://www.comet.com/docs/v2/guides/experiment-management/configure-sdk
    "COMET_MODE": "disabled",
    "COMET_AUTO_LOG_DISABLE": "1",
    # https://docs.neptune.ai: "debug" sends nothing
    "NEPTUNE_MODE": "debug",
    # https://clear.ml/docs: keeps what is logged on this machine
    "CLEARML_OFFLINE_MODE": "1",
    "CLEARML_LOG_MODEL": "False",
    # https://docs.swanlab.cn
    "SWANLAB_MODE": "disabled",
    # transformers' own callbacks
    "MLFLOW_TRACKING_ASYNC": "false",
    "HF_MLFLOW_LOG_ARTIFACTS": "FALSE",
    "DISABLE_MLFLOW_INTEGRATION": "TRUE",
    "WANDB_DISABLED": "true",
    # huggingface_hub: nothing is sent about the run
    "HF_HUB_DISABLE_TELEMETRY": "1",
}
"""Set for the probed process. Nothing of the user's is unset, but for the choice made here."""


def silenced(environment: Mapping[str, str], directory: str) -> dict[str, str]:
    """An environment in which trackers keep to themselves; what MLflow writes goes to a directory that is removed."""
    return {**environment, **SILENT, "MLFLOW_TRACKING_URI": f"file:{directory}/mlflow"}
