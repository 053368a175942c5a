"""What frameworks build, fill and train of a project's code without any call in sight."""

from __future__ import annotations

import pytest

from tests.analysis.project.project import check

DETECTRON = """
    from detectron2.config import configurable
    from detectron2.modeling import META_ARCH_REGISTRY
    from torch import nn
    from losses import Distance

    @META_ARCH_REGISTRY.register()
    class Finder(nn.Module):
        @configurable
        def __init__(self, *, backbone, criterion: nn.Module):
            super().__init__()
            self.backbone, self.criterion = backbone, criterion

        @classmethod
        def from_config(cls, cfg):
            {returned}

        def forward(self, images):
            if self.training:
                return self.criterion(self.backbone(images))  #= step
            return images
"""
DISTANCE = """
    from torch import nn

    class Distance(nn.Module):
        def forward(self, found):
            return found.sum()  #= step
"""
WITHOUT = DISTANCE.replace("#= step", "#= unknown")
PLAIN = """
    from torch import nn

    class Net(nn.Module):
        def forward(self, views):
            return views.sum()  #= {heat}
"""
TRAINERS = {
    "a model that the Trainer is given": {
        "net.py": PLAIN.format(heat="step"),
        "train.py": """
            from transformers import Trainer
            from net import Net
            trainer = Trainer(model=Net(), args=arguments)
            trainer.train()
        """,
    },
    "a model that a trainer of the project's own is given by position": {
        "net.py": PLAIN.format(heat="step"),
        "trainer.py": """
            import transformers
            class MyTrainer(transformers.Trainer):
                def compute_loss(self, model, inputs):
                    return model(**inputs).loss
        """,
        "train.py": """
            from trainer import MyTrainer
            from net import Net
            def main():
                model = Net()
                MyTrainer(model, arguments).train()
        """,
    },
    "a model that is loaded, by a method of its own as well": {
        "net.py": """
            from transformers import PreTrainedModel
            class Net(PreTrainedModel):
                @classmethod
                def from_pretrained(cls, name, **options):
                    options["fast"] = False
                    return super().from_pretrained(name, **options)
                def forward(self, views):
                    return views.sum()  #= step
            class Other(PreTrainedModel):
                def forward(self, views):
                    return views.sum()  #= step
        """,
        "train.py": """
            from transformers import Trainer
            from net import Net, Other
            model = Net.from_pretrained(name)
            trainer = Trainer(model=model, args=arguments)
            Trainer(model=Other.from_pretrained(name))
        """,
    },
}
REGISTRIES = {
    "a registry of detectron2, and what it fills the constructor with": {
        "net.py": DETECTRON.format(returned='return {"backbone": cfg.backbone, "criterion": Distance()}'),
        "losses.py": DISTANCE,
    },
    "arguments that are put together": {
        "net.py": DETECTRON.format(returned='ret = {}; ret["criterion"] = Distance(); return ret'),
        "losses.py": DISTANCE,
    },
    "a registry of a library that a program reads as well": {
        "head.py": """
            from detectron2.modeling import SEM_SEG_HEADS_REGISTRY
            from torch import nn

            def build(cfg):
                return SEM_SEG_HEADS_REGISTRY.get(cfg.name)(cfg)

            @SEM_SEG_HEADS_REGISTRY.register()
            class Head(nn.Module):
                def forward(self, features):
                    return features.sum()  #= step
        """,
    },
    "a registry of its own, in a project that leaves the loop to Lightning": {
        "zoo.py": "NETS = Registry('nets')",
        "net.py": """
            from torch import nn
            from zoo import NETS

            @NETS.register_module()
            class Net(nn.Module):
                def forward(self, views):
                    return views.sum()  #= step
        """,
        "train.py": """
            import net
            from lightning import Trainer
            Trainer().fit(instantiate(cfg))
        """,
    },
}


@pytest.mark.parametrize("files", REGISTRIES.values(), ids=REGISTRIES)
def test_libraries_train_what_is_registered_with_them(files: dict[str, str]) -> None:
    check(files)


@pytest.mark.parametrize("files", TRAINERS.values(), ids=TRAINERS)
def test_trainers_run_the_model_that_they_are_given(files: dict[str, str]) -> None:
    check(files)
