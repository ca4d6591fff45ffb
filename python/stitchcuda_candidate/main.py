# SPDX-License-Identifier: Apache-2.0
"""Serves the channel on descriptor 3; descriptor 4 is the pipe for what the candidate must not do."""

from __future__ import annotations

import os
import sys

CHANNEL, LEDGER = 3, 4


def main(observer: str, folder: str) -> None:
    """`observer` is the library that watches PyTorch, `folder` holds the candidate."""
    from .absent import COMPUTING_MODULES

    for name in COMPUTING_MODULES:  # before PyTorch looks for NumPy: a tensor's numpy() is no way to compute either
        sys.modules[name] = None  # type: ignore[assignment]
    import warnings

    warnings.simplefilter("ignore")
    import torch

    torch.set_num_threads(1)
    from .channel import Channel, Fault, out_of_the_way
    from .guard import Guard
    from .session import Session

    channel = Channel(CHANNEL)
    guard = Guard(observer, out_of_the_way(LEDGER))
    guard.watch(folder)
    session = Session(guard)
    while (request := channel.receive()) is not None:
        identity, message, descriptors = request
        try:
            channel.answer(identity, session.handle(message, descriptors))
        except Fault as fault:
            channel.refuse(identity, fault)
        except SystemExit as stop:
            channel.refuse(identity, Fault(f"it ended the process, with status {stop.code}"))
    os._exit(0)  # nothing of the candidate's has anything left to say
