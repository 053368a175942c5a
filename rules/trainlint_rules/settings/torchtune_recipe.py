"""TRN537."""

from __future__ import annotations

from collections.abc import Iterator

from trainlint.analysis.site import Site
from trainlint.contract.bases import SettingRule
from trainlint.contract.declared_rule import Match
from trainlint_rules.settings.idioms.framework_settings import TORCHTUNE, UNPACKED
from trainlint_rules.settings.idioms.setting_rows import claims, matches

_CANNOT_PACK = "torchtune.datasets.multimodal."


def _component(site: Site, section: str) -> str:
    """What a section of a recipe builds; empty where that is not written out."""
    component = site.settings.literal(section, "_component_")
    return component if isinstance(component, str) else ""


class TorchtuneRecipe(SettingRule):
    """A recipe of torchtune that leaves packing or compiling off, or trains in float32

    ## Why
    The recipes that `tune cp` copies are set up to run everywhere, not to be fast. `dataset.packed: False` pads each
    batch to its longest row, and the model computes on the padding. `compile: False` runs every element-wise operation
    as a kernel of its own. A profiler with `num_cycles: 0` never stops recording. Datasets of pictures, which
    torchtune cannot pack, are not told to.

    ## Example
    ```python
    import yaml


    def write(path):
        recipe = {
            "checkpointer": {"_component_": "torchtune.training.FullModelHFCheckpointer"},
            "dataset": {"_component_": "torchtune.datasets.alpaca_dataset", "packed": False},
            "max_steps_per_epoch": None,
            "compile": True,
        }
        path.write_text(yaml.safe_dump(recipe))
    ```

    ## Use instead
    ```python
    import yaml


    def write(path):
        recipe = {
            "checkpointer": {"_component_": "torchtune.training.FullModelHFCheckpointer"},
            "dataset": {"_component_": "torchtune.datasets.alpaca_dataset", "packed": True},
            "max_steps_per_epoch": None,
            "compile": True,
        }
        path.write_text(yaml.safe_dump(recipe))
    ```

    Recipes mostly stand in YAML files, which the rule reads alike. A pack has `tokenizer.max_seq_len` tokens: a batch
    then holds more of them, so that there are fewer steps in an epoch.

    ## Confirmed by
    The share of padding in the batches; many short kernels between matrix products in a profile.

    ## Gain
    Not measured here. torchtune's README reports 238% more tokens a second from packing Alpaca's short rows to 2,048
    tokens, and 27% more from compiling, on one GPU; packing gains nothing where rows have the maximum length already.

    ## References
    - Packing in torchtune: https://docs.pytorch.org/torchtune/stable/basics/packing.html
    - torchtune's README: https://github.com/pytorch/torchtune#optimization-flags
    """

    code = "TRN537"
    name = "torchtune-recipe"
    preview = True
    on = ("max_steps_per_epoch",)
    message = "{fact}"
    help = "{instead}"

    def found(self, site: Site) -> Iterator[Match]:
        """Settings of a recipe that leave throughput unused."""
        if _component(site, "checkpointer").startswith("torchtune."):
            packs = not _component(site, "dataset").startswith(_CANNOT_PACK)
            found = claims(site.settings, TORCHTUNE)
            yield from matches(site, (claim for claim in found if packs or claim.row is not UNPACKED))
