# SPDX-License-Identifier: Apache-2.0
"""Every mistake in a program is one sentence with its code, its place and a remedy."""

from __future__ import annotations

import os
import unittest

import torch

from .support import HEADER, INPUTS, ServerCase, model

NO_INPUTS = "def get_init_inputs():\n    return []\n"
LONE_TENSOR = "def get_inputs():\n    return torch.randn(3)\n"
DRAWN = "import time; self.l = nn.Linear(8, time.monotonic_ns() % 1000000 + 1)"
OTHER_INPUTS = "import time\ndef get_inputs():\n    return [torch.randn(time.monotonic_ns() % 1000000 + 1, 8)]\n"
DATACLASS = "import dataclasses\nimport torch\n@dataclasses.dataclass\nclass Out:\n    y: torch.Tensor\n\n"
DERIVATIVE = "x.requires_grad_(); return torch.autograd.grad(x.tanh().sum(), x)[0]"
PACKS = "return self.l(nn.utils.rnn.pack_padded_sequence(x, torch.tensor([3, 2])))[1]"
PACKED = "def get_inputs():\n    return [torch.randn(3, 2, 8)]\n"
SHARED = "self.l = nn.Linear(8, 8); self.parts = nn.ModuleList([self.l, nn.Tanh(), self.l])"

# What the first call leaves to later ones: something of its own input, of a buffer that moves, or drawn.
KEEPS = "if self.s is None:\n            self.s = {}\n        return x * self.s"
KEEPS_FIRST = KEEPS.format("x.mean()")
KEEPS_STATE = "self.m += 1\n        " + KEEPS.format("self.m * 2")
KEEPS_NOISE = KEEPS.format("torch.randn(8)")
KEEPS_MASK = KEEPS.format("torch.ones(x.size(0), 8).tril()")
COUNTED = "self.register_buffer('m', torch.zeros(8)); self.s = None"
CONSTANT = "def get_inputs():\n    return [torch.ones(2, 8)]\n"
KEEPS_BY_SIZE = (
    "if x.size(0) not in self.masks:\n            self.masks[x.size(0)] = torch.ones(x.size(0), 8).tril()\n"
    "        return x * self.masks[x.size(0)]"
)

# name, text, what the sentence must contain, the line that the place must name (0 = the file alone)
CASES = [
    ("empty", "", "is empty", 0),
    ("blank", " \n\n", "is empty", 0),
    ("binary", b"\x00\xff\xfe\x01" * 40, "is not Python text", 0),
    ("syntax", "def f(:\n", "is not valid Python: invalid syntax, at `def f(:`", 1),
    ("no_model", HEADER + INPUTS, "defines no Model", 0),
    ("other_name", HEADER + "class Net(nn.Module):\n    pass\n" + INPUTS, "It has Net", 0),
    ("no_module", HEADER + "class Model:\n    pass\n" + INPUTS, "neither a torch.nn.Module nor a function", 0),
    ("no_inputs", model("return x", inputs=NO_INPUTS), "has no function get_inputs", 0),
    ("lone_tensor", model("return x", inputs=LONE_TENSOR), "returns a tensor, not a list", 0),
    ("inputs_raise", model("return x", inputs="def get_inputs():\n    return [1 / 0]\n"), "`return [1 / 0]`", 10),
    ("import_raises", HEADER + "undefined_name\n", "NameError while being imported, at `undefined_name`", 3),
    ("constructor", model("return x", "self.l = nn.Linear(3, 'a')"), "constructing Model, at `self.l = nn.Linear", 6),
    ("forward", model("return self.l(x)", "self.l = nn.Linear(3, 4)"), "(4x8 and 3x4)", 8),
    ("other_widths", model("return self.l(x)", DRAWN), "l.weight was [", 0),
    ("other_inputs", model("return x", inputs=OTHER_INPUTS), "get_inputs() of other_inputs.py returns other sizes", 0),
    ("exits", model("return x") + "import sys\nsys.exit(3)\n", "SystemExit while being imported", 14),
    ("counts", model("self.n += 1; return x * self.n", "self.n = 0"), "assigns self.n and a later call reads it", 8),
    ("appends", model("self.h.append(x); return x * len(self.h)", "self.h = []"), "assigns self.h", 0),
    ("keeps_first", model(KEEPS_FIRST, "self.s = None"), "assigns self.s and a later call reads it", 9),
    ("keeps_state", model(KEEPS_STATE, COUNTED), "assigns self.s and a later call reads it", 10),
    ("keeps_noise", model(KEEPS_NOISE, "self.s = None"), "assigns self.s and a later call reads it", 9),
    ("keeps_given", model(KEEPS_FIRST, "self.s = None", CONSTANT), "assigns self.s and a later call reads it", 9),
    ("branches", model("return x if x.sum() > 0 else -x"), "depends on the values of a tensor", 8),
    ("reads_item", model("return x * int(x.sum().item())"), "depends on the values of a tensor", 8),
    ("number_of_tensor", model("return x * x.max().item()"), "aten.item.default takes out of a tensor", 8),
    ("number_of_integers", model("return x * x.argmax().item()"), "aten.item.default takes out of a tensor", 8),
    ("boolean_mask", model("return x[x > 0]"), "depends on the values of a tensor", 8),
    ("complex", model("return torch.fft.fft(x).prod().abs()"), "prod.default works on complex numbers", 8),
    ("returns_complex", model("return torch.fft.fft(x)"), "forward returns a complex tensor", 0),
    ("sparse", model("return x.to_sparse()"), "is a sparse tensor", 8),
    (
        "quantised",
        model("return torch.quantize_per_tensor(x, 0.1, 0, torch.qint8).dequantize()"),
        "works on a quantised tensor",
        8,
    ),
    ("changes_input", model("x.add_(1); return x"), "changes its input x in place", 0),
    ("returns_class", DATACLASS + model("return Out(x)"), "forward returns an Out, which PyTorch cannot take apart", 0),
    ("returns_generator", model("return (part for part in x)"), "forward returns a generator, which PyTorch cannot", 0),
    ("differentiates", model(DERIVATIVE), "takes gradients while running forward, at `x.requires_grad_(); r", 8),
    ("transforms", model("return torch.func.grad(lambda z: self.l(z).sum())(x)", "self.l = nn.Linear(8, 1)"),
     "takes a derivative by torch.func while being exported", 0),  # fmt: skip
    ("leaves_for_numpy", model("return torch.from_numpy(x.numpy() * 2)"), "hands a tensor to NumPy while being", 8),
    ("packs", model(PACKS, "self.l = nn.GRU(8, 3)", PACKED), "works on a packed sequence, whose shape depends on", 8),
    ("returns_nothing", model("return None"), "returns no tensor", 0),
]


class ErrorsTest(ServerCase):
    def test_each_mistake_has_its_sentence(self) -> None:
        for name, text, message, line in CASES:
            with self.subTest(name):
                path = self.file(text, name + ".py")
                error = self.error("import", file=path)
                self.assertEqual(error["code"], "program_invalid")
                self.assertIn(message, error["sentence"])
                self.assertEqual(error["place"], f"{path}:{line}" if line else path)
                self.assertTrue(error["remedy"])
                self.assertNotIn("\n", error["sentence"])

    def test_missing_file_and_directory(self) -> None:
        self.assertIn("There is no file", self.error("import", file=os.path.join(self.folder, "none.py"))["sentence"])
        self.assertIn("is a directory", self.error("import", file=self.folder)["sentence"])

    def test_import_deadline(self) -> None:
        endless = self.file(model("return x", inputs="import time\ntime.sleep(60)\n"), "endless.py")
        error = self.error("import", file=endless, deadline_s=0.3)
        self.assertEqual(error["code"], "timeout")
        self.assertIn("did not end within 0.3 s", error["sentence"])

    def test_unknown_override_and_shape_count(self) -> None:
        path = self.file("SIZE = 3\nFLAG = True\n" + model("return x"))
        error = self.error("import", file=path, overrides={"FLAG": 2})
        self.assertIn("has no module-level integer constant FLAG; it has SIZE", error["sentence"])
        error = self.error("import", file=path, input_shapes=[[1], [2]])
        self.assertIn("2 input shapes are given, but get_inputs() returns 1", error["sentence"])

    def test_cuda_without_a_device_is_the_environment(self) -> None:
        if torch.cuda.is_available():
            self.skipTest("a CUDA device is here")
        path = self.file(model("return x + 1"))
        error = self.error("oracle.open", file=path, folder=self.folder, device="cuda")
        self.assertEqual(error["code"], "environment")

    def test_unknown_verb_and_oracle_are_internal(self) -> None:
        self.assertEqual(self.error("nonsense")["code"], "internal")
        self.assertEqual(self.error("oracle.draw", oracle=99, regime="as_given", draw=0)["code"], "internal")


class AcceptedTest(ServerCase):
    """Programs that look like the refused ones and are honest."""

    def test_a_pure_cache_passes(self) -> None:
        path = self.file(model("self.last = x * 2; return self.last + 1", "self.last = None"), "cache.py")
        self.assertEqual(len(self.ok("import", file=path)["nodes"]), 2)

    def test_a_mask_made_at_the_first_call_passes(self) -> None:
        for forward, init in ((KEEPS_MASK, "self.s = None"), (KEEPS_BY_SIZE, "self.masks = {}")):
            with self.subTest(init):
                path = self.file(model(forward, init), "lazy.py")
                targets = [node["target"] for node in self.ok("import", file=path)["nodes"]]
                self.assertIn("aten.tril.default", targets)
                self.assertTrue(self.open(path)["gate"]["ok"])

    def test_an_assigned_buffer_is_state(self) -> None:
        forward = "self.m = self.m * 0.9 + x.mean(0); return x - self.m"
        path = self.file(model(forward, "self.register_buffer('m', torch.zeros(8))"), "ema.py")
        exported = self.ok("import", file=path)
        self.assertEqual([out["binding"] for out in exported["outputs"]], ["0", "m"])
        self.assertTrue(self.open(path)["gate"]["ok"])

    def test_a_list_that_holds_a_module_twice_passes(self) -> None:
        path = self.file(model("for part in self.parts: x = part(x)\n        return x", SHARED), "shared.py")
        targets = [node["target"] for node in self.ok("import", file=path)["nodes"]]
        self.assertEqual(targets, ["aten.linear.default", "aten.tanh.default", "aten.linear.default"])

    def test_what_a_shared_module_assigns_is_seen(self) -> None:
        forward = "    def forward(self, x):\n        self.n += 1; return x * self.n\n"
        counter = "class Counter(nn.Module):\n    n = 0\n" + forward
        text = model("for part in self.parts: x = part(x)\n        return x", SHARED.replace("nn.Tanh", "Counter"))
        error = self.error("import", file=self.file(HEADER + counter + text, "counter.py"))
        self.assertIn("forward of Counter assigns self.n and a later call reads it", error["sentence"])

    def test_distributions_are_not_checked_in_a_trace(self) -> None:
        forward = "return torch.distributions.Normal(x, x.exp()).log_prob(x * 2)"
        self.assertTrue(self.ok("import", file=self.file(model(forward), "normal.py"))["nodes"])
        self.assertEqual(torch.distributions.Distribution._validate_args, __debug__)

    def test_distributions_may_have_another_batch_and_any_numbers(self) -> None:
        forward = "return torch.distributions.Normal(x, x).log_prob(x * 2)"  # a negative scale, which a check refuses
        path = self.file(model(forward), "negative.py")
        self.assertEqual([axis["axis"] for axis in self.ok("batch_axis", file=path)["axes"]], [0])
        opened = self.open(path)
        self.ok("oracle.draw", oracle=opened["oracle"], regime="as_given", draw=0)

    def test_a_variance_is_not_checked_in_a_trace(self) -> None:
        forward = "return F.gaussian_nll_loss(x, x * 2, x.exp().mean(-1), full=True), nn.GaussianNLLLoss()(x, x, x * x)"
        text = "import torch.nn.functional as F\n" + model(forward)
        path = self.file(text, "variance.py")
        self.assertTrue(self.ok("import", file=path)["nodes"])
        self.assertTrue(self.open(path)["gate"]["ok"])
        wrong = self.file(text.replace("x.exp().mean(-1)", "x[:1, :1]"), "wrong_variance.py")
        self.assertIn("var is of incorrect size", self.error("import", file=wrong)["sentence"])

    def test_no_grad_regions_are_inlined(self) -> None:
        text = (
            HEADER
            + "class Model(nn.Module):\n    def forward(self, x):\n"
            + "        with torch.no_grad():\n            s = x.exp()\n"
            + "        with torch.no_grad():\n            u = x.sin()\n        return s + x * u\n"
            + INPUTS
        )
        targets = [node["target"] for node in self.ok("import", file=self.file(text, "no_grad.py"))["nodes"]]
        self.assertEqual(
            sorted(targets), ["aten.add.Tensor", "aten.exp.default", "aten.mul.Tensor", "aten.sin.default"]
        )

    def test_unknown_operators_are_carried(self) -> None:
        path = self.file(model("return torch.special.bessel_j0(x)"), "bessel.py")
        self.assertEqual(self.ok("import", file=path)["nodes"][0]["target"], "aten.special_bessel_j0.default")

    def test_construction_that_reads_numbers_falls_back_to_real_tensors(self) -> None:
        constructor = "self.register_buffer('n', torch.tensor(float(torch.ones(3).sum())))"
        path = self.file(model("return x * self.n", constructor), "reads.py")
        self.assertEqual(len(self.ok("import", file=path)["nodes"]), 1)

    def test_nested_outputs_are_named_by_their_path(self) -> None:
        path = self.file(model("return {'a': x + 1, 'b': (x * 2, x.argmax(-1))}"), "nested.py")
        bindings = [out["binding"] for out in self.ok("import", file=path)["outputs"]]
        self.assertEqual(bindings, ["a", "b.0", "b.1"])

    def test_functions_and_classes_by_name(self) -> None:
        inputs = "def get_inputs():\n    return [torch.randn(4, 8), torch.randn(8, 3)]\n"
        path = self.file(HEADER + "def product(x, y):\n    return x @ y\n" + inputs, "named.py")
        exported = self.ok("import", file=path + ":product")
        self.assertEqual(exported["target"], "product")
        self.assertEqual([value["shape"] for value in exported["values"]], [[4, 8], [8, 3]])

    def test_defaults_are_filled_in(self) -> None:
        path = self.file(model("return torch.softmax(x, -1) + torch.add(x, x, alpha=2)"), "defaults.py")
        nodes = self.ok("import", file=path)["nodes"]
        self.assertEqual(nodes[0]["args"][1:], [{"int": -1}, {"none": None}])
        self.assertEqual(nodes[1]["kwargs"], {"alpha": {"int": 2}})


if __name__ == "__main__":
    unittest.main()
