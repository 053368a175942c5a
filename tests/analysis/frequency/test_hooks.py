"""What do frameworks call, and how often?"""

from __future__ import annotations

import pytest

from trainlint.analysis.tables.frameworks.roles import gradients_off, role

MODULE = ("lightning.pytorch.LightningModule",)
CALLBACK = ("pytorch_lightning.callbacks.Callback",)
TRAINER = ("base.BaseTrainer", "transformers.Trainer")
ON_STEP = ("transformers.TrainerCallback",)
CLASSY = ("classy_vision.hooks.classy_hook.ClassyHook",)
HOOK = ("mmengine.hooks.Hook",)
BRAIN = ("speechbrain.core.Brain",)


def heat_of(name: str, owner: str | None, bases: tuple[str, ...] = (), decorators: tuple[str, ...] = ()) -> str | None:
    """The heat of a role in words; None for no role."""
    found = role(name, name, owner, bases, decorators)
    return found.heat.value if found is not None else None


@pytest.mark.parametrize(
    ("owner", "bases", "names", "heat"),
    [
        ("Net", MODULE, "training_step on_train_batch_end optimizer_step configure_gradient_clipping", "step"),
        ("Net", MODULE, "on_after_backward transfer_batch_to_device on_before_zero_grad", "step"),
        ("Net", MODULE, "validation_step test_step predict_step on_validation_batch_start", "eval-step"),
        ("Net", MODULE, "on_train_epoch_end training_epoch_end on_validation_start", "epoch"),
        ("Net", MODULE, "configure_optimizers configure_model setup prepare_data train_dataloader", "once"),
        ("Net", MODULE, "on_save_checkpoint", "rare"),
        ("Net", ("pl.LightningModule",), "training_step", "step"),
        ("Data", ("lightning.LightningDataModule",), "val_dataloader setup", "once"),
        ("Log", CALLBACK, "on_train_batch_start on_before_optimizer_step", "step"),
        ("Log", CALLBACK, "on_train_start on_fit_end", "once"),
        ("MyTrainer", TRAINER, "training_step compute_loss", "step"),
        ("MyTrainer", TRAINER, "prediction_step", "eval-step"),
        ("MyTrainer", TRAINER, "evaluation_loop evaluate", "epoch"),
        ("MyTrainer", TRAINER, "log _save_checkpoint", "rare"),
        ("MyTrainer", TRAINER, "create_optimizer get_train_dataloader", "once"),
        ("MyTrainer", ("trl.SFTTrainer",), "compute_loss", "step"),
        ("Stop", ON_STEP, "on_step_begin on_step_end on_substep_end", "step"),
        ("Stop", ON_STEP, "on_log on_evaluate on_save", "rare"),
        ("Stop", ON_STEP, "on_epoch_begin on_epoch_end", "epoch"),
        ("Stop", ON_STEP, "on_train_begin on_train_end", "once"),
        ("Tracker", ("accelerate.tracking.GeneralTracker",), "log", "rare"),
        ("Meter", ("detectron2.engine.HookBase",), "before_step after_step", "step"),
        ("Meter", ("detectron2.engine.HookBase",), "before_train after_train", "once"),
        ("Loop", ("fvcore.common.TrainerBase", "object"), "run_step", "step"),
        ("Meter", HOOK, "before_train_iter after_train_iter", "step"),
        ("Meter", HOOK, "after_val_iter", "eval-step"),
        ("Meter", HOOK, "before_train_epoch after_val_epoch", "epoch"),
        ("Meter", HOOK, "before_run after_run", "once"),
        ("Net", ("mmengine.model.BaseModel",), "train_step", "step"),
        ("Net", ("mmengine.model.BaseModel",), "val_step", "eval-step"),
        ("Head", ("mmdet.models.dense_heads.AnchorFreeHead",), "loss loss_by_feat get_targets forward_train", "step"),
        ("Net", ("mmseg.models.segmentors.BaseSegmentor",), "loss", "step"),
        ("Match", ("mmdet.models.task_modules.BaseAssigner",), "assign", "step"),
        ("Average", CLASSY, "on_step on_forward on_loss_and_meter on_backward on_update", "step"),
        ("Average", CLASSY, "on_phase_start on_phase_end", "epoch"),
        ("Average", CLASSY, "on_start on_end", "once"),
        ("Task", ("classy_vision.tasks.ClassificationTask",), "train_step", "step"),
        ("Task", ("classy_vision.tasks.ClassificationTask",), "eval_step", "eval-step"),
        ("Loss", ("fairseq.criterions.FairseqCriterion",), "forward compute_loss reduce_metrics", "step"),
        ("Task", ("fairseq.tasks.translation.TranslationTask",), "train_step", "step"),
        ("Task", ("fairseq.tasks.FairseqTask",), "valid_step", "eval-step"),
        ("Rate", ("fairseq.optim.lr_scheduler.FairseqLRScheduler",), "step_update", "step"),
        ("ASR", ("espnet2.train.abs_espnet_model.AbsESPnetModel",), "forward", "step"),
        ("Net", ("allennlp.models.Model",), "forward", "step"),
        ("Net", ("nerfstudio.models.nerfacto.NerfactoModel",), "get_outputs get_metrics_dict get_loss_dict", "step"),
        ("Net", ("nerfstudio.models.base_model.Model",), "get_image_metrics_and_images", "rare"),
        ("ASR", BRAIN, "compute_forward compute_objectives fit_batch", "step"),
        ("ASR", BRAIN, "evaluate_batch", "eval-step"),
        ("ASR", BRAIN, "on_stage_start on_stage_end", "epoch"),
        ("ASR", BRAIN, "on_fit_start", "once"),
        ("Mix", ("fastai.callback.core.Callback",), "before_batch after_pred after_loss before_backward", "step"),
        ("Mix", ("fastai.callback.core.Callback",), "before_epoch before_train", "epoch"),
        ("Mix", ("Callback",), "after_pred after_batch", "step"),
        ("Run", ("catalyst.dl.Runner",), "handle_batch", "step"),
        ("Mix", ("composer.core.Algorithm",), "apply match", "step"),
        ("Log", ("composer.Callback",), "batch_end after_loss", "step"),
        ("Log", ("composer.Callback",), "eval_batch_end", "eval-step"),
        ("Recipe", ("torchtune.recipe_interfaces.FTRecipeInterface",), "_loss_step", "step"),
        ("Recipe", ("torchtune.recipe_interfaces.FTRecipeInterface",), "setup cleanup", "once"),
        ("Lion", ("torch.optim.Optimizer",), "step", "step"),
        ("Groups", ("torch.utils.data.Sampler",), "__iter__", "epoch"),
        ("SRModel", ("models.base_model.BaseModel",), "optimize_parameters", "step"),
        ("GANModel", (), "optimize_parameters", "step"),
        ("Log", ("Callback",), "on_epoch_end", "epoch"),
        ("Images", ("torch.utils.data.Dataset",), "__getitem__ __getitems__ collate_fn", "worker"),
        ("Stream", ("torch.utils.data.IterableDataset",), "__iter__", "worker"),
        ("PadCollator", (), "__call__", "worker"),
    ],
)
def test_frameworks_call_their_hooks(owner: str, bases: tuple[str, ...], names: str, heat: str) -> None:
    assert {name: heat_of(name, owner, bases) for name in names.split()} == dict.fromkeys(names.split(), heat)


@pytest.mark.parametrize(
    ("name", "owner", "bases"),
    [
        ("forward", "Net", MODULE),
        ("forward", "Net", ("torch.nn.Module",)),
        ("apply", "Net", ("composer.ComposerModel", "torch.nn.Module")),
        ("training_step", "Thing", ()),
        ("training_step", None, ()),
        ("after_step", "Net", ("torch.nn.Module",)),
        ("before_batch", "Queue", ()),
        ("log", "Trainer", ()),
        ("setup", "Trainer", ()),
        ("__getitem__", "Batch", ("torch_geometric.data.Data",)),
        ("__getitem__", "Vocabulary", ()),
        ("_collate_rollouts", "Trainer", ()),
        ("step", "Scheduler", ("torch.optim.lr_scheduler",)),
        ("zero_grad", "Wrapper", ("speechbrain.nnet.Linear",)),
    ],
)
def test_names_alone_are_no_hooks(name: str, owner: str | None, bases: tuple[str, ...]) -> None:
    assert heat_of(name, owner, bases) is None


@pytest.mark.parametrize(
    ("decorator", "heat"),
    [
        ("trainer.on(Events.ITERATION_COMPLETED)", "step"),
        ("trainer.on(Events.ITERATION_COMPLETED(every=100))", "rare"),
        ("trainer.on(Events.ITERATION_COMPLETED(every=args.every))", "rare"),
        ("trainer.on(Events.ITERATION_COMPLETED(every=1))", "step"),
        ("trainer.on(Events.ITERATION_STARTED(once=50))", "rare"),
        ("trainer.on(Events.ITERATION_STARTED(event_filter=lambda e, n: n in (1, 2)))", "rare"),
        ("trainer.on(ignite.engine.Events.EPOCH_COMPLETED)", "epoch"),
        ("trainer.on(Events.EPOCH_COMPLETED | Events.ITERATION_COMPLETED)", "step"),
        ("self.evaluator.on(Events.ITERATION_COMPLETED)", "eval-step"),
        ("trainer.on(Events.STARTED)", "once"),
        ("trainer.on(Events.EXCEPTION_RAISED)", "rare"),
        ("hydra.main(config_path='conf', config_name='train')", "once"),
        ("torch.distributed.elastic.multiprocessing.errors.record", "once"),
        ("app.command()", "once"),
        ("bus.on('message')", None),
        ("torch.no_grad()", None),
        ("recorder.record_function('step')", None),
    ],
)
def test_decorators_say_when(decorator: str, heat: str | None) -> None:
    assert heat_of("handle", None, (), (decorator,)) == heat


@pytest.mark.parametrize(
    ("name", "heat"),
    [("collate", "worker"), ("pad_collate_fn", "worker"), ("get_collate_fn", None), ("make_collate", None)],
)
def test_functions_collate(name: str, heat: str | None) -> None:
    assert heat_of(name, None) == heat


def test_bases_are_surer_than_names() -> None:
    of_framework = role("training_step", "Net.training_step", "Net", MODULE, ())
    of_project = role("training_step", "Net.training_step", "Net", ("base.BaseTrainer",), ())
    by_name = role("training_step", "MyTrainer.training_step", "MyTrainer", (), ())
    assert of_framework is not None
    assert of_project is not None
    assert by_name is not None
    assert of_framework.confidence > of_project.confidence > by_name.confidence
    assert of_framework.why == "Net.training_step: Lightning calls it in each step"


@pytest.mark.parametrize(
    ("name", "owner", "bases", "off"),
    [
        ("validation_step", "Net", MODULE, True),
        ("on_test_batch_end", "Net", CALLBACK, True),
        ("on_validation_epoch_end", "Net", MODULE, True),
        ("predict_step", "Net", ("base.Net", *MODULE), True),
        ("training_step", "Net", MODULE, False),
        ("on_train_epoch_end", "Net", MODULE, False),
        ("on_sanity_check_start", "Net", CALLBACK, False),
        ("prediction_step", "MyTrainer", TRAINER, False),
        ("val_step", "Net", ("mmengine.model.BaseModel",), True),
        ("after_val_epoch", "Meter", HOOK, False),
        ("evaluate_batch", "ASR", BRAIN, True),
        ("compute_objectives", "ASR", BRAIN, False),
        ("eval_forward", "Net", ("composer.models.ComposerModel",), True),
        ("validation_step", "Net", ("base.Net",), True),
        ("validation_step", "Net", ("torch.nn.Module",), False),
        ("validation_step", "Runner", (), False),
        ("validation_step", None, (), False),
    ],
)
def test_frameworks_switch_autograd_off(name: str, owner: str | None, bases: tuple[str, ...], off: bool) -> None:
    assert gradients_off(name, owner, bases) is off
