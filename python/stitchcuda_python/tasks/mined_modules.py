# SPDX-License-Identifier: Apache-2.0
"""Modules of named models in `transformers`, where it is installed, that can stand as a layer of a task: made from a
small configuration, they take hidden states alone and give hidden states of the same shape."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import warnings
from typing import Any

import torch
from torch import nn

from ..failures import ENVIRONMENT, Failure

# Models of many designs: gated and plain, with and without biases, norms of several kinds, encoders, convolutions.
MODELS = """llama mistral qwen2 qwen3 gemma gemma2 phi gpt2 gpt_neox gptj opt bloom falcon bert roberta distilbert
    electra albert deberta_v2 t5 mpnet vit deit beit swin convnext convnextv2 resnet regnet mobilevit segformer
    clip siglip whisper wav2vec2 hubert mamba mixtral olmo stablelm cohere nemotron granite
    starcoder2 persimmon""".split()
# A call that needs more than hidden states is no layer that stands alone.
_TAKEN = {"hidden_states", "hidden_state", "x", "input", "inputs", "features"}
_WIDTH, _ROWS, _BATCH = 64, 8, 2
# By these names a configuration says how wide it is; whichever it has is set.
_SMALL = {
    "hidden_size": _WIDTH, "n_embd": _WIDTH, "d_model": _WIDTH, "dim": _WIDTH, "embed_dim": _WIDTH,
    "intermediate_size": 4 * _WIDTH, "ffn_dim": 4 * _WIDTH, "d_ff": 4 * _WIDTH, "n_inner": 4 * _WIDTH,
    "hidden_dim": 4 * _WIDTH, "num_attention_heads": 4, "num_key_value_heads": 4, "n_head": 4, "head_dim": 16,
    "num_hidden_layers": 1, "vocab_size": 128,
    "hidden_dropout_prob": 0.0, "dropout": 0.0, "attention_dropout": 0.0, "resid_pdrop": 0.0, "hidden_dropout": 0.0,
    "activation_dropout": 0.0, "dropout_rate": 0.0, "attention_probs_dropout_prob": 0.0,
}  # fmt: skip


def mined_modules() -> dict[str, Any]:
    """{"version", "modules": [{"model", "module", "class", "config", "settings"}], "tried"}. A Failure where there is
    no transformers."""
    if importlib.util.find_spec("transformers") is None:
        message = "transformers is not installed, so that no layers of its models can be taken as seeds."
        raise Failure(ENVIRONMENT, message, "transformers", "pip install transformers into the Python with PyTorch.")
    import transformers

    found: list[dict[str, Any]] = []
    tried = 0
    for model in MODELS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                modeling = importlib.import_module(f"transformers.models.{model}.modeling_{model}")
                config = _configuration(model)
            except Exception:  # noqa: BLE001 - another release has other models
                continue
            for name, kind in sorted(vars(modeling).items()):
                if inspect.isclass(kind) and issubclass(kind, nn.Module) and kind.__module__ == modeling.__name__:
                    tried += 1
                    settings = _fit(kind, config)
                    if settings is not None:
                        found.append({"model": model, "module": modeling.__name__, "class": name, **settings})
    return {"version": transformers.__version__, "modules": found, "tried": tried}


def _configuration(model: str) -> Any:
    configuring = importlib.import_module(f"transformers.models.{model}.configuration_{model}")
    plain = model.replace("_", "")
    for name, kind in vars(configuring).items():
        is_named = re.fullmatch(rf"{plain}(Text|Vision)?Config", name, re.I) is not None
        if is_named and inspect.isclass(kind) and hasattr(kind, "to_dict"):
            return kind
    raise LookupError(model)


def _fit(kind: type, config_kind: Any) -> dict[str, Any] | None:
    """How the class is made, where it takes and gives [batch, rows, width]."""
    try:
        needed = [
            each.name
            for each in inspect.signature(kind.forward).parameters.values()
            if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD and each.name != "self"
        ]
        arguments = [
            each.name
            for each in inspect.signature(kind.__init__).parameters.values()
            if each.default is each.empty and each.kind is each.POSITIONAL_OR_KEYWORD and each.name != "self"
        ]
    except (TypeError, ValueError):
        return None
    is_made_of_width = not arguments or arguments[0] in ("config", "hidden_size", "dim")
    if len(needed) != 1 or needed[0] not in _TAKEN or not is_made_of_width:
        return None
    has = config_kind().to_dict()
    settings = {name: value for name, value in _SMALL.items() if name in has}
    extra = "0" if arguments[1:] == ["layer_idx"] else ""
    if len(arguments) > 1 and not extra:
        return None
    try:
        first = config_kind(**settings) if not arguments or arguments[0] == "config" else _WIDTH
        made = kind(*([first] if arguments else []), *([0] if extra else [])).eval()
        hidden = torch.randn(_BATCH, _ROWS, _WIDTH)
        with torch.no_grad():
            result = made(hidden)
        result = result[0] if isinstance(result, tuple) else result
        if not isinstance(result, torch.Tensor) or result.shape != hidden.shape or torch.equal(result, hidden):
            return None
    except Exception:  # noqa: BLE001 - whatever a class of somebody else's wants
        return None
    widths = [name for name, value in settings.items() if value in (_WIDTH, 4 * _WIDTH)]
    return {
        "config": config_kind.__name__ if arguments and arguments[0] == "config" else "",
        "config_module": config_kind.__module__,
        "takes": "config" if arguments and arguments[0] == "config" else ("width" if arguments else ""),
        "layer_index": extra != "",
        "widths": {name: settings[name] // _WIDTH for name in widths},
        "settings": {name: value for name, value in settings.items() if name not in widths},
    }
