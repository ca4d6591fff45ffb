# SPDX-License-Identifier: Apache-2.0
"""States, buffers and parameters of draws: more than constructors leave, and nothing that a program cannot hold."""

from __future__ import annotations

from typing import Any

import torch
from stitchcuda_python.oracle.constants import BESIDE, BESIDE_INSTEAD, MANNERS, REGIMES
from stitchcuda_python.oracle.manners import Manner, drawn_parameter, manner_of
from stitchcuda_python.oracle.seeds import generator

from .support import ServerCase, model, read

_KINDS = {"float32": torch.float32, "int64": torch.int64, "bool": torch.bool}


class StatesTest(ServerCase):
    def held(self, forward: str, constructor: str, name: str, after: str = "") -> tuple[list[torch.Tensor], set[str]]:
        """What buffer `name` holds in each draw of a program, and what was said meanwhile."""
        path = self.file(model(forward, constructor).replace("def get_init", after + "def get_init"), "states.py")
        opened, found, said = self.open(path), [], set()
        for group in ("states", "parameters"):
            for place, spec in enumerate(opened[group]):
                if spec["name"] == name:
                    found.append((group, place, spec))
        group, place, spec = found[0]
        made = []
        for regime in REGIMES:
            for number in range(5):
                drawn = self.draw(opened, regime, number)
                said |= {drawn["fallback"] or ""}
                made.append(read(drawn[group][place], _KINDS[spec["dtype"]], spec["shape"]))
        return made, said

    def draw(self, opened: dict[str, Any], regime: str, number: int) -> dict[str, Any]:
        drawn = self.ok("oracle.draw", oracle=opened["oracle"], regime=regime, draw=number)
        self.assertIsNone(drawn["dropped"])
        return drawn

    def test_a_moving_average_begins_as_constructed_and_is_drawn_from_then_on(self) -> None:
        buffer = "self.register_buffer('average', torch.zeros(8))"
        forward = "self.average.mul_(0.9).add_(0.1 * x.mean(0)); return x - self.average"
        held, said = self.held(forward, buffer, "average")
        self.assertEqual(said, {""})
        self.assertTrue(bool((held[0] == 0).all()))
        self.assertTrue(all(bool((item != 0).any()) for item in held[1:]))
        self.assertTrue(any(bool((item > 0).any()) and bool((item < 0).any()) for item in held[1:]))

    def test_what_calls_leave_positive_stays_positive(self) -> None:
        buffer = "self.register_buffer('square', torch.zeros(8))"
        forward = "self.square.mul_(0.9).add_(0.1 * x.square().mean(0)); return x / (self.square + 1e-6).sqrt()"
        held, said = self.held(forward, buffer, "square")
        self.assertEqual(said, {""})
        self.assertTrue(all(bool((item >= 0).all()) for item in held))
        self.assertTrue(any(bool((item > 0).all()) for item in held))

    def test_what_forward_replaces_without_a_look_at_it_is_a_state(self) -> None:
        buffer = "self.register_buffer('last', torch.zeros(8))"
        for forward in ("self.last = x.mean(0); return x * 2", "torch.sum(x, 0, out=self.last); return x * 2"):
            held, said = self.held(forward, buffer, "last")
            self.assertEqual(said, {""}, forward)
            self.assertTrue(any(bool((item != 0).any()) for item in held), forward)

    def test_a_weight_that_is_made_of_another_in_its_memory_is_no_tensor_of_its_own(self) -> None:
        layer = "self.a = nn.utils.spectral_norm(nn.Linear(8, 8))"
        opened = self.open(self.file(model("return self.a(x)", layer), "spectral.py"))
        self.assertTrue(opened["gate"]["ok"], opened["gate"])
        view = "self.w = nn.Parameter(torch.randn(8, 8)); self.turned = self.w.data.t()"
        path = self.file(model("return x @ self.w + x @ self.turned", view), "view.py")
        told = self.error("oracle.open", file=path, math="fp32", seed=1, device="cpu", folder=self.folder)
        self.assertIn("self.turned lies in the memory of the parameter w, and changes with it", told["sentence"])

    def test_a_counter_takes_many_values(self) -> None:
        buffer = "self.register_buffer('count', torch.zeros((), dtype=torch.long))"
        held, _said = self.held("self.count += 1; return x * self.count", buffer, "count")
        counts = {int(item) for item in held}
        self.assertGreater(len(counts), 10)
        self.assertGreater(max(counts), 1000)
        self.assertGreaterEqual(min(counts), 0)

    def test_a_position_stays_inside_the_cache_that_it_leads_into(self) -> None:
        buffer = "self.register_buffer('cache', torch.zeros(6, 8)); self.register_buffer('at', torch.tensor([0]))"
        forward = "self.cache.index_copy_(0, self.at + 1, x[:1]); self.at += 1; return x + self.cache.sum(0)"
        held, said = self.held(forward, buffer, "at")
        self.assertEqual(said, {""})
        positions = {int(item) for item in held}
        self.assertGreater(len(positions), 3)
        self.assertLessEqual(max(positions), 4)

    def test_a_position_of_which_nothing_is_known_stays(self) -> None:
        buffer = "self.register_buffer('cache', torch.zeros(6, 8)); self.register_buffer('at', torch.tensor([2]))"
        forward = "step = (x[0, 0] > 9).long(); y = self.cache[self.at + step]; self.at += 1; return x + y"
        held, said = self.held(forward, buffer, "at")
        self.assertEqual({int(item) for item in held}, {2})
        self.assertTrue(any("State at stays as it is constructed: it is used as an index" in line for line in said))

    def test_flags_are_of_every_density(self) -> None:
        buffer = "self.register_buffer('seen', torch.zeros(64, dtype=torch.bool))"
        forward = "self.seen.logical_or_(self.seen.roll(1)); return x.sum() + self.seen"
        held, _said = self.held(forward, buffer, "seen")
        shares = {round(float(item.float().mean()), 1) for item in held}
        self.assertTrue({0.0, 1.0} <= shares and len(shares) >= 4, shares)

    def test_what_no_call_writes_stays_unless_its_numbers_are_all_alike(self) -> None:
        window = "self.register_buffer('window', torch.hann_window(8))"
        held, _said = self.held("return x * self.window", window, "window")
        self.assertTrue(all(torch.equal(item, held[0]) for item in held))
        scale = "self.register_buffer('scale', torch.ones(8))"
        held, _said = self.held("return x * self.scale", scale, "scale")
        self.assertTrue(bool((held[0] == 1).all()))
        self.assertTrue(all(bool((item != 1).any()) and bool((item > 0).all()) for item in held[1:]))
        mask = "self.register_buffer('mask', torch.zeros(8))"
        held, _said = self.held("return x.masked_fill(self.mask == 0, 3.0)", mask, "mask")
        self.assertTrue(all(bool((item == 0).all()) for item in held))

    def test_the_file_says_what_a_state_may_hold(self) -> None:
        buffer = "self.register_buffer('count', torch.zeros((), dtype=torch.long))"
        says = "def get_states():\n    return {'count': torch.randint(5, 9, ())}\n"
        held, said = self.held("self.count += 1; return x * self.count", buffer, "count", says)
        self.assertEqual(said, {""})
        self.assertEqual(int(held[0]), 0)
        self.assertEqual({int(item) for item in held[1:]}, {5, 6, 7, 8})

    def test_a_declaration_that_does_not_fit_is_refused(self) -> None:
        for returned, sentence in (
            ("[1]", "returns no dict of tensors"),
            ("{'other': torch.ones(8)}", "names 'other', which the module has not"),
            ("{'scale': torch.ones(9)}", "gives scale another shape or type"),
        ):
            text = model("return x * self.scale", "self.register_buffer('scale', torch.ones(8))")
            path = self.file(text + f"def get_states():\n    return {returned}\n", "declares.py")
            answered = self.error("oracle.open", file=path, math="fp32", seed=1, device="cpu", folder=self.folder)
            self.assertIn(sentence, answered["sentence"])

    def test_a_state_that_the_program_does_not_take_stays_and_is_told(self) -> None:
        buffer = "self.register_buffer('count', torch.ones(()))"
        forward = "self.count += 1; return x + torch.log(3.5 - self.count)"
        held, said = self.held(forward, buffer, "count")
        self.assertEqual({float(item) for item in held}, {1.0})
        self.assertTrue(any("State count stays as it is constructed" in line for line in said))


class MannersTest(ServerCase):
    def test_a_regime_has_every_manner_and_the_first_draw_as_given_is_plain(self) -> None:
        orders = set()
        for seed in range(8):
            for regime in REGIMES:
                order = [manner_of(seed, regime, number) for number in range(5)]
                _, instead = BESIDE_INSTEAD.get(regime, (0, ""))
                self.assertEqual(sorted(order), sorted(BESIDE if each == instead else each for each in MANNERS))
                orders.add(tuple(order))
            self.assertEqual(manner_of(seed, "as_given", 0), "plain")
        self.assertGreater(len(orders), 10)

    def test_two_draws_differ_in_one_element_of_their_parameters(self) -> None:
        text = model("return self.second(self.first(x))", "self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)")
        counts = set()
        for seed in range(6):
            opened = self.open(self.file(text, f"beside_{seed}.py"), seed=seed)
            for regime, (number, _) in BESIDE_INSTEAD.items():
                self.assertEqual(manner_of(seed, regime, number), BESIDE)
                pair = [self.parameters(opened, regime, each) for each in (number, number - 1)]
                changed = [int((mine != theirs).sum()) for mine, theirs in zip(*pair)]
                self.assertEqual(max(changed), 1)
                counts.add(sum(changed))
        self.assertEqual(counts, {1, 4}, "of one alone, or of each")

    def parameters(self, opened: dict[str, Any], regime: str, number: int) -> list[torch.Tensor]:
        drawn = self.ok("oracle.draw", oracle=opened["oracle"], regime=regime, draw=number)
        self.assertIsNone(drawn["dropped"])
        return [
            read(path, _KINDS[spec["dtype"]], spec["shape"])
            for path, spec in zip(drawn["parameters"], opened["parameters"])
        ]

    def test_rows_may_be_as_small_as_a_ten_thousandth(self) -> None:
        sizes = [item.abs().amax(1) for item in self.made(torch.rand(64, 8) + 0.5, "scaled")]
        far = [float(size.max() / size[size > 0].min()) > 1e4 for size in sizes]
        self.assertTrue(any(far) and not all(far))
        halves = [item.float().abs().amax(1) for item in self.made((torch.rand(64, 8) + 0.5).half(), "scaled")]
        self.assertTrue(all(float(size.max() / size[size > 0].min()) < 1000 for size in halves))

    def made(self, original: torch.Tensor, manner: str, decides: bool = False) -> list[torch.Tensor]:
        return [
            drawn_parameter(original, Manner(manner, turn, 0.9, decides), 0, False, generator("cpu", turn, manner))
            for turn in range(60)
        ]

    def test_signs_zeros_and_scales(self) -> None:
        ones = torch.ones(64)
        self.assertTrue(all(bool((item < 0).any()) and bool((item > 0).any()) for item in self.made(ones, "signed")))
        weight = torch.rand(32, 48) + 0.5
        scaled = self.made(weight, "scaled")
        sizes = scaled[0].abs().amax(1)
        self.assertGreater(float(sizes.max() / sizes[sizes > 0].min()), 8)
        self.assertTrue(all(bool((item == 0).any()) for item in scaled))
        self.assertTrue(any(bool((item == 0).all(1).any()) for item in scaled))

    def test_generic_numbers_have_no_structure(self) -> None:
        for original in (torch.eye(16), torch.ones(16), torch.zeros(16), torch.rand(16, 16) + 1):
            for item in self.made(original, "generic"):
                self.assertTrue(bool((item != 0).all()))
                self.assertTrue(bool((item < item.mean()).any()))
        table = torch.randn(9, 16)
        table[0] = 0
        self.assertTrue(all(bool((item[0] != 0).all()) for item in self.made(table, "generic")))

    def test_special_ones_are_what_they_say(self) -> None:
        weight = torch.randn(24, 24)
        made = self.made(weight, "special")
        eye = torch.eye(24)
        found = {
            "identity": any(torch.equal(item, eye) for item in made),
            "diagonal": any(torch.equal(item != 0, eye != 0) and not torch.equal(item, eye) for item in made),
            "symmetric": any(torch.equal(item, item.T) and bool((item != 0).all()) for item in made),
            "permuted": any(torch.equal(item @ item.T, eye) and not torch.equal(item, eye) for item in made),
            "constant": any(bool((item == item[0, 0]).all()) for item in made),
            "plain": any(bool((item * weight > 0).all()) for item in made),
        }
        self.assertEqual([name for name, there in found.items() if not there], [])
        for item in self.made(weight, "special", decides=True):
            self.assertEqual(len(item.unique(dim=0)), 24)  # rows that are equal would tie

    def test_a_parameter_without_axes_takes_every_manner(self) -> None:
        for manner in MANNERS:
            for decides in (False, True):
                self.assertEqual({item.shape for item in self.made(torch.tensor(0.5), manner, decides)}, {torch.Size()})

    def test_kernels_and_stacks_have_the_structure_of_their_matrices(self) -> None:
        kernels = self.made(torch.randn(6, 1, 3, 3), "special")
        inside = torch.zeros(6, 1, 3, 3)
        inside[:, :, 1, 1] = 1
        self.assertTrue(any(torch.equal(item, inside) for item in kernels))
        stack = self.made(torch.randn(3, 40, 40), "special")
        self.assertTrue(any(torch.equal(item, torch.eye(40).expand(3, 40, 40)) for item in stack))
