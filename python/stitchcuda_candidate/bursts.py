# SPDX-License-Identifier: Apache-2.0
"""Timed calls, one after the other, without waiting in between."""

from __future__ import annotations

from typing import Any

from .calls import BoundCall, Calls
from .channel import Fault
from .host_device import HostDevice
from .types import contiguous


class Bursts:
    """Calls that are bound once and made many times. Outputs are handed over at a burst's end, or after each call where
    they lie in a buffer of the module's, which the next call changes. A program in C writes them where they belong, a
    module in Python cannot: so a burst without calls hands over the last one's outputs again, and what is subtracted
    for it holds that work too. Outputs that are not contiguous where the reference's are become so within the time:
    whoever reads them would have that work."""

    def __init__(self, calls: Calls, device: HostDevice, requests: list[dict[str, Any]], bytes_to_evict: int) -> None:
        self._calls, self._device = calls, device
        self._bound = [calls.bind(request) for request in requests]
        self._results: list[Any] = []
        self._at_once: bool | None = None
        self._is_strided: bool | None = None
        for bound in self._bound if calls.captures else []:
            calls.capture(bound)
        device.make_room(bytes_to_evict)

    def run(self, order: list[int], with_calls: bool) -> float:
        """Microseconds by the device's events, up to the last call's end."""
        turns = [self._bound[number] for number in order]
        if with_calls:
            self._results = []
        self._device.begin_burst()
        for number, bound in enumerate(turns):
            self._device.evict(backwards=number % 2 != 0)
            self._turn(number, bound, with_calls)
        self._device.end_burst()
        for number, bound in enumerate([] if self._at_once else turns):
            self._hand_over(number, bound)
        self._device.called()
        self._device.settle()
        return self._device.burst_us()

    def _turn(self, number: int, bound: BoundCall, with_call: bool) -> None:
        self._calls.put_states(bound)
        if with_call:
            self._results.append(self._calls.forward(bound))
        if self._at_once is None and self._results:
            self._at_once = self._calls.lies_in_module(self._results[-1])
            self._is_strided = bool(self._calls.strided(self._results[-1]))
        if with_call and self._is_strided:
            for tensor in self._calls.strided(self._results[-1]):
                contiguous(tensor)
        if self._at_once:
            self._hand_over(number, bound)
        self._calls.hand_states(bound)

    def _hand_over(self, number: int, bound: BoundCall) -> None:
        if not self._results:
            return
        result = self._results[number % len(self._results)]
        if not self._is_strided and self._calls.strided(result):
            raise Fault("an output is contiguous in the first timed call and not in a later one")
        self._calls.hand_over(bound, result)
