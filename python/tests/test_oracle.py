# SPDX-License-Identifier: Apache-2.0
"""Draws, regimes, error runs, intermediates and the gate."""

from __future__ import annotations

import unittest
from typing import Any

import torch
from stitchcuda_python.graph.functional import Ref
from stitchcuda_python.oracle.constants import REGIMES
from stitchcuda_python.oracle.gate import compare_with_eager
from stitchcuda_python.oracle.perturb import is_as_fine
from stitchcuda_python.oracle.session import Session
from stitchcuda_python.program.build import Request

from .support import ServerCase, model, problem, problems, read, read_result

LOG_INPUTS = "def get_inputs():\n    return [torch.rand(64, 8) + 0.1]\ndef get_init_inputs():\n    return []\n"
LONG_INPUTS = "def get_inputs():\n    return [torch.randn(64, 4096)]\ndef get_init_inputs():\n    return []\n"


def _row(name: str) -> Any:
    return next(row for row in problems() if row.file == name)


class DrawTest(ServerCase):
    def draw(self, opened: dict[str, Any], regime: str, number: int) -> dict[str, Any]:
        drawn = self.ok("oracle.draw", oracle=opened["oracle"], regime=regime, draw=number)
        self.assertIsNone(drawn["dropped"])
        return drawn

    def results(self, opened: dict[str, Any], regime: str, number: int) -> dict[str, Any]:
        drawn = self.draw(opened, regime, number)
        return read_result(drawn["outputs"][0], opened["outputs"][0])

    def test_every_regime_of_every_problem_has_a_small_error_of_its_own(self) -> None:
        for row in problems():
            opened = self.open(problem(row), overrides=row.small, seed=1)
            self.assertTrue(opened["gate"]["ok"], row.file)
            for regime in REGIMES:
                made = self.results(opened, regime, 0)
                rms = made["ref64"].square().mean().sqrt()
                for run in [made["native"], *made["runs"]]:
                    worst = ((run.double() - made["ref64"]).abs().max() / rms).item()
                    limit = 1e-3 if made["native"].dtype == torch.float32 else 0.1
                self.assertLess(worst, limit, (row.file, regime))
                if made["ref64"].numel() > 1:  # a single number may well round alike
                    self.assertFalse(torch.equal(made["runs"][0], made["runs"][1]), row.file)

    def test_a_draw_depends_on_its_name_only(self) -> None:
        row = _row("mlp_residual.py")
        first = self.open(problem(row), overrides=row.small, seed=1)
        made = self.results(first, "sparse_extreme", 3)
        self.results(first, "as_given", 0)
        again = self.results(self.open(problem(row), overrides=row.small, seed=1), "sparse_extreme", 3)
        other = self.results(self.open(problem(row), overrides=row.small, seed=2), "sparse_extreme", 3)
        self.assertTrue(torch.equal(made["ref64"], again["ref64"]))
        self.assertTrue(torch.equal(made["runs"][2], again["runs"][2]))
        self.assertFalse(torch.equal(made["ref64"], other["ref64"]))

    def test_regimes_are_what_they_say(self) -> None:
        row = _row("layernorm_linear_softmax.py")
        opened = self.open(problem(row), overrides=row.small)
        x = {}
        for regime in REGIMES:
            path = self.draw(opened, regime, 0)["inputs"][0]
            x[regime] = read(path, torch.float32, opened["inputs"][0]["shape"])
        self.assertLess((x["near_equal"] - x["near_equal"][0]).abs().max(), 0.2)
        self.assertGreater((x["sparse_extreme"] == 0).double().mean(), 0.8)
        self.assertGreater(x["sparse_extreme"].abs().max(), 20)
        offset = read(self.draw(opened, "near_equal", 1)["inputs"][0], torch.float32, opened["inputs"][0]["shape"])
        self.assertGreater(offset.mean().abs(), 3)

    def test_extremes_of_numbers_between_0_and_1_lead_an_exponential_out_of_range(self) -> None:
        inputs = "def get_inputs():\n    return [torch.rand(512, 64), torch.rand(512, 64).half()]\n"
        text = model("return torch.sigmoid(x) + torch.sigmoid(h)", inputs=inputs)
        opened = self.open(self.file(text.replace("forward(self, x)", "forward(self, x, h)"), "sigmoids.py"))
        paths = self.draw(opened, "sparse_extreme", 1)["inputs"]
        x, h = read(paths[0], torch.float32, [512, 64]), read(paths[1], torch.float16, [512, 64])
        self.assertGreater(x.max(), 89)
        self.assertLess(x.min(), -89)
        self.assertTrue(((x < -4) & (x > -12)).any())
        self.assertLessEqual(h.abs().max(), 30)

    def test_parameters_and_running_statistics_are_redrawn(self) -> None:
        row = _row("conv_bn_relu_pool.py")
        opened = self.open(problem(row), overrides=row.small)
        drawn = self.draw(opened, "as_given", 0)
        parameters = {s["name"]: (p, s["shape"]) for p, s in zip(drawn["parameters"], opened["parameters"])}
        states = {s["name"]: (p, s["shape"]) for p, s in zip(drawn["states"], opened["states"])}
        bias = read(parameters["norm_bias"][0], torch.float32, parameters["norm_bias"][1])
        self.assertGreater(bias.abs().max(), 0.05)  # zeros from the constructor
        variance = read(states["norm_running_var"][0], torch.float32, states["norm_running_var"][1])
        self.assertTrue(bool((variance > 0.2).all()) and variance.std() > 0.1)
        out = {spec["binding"]: read_result(e, spec) for e, spec in zip(drawn["states_out"], opened["states_out"])}
        self.assertEqual(out["norm.num_batches_tracked"]["ref64"].item(), 1)
        self.assertFalse(torch.equal(out["norm.running_var"]["native"], variance))

    def test_vectors_of_16_bits_are_moved_far_in_every_other_draw(self) -> None:
        row = _row("bfloat16_mlp.py")
        opened = self.open(problem(row), overrides=row.small)
        names = [spec["name"] for spec in opened["parameters"]]
        for name, near, far in (("norm_bias", 0.11, 0.4), ("gate_bias", 0.2, 0.4)):
            place = names.index(name)
            largest = []
            for number in (0, 1):
                path = self.draw(opened, "as_given", number)["parameters"][place]
                largest.append(read(path, torch.bfloat16, opened["parameters"][place]["shape"]).abs().max().item())
            self.assertLess(largest[0], near)
            self.assertGreater(largest[1], far)

    def test_integers_stay_within_the_operators_bounds_and_reach_them(self) -> None:
        row = _row("embedding_linear_cross_entropy.py")
        opened = self.open(problem(row), overrides=row.small)
        bound = row.small["VOCABULARY"]
        for regime in REGIMES:
            for path, spec in zip(self.draw(opened, regime, 0)["inputs"], opened["inputs"]):
                tokens = read(path, torch.int64, spec["shape"])
                ignored = {-100} if regime == "sparse_extreme" and spec["name"] == "targets" else set()
                found = set(tokens.flatten().tolist())
                self.assertEqual(ignored, found - set(range(bound)))
                if regime == "sparse_extreme":
                    self.assertEqual({0, bound - 1} | ignored, found)

    def test_a_loss_is_given_what_it_ignores_unless_that_is_a_class_or_a_row_elsewhere(self) -> None:
        def drawn(body: str, targets: str = "torch.randint(0, 4, (60,))") -> set[int]:
            inputs = f"def get_inputs():\n    return [torch.randn(60, 4), {targets}]\n"
            text = model(f"return {body}", inputs=inputs).replace("forward(self, x)", "forward(self, x, t)")
            opened = self.open(self.file(text, "loss.py"))
            path = self.draw(opened, "sparse_extreme", 1)["inputs"][1]
            return set(read(path, torch.int64, [60]).tolist())

        loss = "torch.nn.functional.cross_entropy"
        self.assertEqual(drawn(f"{loss}(x, t)"), {0, 3, -100})
        self.assertEqual(drawn(f"{loss}(x, t, ignore_index=-1, reduction='sum')"), {0, 3, -1})
        self.assertEqual(drawn(f"{loss}(x, t, ignore_index=3)"), {0, 3})
        self.assertEqual(drawn(f"{loss}(x, t) + x[t].sum()"), {0, 3})
        own = "torch.where(torch.arange(60) % 7 == 1, 255, torch.randint(0, 4, (60,)))"
        self.assertEqual(drawn(f"{loss}(x, t, ignore_index=255) + (t == 1).sum()", own), {0, 3, 255})

    def test_a_regime_outside_the_domain_falls_back_and_says_so(self) -> None:
        path = self.file(model("return torch.log(x)", inputs=LOG_INPUTS), "log.py")
        opened = self.open(path)
        self.assertIsNone(self.draw(opened, "as_given", 0)["fallback"])
        drawn = self.draw(opened, "signed_scaled", 0)
        self.assertIn("redrawn inside the range", drawn["fallback"])
        x = read(drawn["inputs"][0], torch.float32, [64, 8])
        self.assertTrue(x.min() >= 0.1 and x.max() <= 1.1)

    def test_a_regime_with_integers_of_what_none_holds_falls_back(self) -> None:
        quotient = model("return torch.round(x / x[:, :1]).to(torch.int8)", inputs=LOG_INPUTS)
        drawn = self.draw(self.open(self.file(quotient, "quotient.py")), "sparse_extreme", 0)
        self.assertIn("makes integers of numbers that no integer of their type holds", drawn["fallback"])
        wraps = model("return (x * 1000).to(torch.int8)", inputs=LOG_INPUTS)
        opened = self.open(self.file(wraps, "wraps.py"))
        self.assertIsNone(self.draw(opened, "sparse_extreme", 0)["fallback"])

    def test_a_regime_that_fails_even_there_is_left_out_by_name(self) -> None:
        positive = "def get_inputs():\n    x = torch.randn(8, 8)\n    return [x @ x.T + torch.eye(8)]\n"
        path = self.file(model("return torch.linalg.cholesky(x)", inputs=positive), "cholesky.py")
        opened = self.open(path)
        self.assertIsNone(self.draw(opened, "as_given", 0)["fallback"])
        drawn = self.ok("oracle.draw", oracle=opened["oracle"], regime="signed_scaled", draw=0)
        self.assertIn("Regime signed_scaled is left out: the reference raised", drawn["dropped"])

    def test_what_was_handed_over_stays_where_the_program_takes_no_mixture(self) -> None:
        kept = "def keep_inputs():\n    global same\n    same = True\n"
        inputs = (
            "same = False\n" + kept + "def get_inputs():\n    x = 2 * torch.eye(8)\n"
            "    return [x if same else x[torch.zeros(8, dtype=torch.long)]]\n"
        )
        path = self.file(model("return torch.linalg.inv(x)", inputs=inputs), "inverse.py")
        opened = self.open(path)
        given = self.draw(opened, "as_given", 0)
        made = read_result(given["outputs"][0], opened["outputs"][0])
        self.assertTrue(torch.equal(made["ref64"], torch.eye(8, dtype=torch.float64) / 2))
        without = self.file(model("return torch.linalg.inv(x)", inputs=inputs.replace(kept, "")), "singular.py")
        self.assertIn("forward", self.error("oracle.open", file=without, folder=self.folder)["sentence"])

    def test_an_unknown_regime_is_refused(self) -> None:
        opened = self.open(self.file(model("return x + 1"), "plain.py"))
        error = self.error("oracle.draw", oracle=opened["oracle"], regime="none", draw=0)
        self.assertIn("There is no regime 'none'", error["sentence"])

    def test_positions_carry_the_values_they_point_into(self) -> None:
        path = self.file(model("return x.argmax(-1)"), "argmax.py")
        opened = self.open(path)
        entry = self.draw(opened, "as_given", 0)["outputs"][0]
        self.assertEqual((entry["kind"], entry["values_shape"], entry["axis"]), ("index", [4, 8], 1))
        values = read(entry["values64"], torch.float64, entry["values_shape"])
        self.assertTrue(torch.equal(values.argmax(-1), read(entry["ref64"], torch.int64, [4])))

    def test_positions_over_everything_and_several_a_line(self) -> None:
        opened = self.open(self.file(model("return x.argmax(), x.topk(3, 0).indices.unsqueeze(0)"), "several.py"))
        whole, several = self.draw(opened, "as_given", 0)["outputs"]
        self.assertEqual((whole["kind"], whole["values_shape"], whole["axis"]), ("index", [32], 0))
        self.assertEqual((several["values_shape"], several["axis"], several["kept"]), ([4, 8], 0, 3))
        self.assertEqual((whole["distinct"], several["distinct"], several["stable"]), (False, True, False))

    def test_a_stable_sort_of_an_input_says_so(self) -> None:
        body = "return x.sort(stable=True, dim=1).indices, (x + 1).sort(stable=True).indices, x.cummax(0).indices"
        stable, computed, running = self.draw(self.open(self.file(model(body), "stable.py")), "as_given", 0)["outputs"]
        self.assertEqual((stable["distinct"], stable["stable"], stable["axis"]), (True, True, 1))
        self.assertEqual((computed["distinct"], computed["stable"]), (True, False))
        self.assertEqual((running["distinct"], running["stable"]), (False, False))

    def test_intermediates_of_the_last_draw(self) -> None:
        row = _row("mlp_residual.py")
        opened = self.open(problem(row), overrides=row.small)
        self.draw(opened, "as_given", 0)
        made = self.ok("oracle.intermediates", oracle=opened["oracle"], names=["expand", "gelu", "x"])["paths"]
        shape = [row.small["BATCH"], row.small["EXPANDED"]]
        expand, gelu = (read(entry["ref64"], torch.float64, shape) for entry in made[:2])
        self.assertLess((torch.nn.functional.gelu(expand) - gelu).abs().max(), 1e-12)

    def test_values_of_a_plan_are_added_or_it_says_why_not(self) -> None:
        opened = self.open(self.file(model("return torch.relu(x)", inputs=LOG_INPUTS)))
        x, made = ({"name": name, "dtype": "float32", "shape": [64, 8]} for name in ("x", "made"))

        def extended(op: str, result: dict[str, Any], **attributes: Any) -> dict[str, Any]:
            node = {"op": op, "operands": [{"value": x}], "attributes": attributes, "results": [result], "place": ""}
            return self.ok("oracle.extend", oracle=opened["oracle"], nodes=[node], wanted=[result])

        why = "The reference cannot run the plan's operator {} by itself."
        # None of PyTorch's; one that takes nothing of the kind; one whose result the plan has in another shape.
        for op, result, attributes in (("lstm_layer", made, {}), ("exp", made, {"base": 2}), ("linear", made, {}),
                                       ("exp", made | {"shape": [64, 4]}, {})):
            self.assertEqual(extended(op, result, **attributes), {"names": {}, "why_not": why.format(op)})
        self.draw(opened, "as_given", 0)  # as if nobody had asked
        self.assertEqual(extended("exp", made), {"names": {"made": "plan.made"}, "why_not": ""})
        self.draw(opened, "as_given", 0)
        entry = self.ok("oracle.intermediates", oracle=opened["oracle"], names=["plan.made"])["paths"][0]
        self.assertGreater(read(entry["ref64"], torch.float64, [64, 8]).min(), 1)

    def test_modes_round_operands(self) -> None:
        row = _row("mlp_residual.py")
        for math, least in (("tf32", 1e-5), ("reduced", 1e-5)):
            opened = self.open(problem(row), overrides=row.small, math=math)
            made = self.results(opened, "as_given", 0)
            for run in made["runs"]:
                self.assertGreater((run.double() - made["ref64"]).abs().max(), least, math)

    def kernelbench_entry(self, forward: str, constructor: str, shape: str) -> dict[str, Any]:
        """What a draw says of the only output of a program in mode kernelbench."""
        inputs = f"def get_inputs():\n    return [torch.randn({shape})]\ndef get_init_inputs():\n    return []\n"
        opened = self.open(self.file(model(forward, constructor, inputs), "rounds.py"), math="kernelbench")
        return self.draw(opened, "as_given", 0)["outputs"][0]

    def test_mode_kernelbench_rounds_what_the_baselines_library_rounds(self) -> None:
        call = "return self.f(x)"
        for constructor, shape in (
            ("self.f = nn.Conv1d(9, 16, 3)", "2, 9, 40"),
            ("self.f = nn.Conv2d(16, 16, 3)", "2, 16, 9, 9"),
            ("self.f = nn.Conv3d(16, 16, 3)", "2, 16, 5, 5, 5"),
            ("self.f = nn.ConvTranspose2d(16, 8, 3, stride=2)", "2, 16, 5, 5"),
        ):
            entry = self.kernelbench_entry(call, constructor, shape)
            native, fp32 = (torch.from_file(entry[key], size=256) for key in ("native", "native_fp32"))
            self.assertGreater((native - fp32).abs().max(), 1e-5, constructor)
            self.assertEqual((len(entry["runs"]), len(entry["runs_tf32"])), (3, 3), constructor)
        for constructor, shape in (
            ("self.f = nn.Linear(64, 64)", "9, 64"),
            ("self.f = nn.Conv2d(3, 16, 3)", "2, 3, 9, 9"),
            ("self.f = nn.Conv2d(8, 16, 3)", "2, 8, 9, 9"),
            ("self.f = nn.Conv2d(16, 16, 3, groups=2)", "2, 16, 9, 9"),
            ("self.f = nn.ConvTranspose3d(16, 16, 3, groups=16)", "2, 16, 5, 5, 5"),
        ):
            entry = self.kernelbench_entry(call, constructor, shape)
            self.assertNotIn("runs_tf32", entry, constructor)
            self.assertEqual(len(entry["runs"]), 3, constructor)

    def test_at_other_sizes_mode_kernelbench_says_only_what_may_be_rounded(self) -> None:
        own = self.kernelbench_entry("return self.f(x)", "self.f = nn.Conv2d(16, 16, 3)", "2, 16, 9, 9")
        self.assertFalse(own["rounds_openly"])
        row = _row("conv_bn_relu_pool.py")
        opened = self.open(problem(row), overrides={**row.small, "IN_CHANNELS": 5}, math="kernelbench")
        other = self.draw(opened, "as_given", 0)["outputs"][0]
        self.assertEqual((len(other["runs_tf32"]), other["rounds_openly"]), (3, True))

    def test_mode_kernelbench_leaves_products_beside_convolutions_as_they_are(self) -> None:
        forward = "return torch.cat([x @ x.mT, self.f(x)], -1)"
        constructor = "self.f = nn.Conv2d(16, 16, 3, padding=1)"
        entry = self.kernelbench_entry(forward, constructor, "2, 16, 9, 9")
        native, fp32 = (torch.from_file(entry[key], size=2 * 16 * 9 * 18) for key in ("native", "native_fp32"))
        apart = (native - fp32).reshape(-1, 18).abs()
        self.assertLess(apart[:, :9].max(), 1e-5)
        self.assertGreater(apart[:, 9:].max(), 1e-4)


class DisturbanceTest(ServerCase):
    def test_it_is_as_large_as_a_sequential_loop(self) -> None:
        """Row sums over K = 4096: the disturbed run errs about as a one-accumulator fp32 loop does."""
        path = self.file(model("return x.sum(-1)", inputs=LONG_INPUTS), "sums.py")
        opened = self.open(path)
        drawn = self.ok("oracle.draw", oracle=opened["oracle"], regime="as_given", draw=0)
        made = read_result(drawn["outputs"][0], opened["outputs"][0])
        x = read(drawn["inputs"][0], torch.float32, [64, 4096])
        loop = torch.zeros(64)
        for column in range(4096):
            loop = loop + x[:, column]
        honest = (loop.double() - made["ref64"]).square().mean().sqrt()
        disturbed = (made["runs"][2].double() - made["ref64"]).square().mean().sqrt()
        self.assertTrue(0.2 < (disturbed / honest).item() < 5)

    def test_composites_are_disturbed_inside(self) -> None:
        for forward in ("return torch.einsum('ij,kj->ik', x, x)", "return nn.functional.group_norm(x, 2)"):
            session = Session(Request(self.file(model(forward), "part.py")), "fp32", 1, "cpu", self.folder)
            session.draw("as_given", 0)
            runs = session._last_draw()[1]
            name = session.graph.outputs[0].value
            self.assertFalse(torch.equal(runs.runs[2][name], runs.native[name]), forward)
            error = (runs.runs[2][name].double() - runs.ref64[name]).abs().max()
            self.assertLess(error, 1e-5, forward)

    def test_lstm_runs_in_fp64_and_disturbed(self) -> None:
        inputs = "def get_inputs():\n    return [torch.randn(3, 5, 8)]\ndef get_init_inputs():\n    return []\n"
        text = model("return self.l(x)[0]", "self.l = nn.LSTM(8, 6, batch_first=True)", inputs)
        opened = self.open(self.file(text, "lstm.py"))
        self.assertTrue(opened["gate"]["ok"])
        drawn = self.ok("oracle.draw", oracle=opened["oracle"], regime="as_given", draw=0)
        made = read_result(drawn["outputs"][0], opened["outputs"][0])
        self.assertLess((made["runs"][2].double() - made["ref64"]).abs().max(), 1e-5)


class GateTest(ServerCase):
    def test_a_corrupted_graph_is_caught(self) -> None:
        row = _row("residual_cnn_eval.py")
        request = Request(problem(row), overrides=row.small)
        session = Session(request, "fp32", 1, "cpu", self.folder)
        self.assertTrue(session.gate["ok"])
        for corrupt in (self._swap_operands, self._change_eps, self._drop_relu):
            session = Session(request, "fp32", 1, "cpu", self.folder)
            corrupt(session)
            self.assertFalse(session._run_gate()["ok"], corrupt.__name__)

    @staticmethod
    def _swap_operands(session: Session) -> None:
        linear = session.graph.calls[-1]
        linear.args[1] = Ref("classify_weight")
        linear.args[2] = None

    @staticmethod
    def _change_eps(session: Session) -> None:
        norm = next(call for call in session.graph.calls if "batch_norm" in call.target_name)
        norm.args[-1] = 0.1

    @staticmethod
    def _drop_relu(session: Session) -> None:
        relu = [call for call in session.graph.calls if "relu" in call.target_name][-1]
        relu.target = torch.ops.aten.alias.default

    def test_comparison_of_values(self) -> None:
        nan, inf = float("nan"), float("inf")
        eager = {"y": torch.tensor([1.0, 2.0, nan, inf])}
        self.assertTrue(compare_with_eager({"y": eager["y"].clone()}, eager).ok)
        self.assertFalse(compare_with_eager({"y": torch.tensor([1.0, 2.0, nan, -inf])}, eager).ok)
        self.assertFalse(compare_with_eager({"y": torch.tensor([1.0, nan, nan, inf])}, eager).ok)
        self.assertFalse(compare_with_eager({"y": torch.tensor([1.0, 2.1, nan, inf])}, eager).ok)
        self.assertFalse(compare_with_eager({"y": torch.tensor([1])}, {"y": torch.tensor([2])}).ok)


class PerturbTest(unittest.TestCase):
    def test_only_what_is_as_fine_as_every_float_result_moves(self) -> None:
        single, half = torch.finfo(torch.float32).eps, torch.finfo(torch.float16).eps
        self.assertTrue(is_as_fine(torch.zeros(2), single))
        self.assertTrue(is_as_fine(torch.zeros(2), half))
        self.assertFalse(is_as_fine(torch.zeros(2, dtype=torch.bfloat16), single))
        self.assertFalse(is_as_fine(torch.zeros(2, dtype=torch.int64), single))


if __name__ == "__main__":
    unittest.main()
