# SPDX-License-Identifier: Apache-2.0
"""What a call returned is looked at again, after the next call and, of some, at a drawn later one."""

from __future__ import annotations

import unittest
from typing import Any
from unittest import mock

import torch
from stitchcuda_candidate import kept as module
from stitchcuda_candidate.channel import Fault
from stitchcuda_candidate.host_device import HostDevice
from stitchcuda_candidate.kept import MAX_BYTES, KeptOutputs

_SOON, _LATER = 1, 4 * 5  # what is drawn: the next call alone; seven calls later


class KeptOutputsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.kept = KeptOutputs(HostDevice())

    def call(self, output: torch.Tensor, drawn: int = _SOON, others: Any = ()) -> None:
        """One call that returns `output`, which `drawn` decides about."""
        self.kept.check()
        with mock.patch.object(module, "_bytes_by_chance", lambda count: drawn.to_bytes(count, "little")):
            self.kept.keep({0: output}, [output.numel() * 4], list(others))

    def test_a_tensor_of_its_own_each_time_is_right(self) -> None:
        for number in range(12):
            self.call(torch.full((6,), float(number)), _LATER)

    def test_the_same_memory_again_is_told_by_the_next_call(self) -> None:
        buffer = torch.zeros(6)
        self.call(buffer)
        buffer += 1
        with self.assertRaises(Fault) as raised:
            self.call(buffer)
        self.assertIn("output 0 of a call was overwritten by the next call", str(raised.exception))

    def test_a_change_in_a_later_call_is_told_when_it_is_looked_at_then(self) -> None:
        first = torch.zeros(6)
        self.call(first, _LATER)
        for number in range(5):
            self.call(torch.full((6,), float(number)))
        first += 1  # what the sixth call after it does
        with self.assertRaises(Fault) as raised:
            for number in range(4):
                self.call(torch.full((6,), float(number)))
        self.assertIn("by one of the 7 calls after it", str(raised.exception))

    def test_a_change_after_it_was_looked_at_last_is_not(self) -> None:
        first = torch.zeros(6)
        self.call(first)
        self.call(torch.zeros(6))
        first += 1
        self.call(torch.zeros(6))

    def test_a_view_of_rows_is_read_element_by_element(self) -> None:
        wide = torch.zeros(3, 8)
        self.call(wide[:, :2])
        wide[:, 2:] += 1  # beside it
        self.call(torch.zeros(6))
        self.call(wide[:, :2])
        wide[1, 1] += 1
        with self.assertRaises(Fault):
            self.call(torch.zeros(6))

    def test_memory_of_others_may_change(self) -> None:
        state = torch.zeros(6)
        for _ in range(3):
            self.call(state, others=[(state.data_ptr(), 24)])
            state += 1

    def test_what_is_too_large_is_not_kept(self) -> None:
        output = torch.zeros(6)
        self.kept.keep({0: output}, [MAX_BYTES + 1], [])
        output += 1
        self.kept.check()


if __name__ == "__main__":
    unittest.main()
