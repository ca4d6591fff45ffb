# SPDX-License-Identifier: Apache-2.0
"""Whether a program computes the same in train and in eval mode."""

from __future__ import annotations

import inspect
import re

from torch import nn

_SENSITIVE = re.compile(r"\btraining\b|dropout|rrelu", re.IGNORECASE)
_PROSE = re.compile(r'"""(?:.|\n)*?"""|#[^\n]*')


def same_in_both_modes(module: nn.Module, source: str) -> bool:
    """True only where no class of the module, nor the file itself, has a word of what depends on the mode. False where
    in doubt: then train() and eval() keep to the mode that the program was made in."""
    classes = {kind for child in module.modules() for kind in type(child).__mro__}
    for kind in classes - {nn.Module, object}:
        if kind.__module__.startswith("stitchcuda_"):
            continue  # the file's own, whose whole text is looked at
        try:
            text = inspect.getsource(kind)
        except (OSError, TypeError):
            return False
        if _SENSITIVE.search(_PROSE.sub("", text)):
            return False
    return not _SENSITIVE.search(_PROSE.sub("", source))
