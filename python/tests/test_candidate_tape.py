# SPDX-License-Identifier: Apache-2.0
"""What a call did on a device that has commands beside PyTorch's operators, done once more on other contents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import torch
from stitchcuda_candidate.emulated import EmulatedDevice
from stitchcuda_candidate.tape import Tape, held_by


class _Device:
    """Commands are functions: those of the program that a test enqueues."""

    def __init__(self) -> None:
        self.commands: list[Callable[[], Any]] = []
        self._next = 0
        self.first: list[tuple[int, int]] = []

    def enqueue(self, command: Callable[[], Any]) -> None:
        self.commands.append(command)
        with torch._C._DisableTorchDispatch():
            command()

    def keep_commands(self, memory: list[tuple[int, int]]) -> None:
        self._next = 0
        self.first = memory

    def end_keeping(self) -> None:
        """The device's."""

    def forget_commands(self) -> None:
        self.commands = []

    def count_commands(self) -> int:
        return len(self.commands)

    def play_up_to(self, end: int) -> int:
        for command in self.commands[self._next : end]:
            command()
        self._next = max(self._next, end)
        return 1


def _recorded(program: Callable[[_Device], torch.Tensor]) -> tuple[Tape, torch.Tensor]:
    device = _Device()
    tape = Tape(cast(EmulatedDevice, device))
    tape.begin(torch.nn.Module(), [])
    with tape, torch.no_grad():
        result = program(device)
    tape.end()
    return tape, result


def test_copies_and_kernels_follow_the_contents() -> None:
    x = torch.arange(6.0).view(2, 3)

    def program(device: _Device) -> torch.Tensor:
        turned = x.t().contiguous()
        y = torch.empty_like(turned)
        device.enqueue(lambda: y.copy_(turned * 2))
        return y.clone()

    tape, result = _recorded(program)
    x.fill_(5)
    assert tape.is_whole() and tape.play()
    assert torch.equal(result, torch.full((3, 2), 10.0))


def test_sums_begin_at_zero_again() -> None:
    x = torch.ones(4)

    def program(device: _Device) -> torch.Tensor:
        sums = torch.zeros(4)
        device.enqueue(lambda: sums.add_(x))
        return sums

    tape, result = _recorded(program)
    x.fill_(3)
    assert tape.play()
    assert result.tolist() == [3.0] * 4


def test_what_the_host_wrote_stays() -> None:
    x = torch.ones(4)

    def program(_: _Device) -> torch.Tensor:
        read = x.clone()
        said = torch.tensor([value * 2 for value in read.tolist()])
        return said.clone()

    tape, result = _recorded(program)
    x.fill_(3)
    assert tape.play()
    assert result.tolist() == [2.0] * 4


def test_storages_of_the_call_are_kept_and_an_unknown_operator_is_not_done_again() -> None:
    x = torch.ones(40)
    tape, _ = _recorded(lambda _: x.clone().clone())
    assert len(tape.extents()) == 3
    tape.forget()
    assert not tape.is_whole()
    assert not _recorded(lambda _: torch.sin(x))[0].is_whole()


def test_what_is_turned_in_place_is_copied_as_it_lay() -> None:
    x = torch.arange(6.0).view(2, 3)

    def program(_: _Device) -> torch.Tensor:
        y = torch.empty(2, 3)
        y.copy_(x)
        return y.t_()

    tape, result = _recorded(program)
    x.mul_(2)
    assert tape.play()
    assert torch.equal(result, x.t())


def test_a_fill_by_a_tensor_follows_it() -> None:
    x = torch.tensor(3.0)
    tape, result = _recorded(lambda _: torch.empty(4).fill_(x))
    x.fill_(5)
    assert tape.play()
    assert result.tolist() == [5.0] * 4


def test_memory_of_earlier_calls_is_kept_from_the_beginning_of_the_next() -> None:
    device, module, x = _Device(), torch.nn.Module(), torch.ones(40)
    tape = Tape(cast(EmulatedDevice, device))
    tape.begin(module, [])
    with tape:
        kept = x.clone()
    tape.end()
    module.packed = torch.ones(7)
    tape.begin(module, [(x.data_ptr(), 160)])
    assert sorted(device.first) == sorted([(kept.data_ptr(), 160), (module.packed.data_ptr(), 28)])


def test_a_module_holds_parameters_buffers_and_attributes() -> None:
    module = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3, affine=False))
    module[0].packed = torch.ones(7)
    assert {each.nbytes() for each in held_by(module)} == {24, 12, 28, 8}


@torch.library.custom_op("stitchcuda_tests::doubled", mutates_args=())
def _doubled(x: torch.Tensor) -> torch.Tensor:
    y = torch.empty_like(x)
    _enqueued[-1].enqueue(lambda: y.copy_(x * 2))
    return y.clone()


_enqueued: list[_Device] = []


def test_what_an_operator_of_the_candidates_own_calls_is_seen() -> None:
    x = torch.ones(4)

    def program(device: _Device) -> torch.Tensor:
        _enqueued.append(device)
        return cast(torch.Tensor, torch.ops.stitchcuda_tests.doubled(x))

    tape, result = _recorded(program)
    x.fill_(3)
    assert tape.is_whole() and tape.play()
    assert result.tolist() == [6.0] * 4
