"""What frameworks build, fill and train of a project's code without any call in sight."""

from __future__ import annotations

import textwrap

import pytest

from tests.analysis.project.project import ROOT, alone, check
from trainlint.analysis.project.linking import link
from trainlint.analysis.project.summarise import summarise

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
    "a trainer that is none of a framework": {
        "net.py": PLAIN.format(heat="unknown"),
        "trainer.py": """
            class Trainer:
                def __init__(self, model):
                    self.model = model
        """,
        "train.py": """
            from trainer import Trainer
            from net import Net
            Trainer(Net())
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
    "a constructor that is filled otherwise": {
        "net.py": DETECTRON.format(returned='return {"backbone": Distance()}').replace(
            "self.backbone(images)", "images"
        ),
        "losses.py": WITHOUT,
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
    "a criterion of fairseq": {
        "loss.py": """
            from fairseq.criterions import FairseqCriterion, register_criterion

            @register_criterion("distance")
            class Distance(FairseqCriterion):
                def forward(self, model, sample):
                    return self.distance(model(sample))  #= step

                def distance(self, found):
                    return found.sum()  #= step

                def reduce_metrics(logging_outputs):
                    return sum(logging_outputs)  #= step
        """,
    },
    "a registry of a library that trains nothing": {
        "net.py": """
            from plugins import SHAPES
            from torch import nn

            @SHAPES.register()
            class Net(nn.Module):
                def forward(self, views):
                    return views.sum()  #= unknown
        """,
    },
    "a registry of any other library, of which its functions build, in a project that trains": {
        "losses.py": """
            from visionkit.losses import Loss, build_loss, register_loss

            @register_loss("distance")
            class Distance(Loss):
                def forward(self, found, wanted):
                    return (found - wanted).sum()  #= step

            class Other(Loss):
                def forward(self, found, wanted):
                    return (found - wanted).sum()  #= unknown
        """,
        "train.py": """
            import losses
            from visionkit.losses import build_loss
            from visionkit.tasks import Task
            class MyTask(Task):
                def prepare(self):
                    self.set_loss(build_loss(self.config))
            for images in train_loader:
                task.loss(images).backward()
        """,
    },
    "a class that derives from one of another library": {
        "parts.py": """
            from otherkit import Loss
            from visionkit import register_loss

            @register_loss("distance")
            class Distance(Loss):
                def forward(self, found):
                    return found.sum()  #= unknown
        """,
        "train.py": """
            import parts
            for images in train_loader:
                net(images).backward()
        """,
    },
    "a registry of any other library, in a project that does not train": {
        "losses.py": """
            from visionkit.losses import Loss, register_loss

            @register_loss("distance")
            class Distance(Loss):
                def forward(self, found, wanted):
                    return (found - wanted).sum()  #= unknown
        """,
    },
    "a decorator that tells others of a type": {
        "losses.py": """
            from torch import nn
            from treekit import register_pytree_node_class, unregister

            @register_pytree_node_class
            class Pair(nn.Module):
                def forward(self, found):
                    return found.sum()  #= unknown

            @unregister
            class Gone(nn.Module):
                def forward(self, found):
                    return found.sum()  #= unknown
        """,
        "train.py": """
            import losses
            for images in train_loader:
                net(images).backward()
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


def test_where_a_model_is_handed_to_its_trainer() -> None:
    found = check(TRAINERS["a model that the Trainer is given"]).heat("net.py", "Net.forward")
    assert found.chain == ("train.py:4: Net.forward is handed to a trainer",)


def test_a_registered_module_that_no_configuration_chooses_is_less_sure() -> None:
    model = """
        from detectron2.modeling import META_ARCH_REGISTRY
        from torch import nn

        @META_ARCH_REGISTRY.register("the_chosen")
        class Chosen(nn.Module):
            def forward(self, views):
                return views

        @META_ARCH_REGISTRY.register()
        class Left(nn.Module):
            def forward(self, views):
                return views
    """
    files = {"net.py": textwrap.dedent(model)}
    (summary,) = [summarise(each) for each in alone(files).values()]

    def sure(shipped: dict[str, frozenset[str]]) -> dict[str, float]:
        (told,) = link([summary], [ROOT / "net.py"], [0], shipped=shipped)
        return {name: fact.confidence for name, fact in told.heats.items()}

    assert sure({}) == {"Chosen.forward": 0.87, "Left.forward": 0.87}
    assert sure({"NAME": frozenset({"'Chosen'"})}) == {"Chosen.forward": 0.87, "Left.forward": 0.6}
    assert sure({"NAME": frozenset({"'the_chosen'"})}) == {"Chosen.forward": 0.87, "Left.forward": 0.6}


def test_a_module_that_a_configuration_names() -> None:
    files = {
        "nets/tower.py": """
            from torch import nn

            class Tower(nn.Module):
                def forward(self, views):
                    return views
        """,
        "nets/__init__.py": "from nets.tower import Tower",
        "train.py": """
            import nets
            net = instantiate(cfg.net)
            for views in train_loader:
                net(views).backward()
        """,
    }
    models = alone(files)
    paths = [ROOT / path for path in files]

    def heats(shipped: dict[str, frozenset[str]]) -> dict[str, str]:
        told = link([summarise(each) for each in models.values()], paths, [0, 0, 0], shipped=shipped)[0]
        return {name: fact.heat.value for name, fact in told.heats.items()}

    assert heats({"_target_": frozenset({"'nets.tower.Tower'"})}) == {"Tower.forward": "step"}
    assert heats({"--target": frozenset({"'nets.Tower'"})}) == {"Tower.forward": "step"}
    assert heats({"name": frozenset({"'nets.tower.Tower'"})}) == {}
