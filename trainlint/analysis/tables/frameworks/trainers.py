"""How models come to the trainers of frameworks: by a registry, as an argument, or built from a configuration."""

from __future__ import annotations

from functools import lru_cache

from trainlint.analysis.tables.frameworks.hooks import TRAINERS_OF_TRANSFORMERS
from trainlint.patterns import lazy

_TRAINERS = (
    TRAINERS_OF_TRANSFORMERS,
    lazy(r"^detectron2\.(\w+\.)*(Simple|AMP)Trainer$"),
    lazy(r"^composer\.(\w+\.)*Trainer$"),
    lazy(r"^mmengine\.(\w+\.)*Runner$"),
)
"""Dotted origins of trainers that are built with the model that they train."""
_TRAINER_NAME = lazy(r"(Trainer|Runner)$")

FROM_CONFIGURATION = "from_config"
"""The method of a class whose result, a dict, a constructor is given that takes its arguments from a configuration."""
CONFIGURABLE = "configurable"
"""The decorator of such constructors."""
_CONFIGURED = lazy(rf"^detectron2\.(\w+\.)*{CONFIGURABLE}$")
"""The same by its dotted origin."""

NAME_A_CLASS = frozenset({"_target_", "target", "class_path", "_component_", "class"})
"""Keys of configurations under which a class stands by its dotted name, for Hydra, OmegaConf, Lightning and torchtune
to build an object of it."""


@lru_cache(maxsize=4096)
def names_trainer(name: str) -> bool:
    """Whether the last word of what is called may be that of a trainer which is given its model."""
    return _TRAINER_NAME.search(name) is not None
