"""Which methods the frameworks call, and how often: one table for each framework, read in its source.

A class belongs to a framework by the dotted origins of its base classes. Names that no table holds are not
called by that framework.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from trainlint.analysis.tables import samplers
from trainlint.finding import Heat
from trainlint.patterns import lazy


class Framework(NamedTuple):
    """The hooks of the classes that a framework offers as bases."""

    name: str
    bases: re.Pattern[str]
    """Searched for in the dotted origin of a base class."""
    hooks: dict[Heat, re.Pattern[str]]
    """What whole names of methods look like, by how often the framework calls them; the first that fits counts."""
    without_gradients: re.Pattern[str]
    """Whole names of methods that the framework calls with autograd off."""

    def heat(self, method: str) -> Heat | None:
        """How often the framework calls a method of this name; None if it does not."""
        return next((heat for heat, names in self.hooks.items() if names.fullmatch(method)), None)


def _framework(name: str, bases: str, without_gradients: str = "", **hooks: str) -> Framework:
    heats = {Heat[heat.upper()]: lazy(names, re.VERBOSE) for heat, names in hooks.items()}
    return Framework(name, lazy(bases), heats, lazy(without_gradients or r"(?!)", re.VERBOSE))


_LIGHTNING = r"(^|\.)Lightning(DataModule|Module)$|^(pytorch_lightning|lightning)\."
LIGHTNING_CLASS = lazy(_LIGHTNING)
"""The dotted origin of a class whose methods Lightning calls."""
LIGHTNING_LOADERS = {"train_dataloader": Heat.STEP, "val_dataloader": Heat.EVAL_STEP}
"""The hooks of such a class that return loaders which Lightning goes through in each epoch, and how often it then runs
their loops."""
_TRAINER_OF_TRANSFORMERS = r"^(transformers|trl|setfit|sentence_transformers)\b.*Trainer$|(^|\.)Seq2SeqTrainer$"

FRAMEWORKS = (
    _framework(
        "Lightning",
        _LIGHTNING,
        # The loops of validation, test and prediction run as a whole under inference_mode or no_grad.
        without_gradients=r"(on_)?(validation|test|predict)_(step|step_end|epoch_end|(batch_|epoch_)?(start|end))",
        step=r"""training_step(_end)? | on_train_batch_(start|end) | on_(before|after)_backward | backward |
            on_before_optimizer_step | on_before_zero_grad | optimizer_step | optimizer_zero_grad |
            configure_gradient_clipping | on_before_batch_transfer | on_after_batch_transfer |
            transfer_batch_to_device""",
        eval_step=r"""(validation|test|predict)_step(_end)? | on_(validation|test|predict)_batch_(start|end)""",
        epoch=r"""on_(\w+_)?epoch_(start|end) | (training|validation|test)_epoch_end |
            on_(validation|test)_(start|end)""",
        rare=r"on_save_checkpoint | on_exception",
        once=r"""configure_\w+ | prepare_data | setup | teardown | (train|val|test|predict)_dataloader |
            on_fit_(start|end) | on_train_(start|end) | on_predict_(start|end) | on_sanity_check_(start|end) |
            on_load_checkpoint""",
    ),
    _framework(
        "the Trainer",
        _TRAINER_OF_TRANSFORMERS,
        step=r"""training_step | compute_loss | compute_loss_context_manager | autocast_smart_context_manager |
            floating_point_ops | _prepare_inputs? | _inner_training_step | get_batch_samples |
            # What trl's trainers call on their way to the loss.
            get_batch_loss_metrics | concatenated_(forward|inputs) | (dpo|kto|cpo|orpo|bco|odds_ratio)_loss |
            _?get_batch_logps | _compute_loss(_liger)? | compute_liger_loss | compute_ref_log_probs |
            _get_per_token_logps(_and_entropies)? | store_metrics""",
        eval_step=r"prediction_step | preprocess_logits_for_metrics",
        epoch=r"evaluate | evaluation_loop | prediction_loop | predict | compute_metrics",
        rare=r"log | _maybe_log_save_evaluate | _save_checkpoint | save_model | _save | store_flos",
        once=r"""create_optimizer | create_scheduler | create_optimizer_and_scheduler | get_\w+_dataloader |
            _get_\w+_sampler | get_decay_parameter_names""",
    ),
    _framework(
        "the Trainer",
        r"(^|\.)TrainerCallback$|^transformers\..*Callback$",
        step=r"on_step_begin | on_step_end | on_substep_end | on_pre_optimizer_step | on_optimizer_step",
        eval_step=r"on_prediction_step",
        epoch=r"on_epoch_begin | on_epoch_end",
        rare=r"on_log | on_save | on_evaluate | on_predict",
        once=r"on_init_end | on_train_begin | on_train_end",
    ),
    _framework(
        "Accelerate",
        r"(^|\.)GeneralTracker$|^accelerate\..*Tracker$",
        rare=r"log | log_images | log_table",
        once=r"store_init_configuration | finish | start | tracker",
    ),
    _framework(
        "detectron2",
        r"(^|\.)HookBase$|(^|\.)TrainerBase$|^(detectron2|fvcore)\..*(Trainer|Hook)",
        step=r"before_step | after_step | after_backward | run_step",
        once=r"before_train | after_train | build_\w+",
    ),
    _framework(
        "mmengine",
        # Among them detectors, segmentors and their like, the heads whose losses they call, and what assigns targets.
        r"^mm\w*\..*(Hook|Model|Metric|Module|Wrapper|Detector|Segmentor|Classifier|Recognizer|Estimator|Head|Assigner)$"
        r"|(^|\.)OptimWrapper$",
        without_gradients=r"(before|after)_(val|test)_iter | (val|test)_step | process",
        step=r"""(before|after)_(train_)?iter | train_step | parse_losses | _run_forward | update_params |
            loss | loss_by_feat(_single)? | loss_and_(predict|target) | forward_train | _\w+_forward_train |
            get_targets | assign""",
        eval_step=r"(before|after)_(val|test)_iter | (val|test)_step | process",
        epoch=r"(before|after)_(\w+_)?epoch | (before|after)_(val|test) | compute_metrics",
        rare=r"before_save_checkpoint",
        once=r"(before|after)_(run|train) | after_load_checkpoint",
    ),
    _framework(
        "fairseq",
        r"(^|\.)(Legacy)?Fairseq(Criterion|Task)$|^fairseq\.(criterions|tasks)\.",
        without_gradients=r"valid_step",
        step=r"forward | compute_loss | train_step | reduce_metrics",
        eval_step=r"valid_step",
        epoch=r"begin_(valid_)?epoch",
        once=r"setup_task | load_dataset | build_(model|criterion|generator)",
    ),
    _framework(
        "fairseq",
        r"(^|\.)Fairseq(Optimizer|LRScheduler)$|^fairseq\.optim\.",
        step=r"step_update | backward | clip_grad_norm | multiply_grads",
    ),
    _framework("ESPnet", r"(^|\.)AbsESPnetModel$", step=r"forward", once=r"collect_feats"),
    _framework("AllenNLP", r"^allennlp\.models\.(\w+\.)*Model$", step=r"forward"),
    _framework(
        "Nerfstudio",
        r"^nerfstudio\.(\w+\.)*(\w*Model|\w*Pipeline)$",
        step=r"get_outputs | get_(metrics|loss)_dict | get_train_loss_dict | forward",
        rare=r"get_image_metrics_and_images | get_(average_)?eval_\w+",
        once=r"populate_modules | get_param_groups | get_training_callbacks",
    ),
    _framework(
        "SpeechBrain",
        r"(^|\.)Brain$|^speechbrain\..*Brain$",
        without_gradients=r"evaluate_batch",
        step=r"""compute_forward | compute_objectives | fit_batch | on_fit_batch_(start|end) | check_gradients |
            optimizers_step | zero_grad | freeze_optimizers | check_loss_isfinite""",
        eval_step=r"evaluate_batch",
        epoch=r"on_stage_start | on_stage_end",
        once=r"on_fit_start | on_evaluate_start | init_optimizers | make_dataloader | configure_optimizers",
    ),
    _framework(
        "fastai",
        r"^(fastai|fastcore)\..*(Callback|Learner|Metric)|(^|\.)LearnerCallback$",
        step=r"""(before|after)_batch | after_pred | after_loss | (before|after)_backward | (before|after)_step |
            after_cancel_(batch|step|backward) | on_batch_(begin|end) | on_(loss|backward|step)_(begin|end)""",
        epoch=r"(before|after)_(epoch|train|validate) | on_epoch_(begin|end)",
        once=r"(before|after)_fit | after_create | on_train_(begin|end)",
    ),
    _framework(
        "Catalyst",
        r"^catalyst\..*(Callback|Experiment|Runner)$",
        step=r"handle_batch | on_batch_(start|end) | predict_batch",
        epoch=r"on_(epoch|loader)_(start|end)",
        rare=r"on_exception",
        once=r"on_(stage|experiment)_(start|end) | get_(loaders|model|criterion|optimizer|scheduler|callbacks)",
    ),
    _framework(
        "Classy Vision",
        r"(^|\.)ClassyHook$|^classy_vision\.hooks\.(\w+\.)*\w*Hook$",
        # Since version 0.3 `on_step` stands for the hooks inside a step; tasks of other libraries still call those.
        step=r"on_(sample | forward | loss | loss_and_meter | backward | update | step)",
        epoch=r"on_phase_(start|end)",
        rare=r"on_exception",
        once=r"on_(rendezvous | start | end)",
    ),
    _framework(
        "Classy Vision",
        r"(^|\.)ClassyTask$|^classy_vision\.tasks\.(\w+\.)*\w*Task$",
        step=r"train_step",
        eval_step=r"eval_step",
        epoch=r"on_phase_(start|end) | advance_phase",
        once=r"on_(start | end) | prepare",
    ),
    _framework(
        "Composer",
        r"^composer\..*(Callback|Logger|LoggerDestination)$",
        without_gradients=r"eval_\w*(start|end|forward)",
        step=r"batch_(start|end) | after_dataloader | (before|after)_(train_batch|forward|loss|backward)",
        eval_step=r"eval_batch_(start|end) | eval_(before|after)_forward",
        epoch=r"epoch_(start|end|checkpoint) | eval_(start|end)",
        once=r"init | fit_(start|end) | close | post_close | predict_(start|end)",
    ),
    _framework("Composer", r"^composer\..*Algorithm$", step=r"apply | match"),
    _framework(
        "Composer",
        r"(^|\.)ComposerModel$|^composer\.models\.",
        without_gradients=r"eval_forward | update_metric",
        step=r"loss",
        eval_step=r"eval_forward | update_metric",
    ),
    _framework(
        "torchtune",
        r"(^|\.)\w*RecipeInterface$",
        step=r"_loss_step",
        epoch=r"validate",
        rare=r"save_checkpoint",
        once=r"setup | _setup_\w+ | cleanup | load_checkpoint",
    ),
    _framework(
        "DeepSpeed",
        r"^deepspeed\..*Engine$",
        step=r"forward | backward | step | train_batch",
        eval_step=r"eval_batch",
    ),
    _framework("the training loop", r"^torch\.optim\.(\w+\.)*[A-Z]\w*$", step=r"step"),
    _framework("its loader", samplers.ORIGIN, epoch=r"__iter__ | set_epoch"),
)

STEP_NAMES = lazy(
    r"""training_step | training_step_end | compute_loss | run_step | optimize_parameters | train_step |
    forward_backward | fit_batch | compute_forward | compute_objectives | optimizer_step |
    on_train_batch_(start|end) | on_before_backward | on_after_backward | on_before_optimizer_step |
    on_step_(begin|end) | (before|after)_train_iter""",
    re.VERBOSE,
)
"""Hooks that say by their name alone what they are, in a class that looks like a part of a trainer."""
OBSERVER_STEP_NAMES = lazy(
    r"""on_substep_end | on_batch_(start|begin|end) | batch_(start|end) | on_before_zero_grad | after_pred |
    after_loss | (before|after)_(step|batch|backward)""",
    re.VERBOSE,
)
"""The same for classes that look like callbacks."""
EVAL_NAMES = lazy(
    r"""(validation|test|predict|prediction|eval|val)_step | evaluate_batch |
    on_(validation|test)_batch_(start|end) | (before|after)_(val|test)_iter""",
    re.VERBOSE,
)
EPOCH_NAMES = lazy(r"on_(?=\w*epoch_\w)\w+ | \w+_epoch_(start|end) | (before|after)_\w*epoch", re.VERBOSE)
NAMES_WITHOUT_GRADIENTS = lazy(r"(validation|test|predict)_step | on_(validation|test)_batch_end", re.VERBOSE)
"""What a framework that is not known here likely calls with autograd off."""
OBSERVER_ONCE_NAMES = lazy(r"on_(fit|train|training)_(start|begin|end) | on_init_end", re.VERBOSE)
