# SPDX-License-Identifier: Apache-2.0
"""Serves the channel on descriptor 3; descriptor 4 is the pipe for what the candidate must not do."""

from __future__ import annotations

import os
import sys

CHANNEL, LEDGER = 3, 4


def main(observer: str, folder: str, device: str = "cpu", role: str = "candidate") -> None:
    """`observer` is the library that watches PyTorch, `folder` holds the candidate, `device` is where it computes.
    `role` is "candidate", "rehearsal" of one, which nobody judges, or "reference", which is the user's own program."""
    from .absent import COMPUTING_MODULES, no_search_for_libraries

    if role != "reference":
        for name in COMPUTING_MODULES:  # before PyTorch looks for NumPy: its numpy() is no way to compute either
            sys.modules[name] = None  # type: ignore[assignment]
    import warnings

    warnings.simplefilter("ignore")
    with no_search_for_libraries():
        import torch

    torch.set_num_threads(1)
    from .channel import Channel, Fault, out_of_the_way
    from .cuda_device import open_device
    from .emulated import EmulatedDevice
    from .guard import Guard, NoGuard
    from .rehearsal import FOLDER, record, replay
    from .session import Session

    channel = Channel(CHANNEL)
    opened = open_device(device, observer)  # a library of ours, before anybody watches what is loaded
    is_judged = role == "candidate"
    is_emulated = is_judged and device == "cpu"
    emulated = EmulatedDevice(os.environ["STITCHCUDA_EMULATOR"], observer) if is_emulated else None
    guard = Guard(observer, out_of_the_way(LEDGER), device == "cpu") if is_judged else NoGuard()
    if (compiled := os.environ.get(FOLDER)) is not None:
        (record if role == "rehearsal" else replay)(compiled)
    guard.watch(folder)
    session = Session(guard, opened, emulated)
    while (request := channel.receive()) is not None:
        identity, message, descriptors = request
        try:
            channel.answer(identity, session.handle(message, descriptors))
        except Fault as fault:
            channel.refuse(identity, fault)
        except SystemExit as stop:
            channel.refuse(identity, Fault(f"it ended the process, with status {stop.code}"))
    os._exit(0)  # nothing of the candidate's has anything left to say
