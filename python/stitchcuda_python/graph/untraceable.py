# SPDX-License-Identifier: Apache-2.0
"""What torch.export cannot trace, and says so in words for its own developers: sentences for the program's author."""

from __future__ import annotations

import os
import re
import traceback
from types import FrameType

from torch.nn.utils.rnn import PackedSequence

from ..failures import PROGRAM_INVALID, Failure, chain, from_user_code

_UNKNOWN_TYPE = re.compile(r"Found <class '([^']+)'> in output, which is not a known type")
_PACKED_SEQUENCES = os.path.join("nn", "utils", "rnn.py")
_LAYERS = os.path.join("nn", "modules", "rnn.py")
_PADDED = "Run the padded batch and mask its steps, with torch.where for a recurrent network's last states."
_KNOWN_TYPES = "Return tensors, or tuples, lists, dicts and NamedTuples of them"


def refusal_of_unknown_type(error: Exception, file: str) -> Failure | None:
    """The refusal where `error` tells of a result that holds a class which PyTorch cannot take apart, else None."""
    for link in chain(error):
        found = _UNKNOWN_TYPE.search(str(link))
        if found:
            name = found.group(1).rpartition(".")[2]
            message = f"forward returns {_with_article(name)}, which PyTorch cannot take apart into tensors."
            remedy = f"{_KNOWN_TYPES}." if name == "generator" else f"{_KNOWN_TYPES}: {_known_once(name)}."
            return Failure(PROGRAM_INVALID, message, file, remedy, from_user_code(error, "", file, "").trace)
    return None


def refusal_of_packed_sequence(error: Exception, file: str) -> Failure | None:
    """The refusal where `error` was raised by work on a packed sequence, whose shape is that of numbers in a tensor."""
    for link in chain(error):
        if any(_packs(frame) for frame, _line in traceback.walk_tb(link.__traceback__)):
            told = from_user_code(error, "being exported", file, "")
            message = f"{os.path.basename(file)} works on a packed sequence, whose shape depends on the lengths"
            where = told.message.partition(", at `")[2].partition("`")[0]
            message += f", at `{where}`." if where else "."
            return Failure(PROGRAM_INVALID, message, told.location, _PADDED, told.trace)
    return None


def _packs(frame: FrameType) -> bool:
    """Whether PyTorch's own code in `frame` makes, opens or was handed a packed sequence."""
    name = frame.f_code.co_filename
    handed = name.endswith(_LAYERS) and any(isinstance(value, PackedSequence) for value in frame.f_locals.values())
    return handed or name.endswith(_PACKED_SEQUENCES)


def _with_article(name: str) -> str:
    return f"{'an' if name[:1] in 'AEIOUaeiou' else 'a'} {name}"


def _known_once(name: str) -> str:
    return f"{name} counts as such after torch.export.register_dataclass({name}), if it is a dataclass"
