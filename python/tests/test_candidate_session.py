# SPDX-License-Identifier: Apache-2.0
"""The protocol of a worker in Python, with the user's own program behind it: what a baseline is timed by."""

from __future__ import annotations

import mmap
import os
import pathlib
import struct
import sys
import tempfile
import unittest
from collections.abc import Callable
from typing import Any

import torch
from stitchcuda_candidate.channel import Fault
from stitchcuda_candidate.guard import NoGuard
from stitchcuda_candidate.host_device import HostDevice
from stitchcuda_candidate.session import Session, set_math
from stitchcuda_python.oracle.native import tf32_flags
from stitchcuda_python.vocabulary import MATH_MODES

_PROGRAM = """
import torch

class Model(torch.nn.Module):
    def __init__(self, count):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(count))
        self.register_buffer("steps", torch.zeros(1))

    def forward(self, x):
        self.steps += 1
        return x * self.weight, self.steps
"""
_BLOCK_BYTES = 4096


class CountingDevice(HostDevice):
    """Says what a burst asks for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def evict(self, backwards: bool) -> None:
        self.asked.append("back" if backwards else "forth")

    def begin_burst(self) -> None:
        self.asked.append("begin")

    def end_burst(self) -> None:
        self.asked.append("end")


def described(name: str, count: int) -> dict[str, Any]:
    return {"name": name, "dtype": "float32", "shape": [count]}


def interface() -> dict[str, Any]:
    def entry(key: str, count: int) -> dict[str, Any]:
        return {"key": key, "dtype": "float32", "shape": [count], "is_saved": True, "same_as": None}

    return {
        "class": "Model",
        "math": "fp32",
        "init": {"list": [{"value": 3}]},
        "takes": {"list": [{"tensor": 0}]},
        "returns": {"tuple": [{"tensor": 0}, {"tensor": 1}]},
        "state": [entry("weight", 3), entry("steps", 1)],
        "parameters": ["weight"],
        "states": ["steps"],
        "states_out": ["steps"],
        "training": None,
        "program": {
            "inputs": [described("x", 3)],
            "parameters": [described("weight", 3)],
            "states_in": [described("steps", 1)],
            "states_out": [described("steps", 1)],
            "outputs": [described("y", 3), described("count", 1)],
        },
    }


def region(offset: int, count: int) -> dict[str, Any]:
    return {"block": 1, "offset": offset, "bytes": 4 * count, "extents": [count]}


def call_at(offset: int) -> dict[str, Any]:
    """Input, output, state and an output that is the state's memory, 64 bytes apart. The state is replaced in place."""
    return {
        "inputs": [region(offset, 3)],
        "outputs": [region(offset + 64, 3), region(offset + 192, 1)],
        "states_in": [region(offset + 128, 1)],
        "states_out": [region(offset + 128, 1)],
        "rng_seed": 1,
        "rng_offset": 0,
    }


class SessionTest(unittest.TestCase):
    """One process plays both sides."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(sys.path.remove, folder.name)
        self.addCleanup(sys.modules.pop, "model_new")
        file = pathlib.Path(folder.name, "program.py")
        file.write_text(_PROGRAM, encoding="utf-8")
        self.device = CountingDevice()
        self.session = Session(NoGuard(), self.device)
        memory = os.memfd_create("block")
        self.addCleanup(os.close, memory)
        os.truncate(memory, _BLOCK_BYTES)
        self.memory = mmap.mmap(memory, _BLOCK_BYTES)
        self.addCleanup(self.memory.close)
        self.ask("hello", {"device": 0})
        self.ask("load", {"library": str(file), "interface": interface()})
        self.ask("attach", {"blocks": [{"id": 1, "bytes": _BLOCK_BYTES, "handle": ""}]}, [os.dup(memory)])
        self.write(2048, 2.0, 3.0, 4.0)
        self.ask("prepare", {"parameters": [region(2048, 3)], "prepared": []})

    def ask(self, verb: str, arguments: dict[str, Any], descriptors: list[int] | None = None) -> dict[str, Any]:
        return self.session.handle({"verb": verb, "arguments": arguments}, descriptors or [])

    def write(self, offset: int, *values: float) -> None:
        self.memory[offset : offset + 4 * len(values)] = struct.pack(f"{len(values)}f", *values)

    def read(self, offset: int, count: int) -> list[float]:
        return list(struct.unpack(f"{count}f", self.memory[offset : offset + 4 * count]))

    def test_a_call_writes_its_outputs_and_new_states(self) -> None:
        self.write(0, 1.0, 1.0, -1.0)
        self.write(128, 41.0)
        self.ask("run", {"call": call_at(0), "schedule_seed": 0})
        self.assertEqual(self.read(64, 3), [2.0, 3.0, -4.0])
        self.assertEqual(self.read(128, 1), [42.0])

    def test_timed_calls_follow_the_order_with_an_eviction_before_each(self) -> None:
        for offset, state in ((0, 10.0), (512, 20.0)):
            self.write(offset, 1.0, 2.0, 3.0 + offset)
            self.write(offset + 128, state)
        self.ask("bind", {"calls": [call_at(0), call_at(512)], "evict_bytes": 64, "graph": False})
        self.ask("run_block", {"order": [1, 0], "with_calls": True})
        self.assertEqual(self.device.asked, ["begin", "forth", "back", "end"])
        self.assertEqual(self.read(64, 3), [2.0, 6.0, 12.0])
        self.assertEqual(self.read(512 + 64, 3), [2.0, 6.0, 4 * 515.0])
        self.assertEqual(self.read(128, 1) + self.read(512 + 128, 1), [11.0, 21.0])
        self.assertEqual(self.read(192, 1) + self.read(512 + 192, 1), [11.0, 21.0], "the next call changes the buffer")

    def test_a_burst_without_calls_does_all_but_them(self) -> None:
        self.write(0, 1.0, 1.0, 1.0)
        self.ask("bind", {"calls": [call_at(0), call_at(512)], "evict_bytes": 64, "graph": False})
        self.ask("run_block", {"order": [0, 1], "with_calls": True})
        self.device.asked = []
        self.write(0, 9.0, 9.0, 9.0)
        self.write(64, 0.0, 0.0, 0.0)
        self.write(128, 5.0)
        self.ask("run_block", {"order": [0, 1], "with_calls": False})
        self.assertEqual(self.device.asked, ["begin", "forth", "back", "end"])
        self.assertEqual(self.read(64, 3), [2.0, 3.0, 4.0], "the last call's outputs are copied again")
        self.assertEqual(self.read(128, 1), [5.0])

    def test_timed_calls_of_a_captured_program_replay_what_was_captured(self) -> None:
        captured: list[str] = []

        def capture(forward: Callable[[], Any], begin_again: Callable[[], None]) -> Callable[[], Any]:
            forward()  # in front of the capture, as on a GPU
            begin_again()
            result = forward()  # a GPU does not run it here
            begin_again()
            captured.append("once")

            def replay() -> Any:
                for kept, new in zip(result, forward()):
                    kept.copy_(new)
                return result

            return replay

        self.session._calls.captures = True
        self.device.capture = capture  # type: ignore[method-assign]
        for offset, state in ((0, 10.0), (512, 20.0)):
            self.write(offset, 1.0, 2.0, 3.0 + offset)
            self.write(offset + 128, state)
        self.ask("bind", {"calls": [call_at(0), call_at(512)], "evict_bytes": 0, "graph": False})
        self.ask("run_block", {"order": [1, 0], "with_calls": True})
        self.assertEqual(captured, ["once", "once"], "each call's own memory has a graph")
        self.assertEqual(self.read(64, 3), [2.0, 6.0, 12.0])
        self.assertEqual(self.read(512 + 64, 3), [2.0, 6.0, 4 * 515.0])
        self.assertEqual(self.read(192, 1) + self.read(512 + 192, 1), [11.0, 21.0])

    def test_nothing_is_captured_without_a_gpu(self) -> None:
        self.session._calls.captures = True
        with self.assertRaisesRegex(Fault, "on a GPU alone"):
            self.ask("bind", {"calls": [call_at(0)], "evict_bytes": 0, "graph": False})

    def test_memory_that_is_not_there_is_no_tensor(self) -> None:
        with self.assertRaises(ValueError):
            self.ask("bind", {"calls": [call_at(_BLOCK_BYTES - 4)], "evict_bytes": 0, "graph": False})

    def test_a_changed_parameter_is_told(self) -> None:
        self.session._calls._module.module.weight.data = self.session._calls._module.module.weight.data + 1
        with self.assertRaises(Fault):
            self.ask("run", {"call": call_at(0), "schedule_seed": 0})


class MathModes(unittest.TestCase):
    def setUp(self) -> None:
        switches = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
        self.addCleanup(self.turn, *switches)

    def turn(self, products: bool, convolutions: bool) -> None:
        torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = products, convolutions

    def test_switches_of_a_candidate_are_those_of_the_oracle(self) -> None:
        for name in MATH_MODES:
            with tf32_flags(name):
                wanted = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
            self.turn(not wanted[0], not wanted[1])
            set_math(name)
            self.assertEqual((torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32), wanted, name)


if __name__ == "__main__":
    unittest.main()
