# SPDX-License-Identifier: Apache-2.0
"""`from_pretrained` of transformers without a network: a named model is its configuration with weights made at random.

What a program asks of a name is the shape of its computation; nobody judges trained weights, and what a run finds must
not hang on what a machine has downloaded. A folder that is there is loaded as transformers loads it. Configurations are
those of named_models.toml (public hyperparameters; all else as transformers has it), or what a cache of transformers on
this machine has of the name.
"""

from __future__ import annotations

import copy
import functools
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import tomllib
import types
from collections.abc import Callable, Sequence
from typing import Any

from ..failures import ENVIRONMENT, Failure

_TABLE = os.path.join(os.path.dirname(__file__), "named_models.toml")


@functools.cache
def _named_models() -> dict[str, dict[str, Any]]:
    with open(_TABLE, "rb") as stream:
        return tomllib.load(stream)


def named_model(name: str) -> dict[str, Any] | None:
    """The configuration of that name, "model_type" among it; None for one that the table lacks."""
    known = _named_models()
    found = known.get(name) or known.get(name.rpartition("/")[2])
    return copy.deepcopy(found)


def _is_folder(name: Any) -> bool:
    return os.path.isdir(os.fspath(name)) if isinstance(name, (str, os.PathLike)) else False


def _unknown(name: Any) -> Failure:
    message = f"the model {name} has no configuration here, and none is downloaded."
    return Failure(ENVIRONMENT, message, _TABLE, "Name a folder that holds its config.json.")


def _patch_configurations(module: types.ModuleType) -> None:
    """AutoConfig.from_pretrained(name)."""
    automatic = module.AutoConfig
    original = automatic.from_pretrained.__func__

    def from_pretrained(cls: Any, name: Any, *arguments: Any, **options: Any) -> Any:
        if _is_folder(name):
            return original(cls, name, *arguments, **options)
        known = named_model(str(name))
        if known is not None:
            made = cls.for_model(known.pop("model_type"), **known)
            made._name_or_path = str(name)
            return made
        try:
            return original(cls, name, *arguments, **{**options, "local_files_only": True})
        except (OSError, ValueError):
            raise _unknown(name) from None

    automatic.from_pretrained = classmethod(from_pretrained)


def _patch_models(module: types.ModuleType) -> None:
    """AutoModel....from_pretrained(name, config=...)."""
    automatic = module._BaseAutoModelClass
    original = automatic.from_pretrained.__func__

    def from_pretrained(cls: Any, name: Any, *arguments: Any, config: Any = None, **options: Any) -> Any:
        if _is_folder(name):
            return original(cls, name, *arguments, config=config, **options)
        if config is None:
            config = sys.modules["transformers.models.auto.configuration_auto"].AutoConfig.from_pretrained(name)
        return cls.from_config(config)

    automatic.from_pretrained = classmethod(from_pretrained)


def _patch_configuration_classes(module: types.ModuleType) -> None:
    """GPT2Config.from_pretrained(name), and likewise of every configuration."""
    base = getattr(module, "PreTrainedConfig", None) or module.PretrainedConfig
    original = base.from_pretrained.__func__

    def from_pretrained(cls: Any, name: Any, *arguments: Any, **options: Any) -> Any:
        known = None if _is_folder(name) else named_model(str(name))
        if known is not None and known.pop("model_type") == cls.model_type:
            return cls(**known)
        return original(cls, name, *arguments, **options)

    base.from_pretrained = classmethod(from_pretrained)


def _patch_model_classes(module: types.ModuleType) -> None:
    """GPT2LMHeadModel.from_pretrained(name), and likewise of every model."""
    base = module.PreTrainedModel
    original = base.from_pretrained.__func__

    def from_pretrained(cls: Any, name: Any, *arguments: Any, config: Any = None, **options: Any) -> Any:
        if name is None or _is_folder(name):
            return original(cls, name, *arguments, config=config, **options)
        return cls(config if config is not None else cls.config_class.from_pretrained(name))

    base.from_pretrained = classmethod(from_pretrained)


_PATCHES: dict[str, Callable[[types.ModuleType], None]] = {
    "transformers.models.auto.configuration_auto": _patch_configurations,
    "transformers.models.auto.auto_factory": _patch_models,
    "transformers.configuration_utils": _patch_configuration_classes,
    "transformers.modeling_utils": _patch_model_classes,
}


class _Loader(importlib.abc.Loader):
    """Runs a module as its own loader does, then patches it."""

    def __init__(self, own: importlib.abc.Loader, patch: Callable[[types.ModuleType], None]) -> None:
        self._own, self._patch = own, patch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType | None:
        return self._own.create_module(spec)

    def exec_module(self, module: types.ModuleType) -> None:
        self._own.exec_module(module)
        self._patch(module)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules that are patched where everybody else finds them."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        patch = _PATCHES.get(name)
        if patch is None:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, patch)
        return spec


def answer_offline() -> None:
    """From here on, in this process: what is loaded of transformers asks no network. Nothing is imported for it."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    for name, patch in _PATCHES.items():
        if name in sys.modules:  # of a session in which transformers is at work already
            patch(sys.modules[name])
    sys.meta_path.insert(0, _Finder())
