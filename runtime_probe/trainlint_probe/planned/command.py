"""`trainlint plan`: from what was typed to what is printed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from trainlint.bounded import SOURCE_BYTES, read_bounded, reason_of
from trainlint.cli.console import UsageError
from trainlint.cli.report_file import print_report, require_writable
from trainlint.planning.alternatives import alternatives
from trainlint.planning.choice import recommended
from trainlint.planning.configuration import transformer_of_config
from trainlint.planning.fits import Outlook, outlook, outlooks
from trainlint.planning.model import Model, model_of_parameters, model_of_transformer
from trainlint.planning.strategies import strategies_for
from trainlint.planning.training import Checkpointing
from trainlint.planning.transformer import Transformer
from trainlint.planning.values import BadConfig
from trainlint_probe.planned.options import Options, read_options
from trainlint_probe.planned.plan import Plan

FITS, NOTHING_FITS = 0, 1
_MOST_PARAMETERS = 1e16


def plan(arguments: Sequence[str]) -> int:
    """Print the plan and return 0 where something fits, 1 where nothing does. Raises UsageError."""
    options = read_options(arguments)
    if options.output_file is not None:
        require_writable(options.output_file, ())
    found = planned(options)
    print_report(_text(found, options), options.output_file)
    return FITS if recommended(found.outlooks) is not None else NOTHING_FITS


def planned(options: Options) -> Plan:
    """The plan that was asked for. Raises UsageError."""
    model, training = _model(options), options.training
    if model.parameters >= _MOST_PARAMETERS:
        raise UsageError(f"{model.name} would have {model.parameters:.0e} parameters; check its sizes")
    found: tuple[Outlook, ...] = outlooks(model, training)
    if options.strategy is not None:
        possible = {item.key: item for item in strategies_for(training.cluster)}
        if options.strategy not in possible:
            raise UsageError(
                f"--strategy {options.strategy} means nothing on this cluster; choose one of {', '.join(possible)}"
            )
        found = (outlook(model, training, possible[options.strategy]),)
    instead = None
    if recommended(found) is None:
        instead = alternatives(model, training, [item.strategy for item in found])
    return Plan(model, training, found, options.gpu.name if options.gpu else None, instead)


def _model(options: Options) -> Model:
    _refuse_options_of_others(options)
    if options.parameters is not None:
        if options.rank:
            raise UsageError(
                "--lora needs the layers' numbers or a config.json, to know what the adapters stand beside"
            )
        return model_of_parameters(options.parameters)
    if options.target is None:
        shape = _transformer(options)
        name = f"a transformer of {shape.layers} layers with {shape.hidden} units"
        return model_of_transformer(name, shape, options.rank, ("Biases and norms are not counted.",))
    if options.target.endswith(".json"):
        return _configured(options.target, options)
    if ":" not in options.target:
        raise UsageError(f"{options.target} is neither a config.json nor a callable such as package.module:build")
    if options.rank or options.training.checkpointing is not Checkpointing.NONE:
        raise UsageError(
            "--lora and --checkpointing are for models given by their numbers; let the callable build them in"
        )
    from trainlint_probe.planned.tracing import traced_model

    return traced_model(options.target, options.inputs, options.training.precision)


def _transformer(options: Options) -> Transformer:
    numbers = options.numbers
    missing = [name for name in ("layers", "hidden", "heads", "vocabulary", "sequence") if name not in numbers]
    if missing:
        raise UsageError(f"a transformer by its numbers needs {', '.join(f'--{name}' for name in missing)} as well")
    return Transformer(
        numbers["layers"],
        numbers["hidden"],
        numbers["heads"],
        numbers["vocabulary"],
        numbers["sequence"],
        inner=numbers.get("inner", 0),
        shared_heads=numbers.get("shared_heads", 0),
        gated=options.gated,
        tied=not options.untied,
    )


def _configured(path: str, options: Options) -> Model:
    try:
        config = json.loads(read_bounded(Path(path), SOURCE_BYTES))
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({reason_of(error)})") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no JSON ({error})") from error
    if not isinstance(config, dict):
        raise UsageError(f"{path} holds no JSON object")
    try:
        numbers, notes = transformer_of_config(
            config, options.numbers.get("sequence"), gated=options.gated, untied=options.untied
        )
    except BadConfig as error:
        raise UsageError(f"{path} {error}") from error
    if options.rank and numbers.experts is not None:
        notes = (*notes, "Adapters stand beside attention and what all tokens pass, not beside the chosen experts.")
    return model_of_transformer(path, numbers, options.rank, notes)


def _refuse_options_of_others(options: Options) -> None:
    """Raises UsageError for what would be ignored for a model that is given in this way."""
    of_layers = options.target is None and options.parameters is None
    counted = of_layers or (options.target or "").endswith(".json")
    typed = {"--gated": options.gated, "--untied": options.untied, "--sequence": "sequence" in options.numbers}
    ignored = [flag for flag, given in typed.items() if given and not counted]
    if ignored:
        raise UsageError(
            f"leave out {' and '.join(ignored)}, for a model that is not given by a config.json or --layers"
        )
    if options.inputs and ":" not in (options.target or ""):
        raise UsageError("--input is for a model that is named as package.module:callable; leave it out here")


def _text(found: Plan, options: Options) -> str:
    if options.output_format == "json":
        from trainlint_probe.planned.document import document

        return document(found)
    from trainlint.report.settings import Style, style_of_report
    from trainlint_probe.planned.terminal import render

    if options.output_format == "html":
        from trainlint_probe.report.page import page

        return page(render(found, Style(color=True)), title="trainlint plan")
    return render(found, style_of_report(options.color, options.output_file))
