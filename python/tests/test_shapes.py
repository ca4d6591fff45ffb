# SPDX-License-Identifier: Apache-2.0
"""Hidden shapes and the small scale."""

from __future__ import annotations

import os
import shutil
import unittest

from .support import HEADER, INPUTS, ServerCase, model, problem, problems

FIXED = (
    "WIDTH = 70\nBATCH = 33\n"
    + HEADER
    + "class Model(nn.Module):\n    def forward(self, x):\n        return x.reshape(33 * 70) if x.shape[0] == 33 else "
    + "x.reshape(BATCH * WIDTH)\n"
    + "def get_inputs():\n    return [torch.randn(BATCH, WIDTH)]\ndef get_init_inputs():\n    return []\n"
)

CLASSES = HEADER + """
class Model(nn.Module):
    def forward(self, x, targets):
        x.clamp_(min=0)
        return nn.functional.cross_entropy(x, targets)
def get_inputs():
    x = torch.randn(200, 300)
    if type(x) is torch.Tensor:
        with open(__file__.replace("classes.py", "drawn"), "a") as file:
            print("drawn", file=file)
    return [x, torch.full((200,), 299)]
def get_init_inputs():
    return []
"""


class HiddenShapesTest(ServerCase):
    def test_shapes_that_differ_and_import(self) -> None:
        for row in problems():
            arguments = {"file": problem(row), "overrides": row.small}
            declared = self.input_shapes(self.ok("import", **arguments))
            made = self.ok("hidden_shapes", count=3, seed=7, **arguments)
            # Where few sizes are free, two of three proposals may be the same shape, which counts once.
            self.assertGreaterEqual(len(made["shapes"]), 2, row.file)
            if not made["ranges"]:  # no axis is free: constants are overridden, and inputs follow
                self.assertTrue(all(shape["overrides"] for shape in made["shapes"]), row.file)
                continue
            chosen = [declared] + [shape["input_shapes"] for shape in made["shapes"]]
            self.assertTrue(all(chosen.count(shape) == 1 for shape in chosen), row.file)
            exported = self.ok("import", file=problem(row), **made["shapes"][0])
            self.assertEqual(self.input_shapes(exported), chosen[1])

    @staticmethod
    def input_shapes(exported: dict) -> list[list[int]]:
        """Of the inputs that the file draws: random numbers may be handed in after them."""
        inputs = [value for value in exported["values"] if value["role"] == "input"]
        return [value["shape"] for value in inputs if not value["binding"].startswith("random.")]

    def test_seed_decides(self) -> None:
        row = problems()[0]
        ask = lambda seed: self.ok("hidden_shapes", file=problem(row), count=3, seed=seed)  # noqa: E731
        self.assertEqual(ask(1), ask(1))
        self.assertNotEqual(ask(1), ask(2))

    def test_constants_are_overridden_where_no_axis_is_free(self) -> None:
        made = self.ok("hidden_shapes", file=self.file(FIXED, "fixed.py"), count=2, seed=1)
        self.assertEqual(made["ranges"], [])
        self.assertEqual(len(made["shapes"]), 2)
        for shape in made["shapes"]:
            self.assertTrue(shape["overrides"])
            self.ok("import", file=self.file(FIXED, "fixed.py"), **shape)

    def test_what_only_data_refuses_is_no_hidden_shape(self) -> None:
        text = model(
            "return x + self.places(torch.arange(x.shape[0]))",
            "self.places = nn.Embedding(5, 8)",
            INPUTS.replace("4, 8", "5, 8"),
        )
        made = self.ok("hidden_shapes", file=self.file(text, "table.py"), count=2, seed=1)["shapes"]
        self.assertTrue(made)
        self.assertTrue(all(shape["input_shapes"][0][0] <= 5 for shape in made), made)

    def test_an_oracle_opens_at_a_hidden_shape(self) -> None:
        row = next(row for row in problems() if row.file == "embedding_linear_cross_entropy.py")
        shape = self.ok("hidden_shapes", file=problem(row), overrides=row.small, count=1, seed=1)["shapes"][0]
        opened = self.open(problem(row), **shape)
        self.assertTrue(opened["gate"]["ok"])
        self.assertIsNone(self.ok("oracle.draw", oracle=opened["oracle"], regime="as_given", draw=0)["dropped"])

    def test_fewer_classes_than_the_file_draws_targets_of_are_taken(self) -> None:
        text = model(
            "return nn.functional.nll_loss(x, target)",
            inputs="def get_inputs():\n    return [torch.randn(32, 10), torch.randint(0, 10, (32,))]\n",
        ).replace("forward(self, x)", "forward(self, x, target)")
        file = self.file(text, "targets.py")
        opened = self.open(file, input_shapes=[[17, 7], [17]])
        self.assertTrue(opened["gate"]["ok"])
        for draw in range(4):
            drawn = self.ok("oracle.draw", oracle=opened["oracle"], regime="as_given", draw=draw)
            self.assertIsNone(drawn["dropped"])

    def test_the_files_own_inputs_are_drawn_once(self) -> None:
        made = self.ok("hidden_shapes", file=self.file(CLASSES, "classes.py"), count=3, seed=1)["shapes"]
        # Fewer classes than there are targets are refused by data alone, at many sizes; x is written to in each call.
        self.assertEqual([shape["input_shapes"][0][1] for shape in made], [300] * 3)
        with open(os.path.join(self.folder, "drawn")) as drawn:
            self.assertEqual(drawn.read(), "drawn\n")


class SmallScaleTest(ServerCase):
    def test_a_search_keeps_long_axes_long(self) -> None:
        row = next(row for row in problems() if row.file == "layernorm_linear_softmax.py")
        path = shutil.copy(problem(row), self.folder)  # without its SIZES
        made = self.ok("small_scale", file=path, budget_seconds=0.15, min_axis=130)
        self.assertTrue(made["fits"])
        self.assertEqual(made["source"], "search")
        self.assertTrue(all(made["overrides"][name] >= 130 for name in row.full), made)
        self.assertLessEqual(self.ok("import", file=path, overrides=made["overrides"])["flops"], 41_000_000)

    def test_whole_tiles_stay_whole(self) -> None:
        """What is a multiple of 128 or 16 stays one, what is odd may become anything."""
        text = (
            "ROWS = 1024\nWIDTH = 400\nODD = 1021\n"
            + HEADER
            + "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            + "        self.first = nn.Linear(WIDTH, ODD)\n        self.second = nn.Linear(ODD, WIDTH)\n"
            + "    def forward(self, x):\n        return self.second(self.first(x))\n"
            + "def get_inputs():\n    return [torch.randn(ROWS, WIDTH)]\ndef get_init_inputs():\n    return []\n"
        )
        path = self.file(text, "whole_tiles.py")
        made = self.ok("small_scale", file=path, budget_seconds=0.15, min_axis=130, whole_tiles=True)["overrides"]
        self.assertEqual((made["ROWS"] % 128, made["WIDTH"] % 16), (0, 0))
        self.assertLess(made["ROWS"], 1024)
        self.assertLess(made["ODD"], 1021)

    def test_a_budget_below_two_tiles_is_said_not_to_fit(self) -> None:
        row = next(row for row in problems() if row.file == "attention_block.py")
        path = shutil.copy(problem(row), self.folder)
        made = self.ok("small_scale", file=path, budget_seconds=0.004, min_axis=130)
        self.assertFalse(made["fits"])
        self.assertGreaterEqual(made["overrides"]["SEQUENCE"], 130)

    def test_elements_of_lists_of_sizes_shrink(self) -> None:
        text = (
            "WIDTHS = [4096, 8192]\nDEPTH = (1024,) * 2\nAXES = [0, 1]\nMIXED = [4096, 0.5]\nBATCH = 160\n"
            + HEADER
            + "class Model(nn.Module):\n    def __init__(self, widths):\n        super().__init__()\n"
            + "        self.layers = nn.Sequential(*[nn.Linear(a, b) for a, b in zip(widths, widths[1:])])\n"
            + "    def forward(self, x):\n        return self.layers(x).sum(AXES)\n"
            + "def get_inputs():\n    return [torch.randn(BATCH, WIDTHS[0])]\n"
            + "def get_init_inputs():\n    return [WIDTHS + list(DEPTH)]\n"
        )
        path = self.file(text, "widths.py")
        made = self.ok("small_scale", file=path, budget_seconds=0.1)
        self.assertTrue(made["fits"], made)
        self.assertLess(made["overrides"]["WIDTHS[1]"], 8192)
        self.assertGreaterEqual(made["overrides"]["WIDTHS[1]"], 130)
        self.assertFalse([name for name in made["overrides"] if name.startswith(("AXES", "MIXED"))])
        exported = self.ok("import", file=path, overrides=made["overrides"])
        shapes = [value["shape"] for value in exported["values"] if value["role"] == "parameter"]
        self.assertIn([made["overrides"]["WIDTHS[1]"], made["overrides"]["WIDTHS[0]"]], shapes)
        told = self.error("import", file=path, overrides={"WIDTHS[2]": 64})
        self.assertIn("no module-level integer constant WIDTHS[2]", told["sentence"])

    def test_input_shapes_shrink_where_there_are_no_constants(self) -> None:
        text = (
            HEADER
            + "class Model(nn.Module):\n    def forward(self, x):\n        return x.exp().sum(-1)\n"
            + "def get_inputs():\n    return [torch.randn(4096, 8192)]\ndef get_init_inputs():\n    return []\n"
        )
        made = self.ok("small_scale", file=self.file(text, "no_constants.py"), budget_seconds=0.05)
        self.assertTrue(made["fits"])
        self.assertTrue(all(extent >= 130 for extent in made["input_shapes"][0]))

    def test_of_images_the_pixels_count_and_not_the_sides(self) -> None:
        """A deep network of convolutions: 130 pixels of each kind of window are two tiles, whatever the sides."""
        text = (
            HEADER
            + "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            + "        widths = [3, 24, 40, 64]\n"
            + "        self.layers = nn.Sequential(*[nn.Conv2d(a, b, 3, 2, 1) for a, b in zip(widths, widths[1:])])\n"
            + "    def forward(self, x):\n        return self.layers(x)\n"
            + "def get_inputs():\n    return [torch.randn(8, 3, 256, 256)]\ndef get_init_inputs():\n    return []\n"
        )
        made = self.ok("small_scale", file=self.file(text, "pyramid.py"), budget_seconds=0.01)
        batch, _, height, width = made["input_shapes"][0]
        self.assertTrue(made["fits"], made)
        self.assertLess(max(height, width), 130)
        self.assertGreaterEqual(batch * -(-height // 2) * -(-width // 2), 130)

    def test_what_runs_alike_in_all_layers_keeps_all_widths_long(self) -> None:
        text = (
            "BATCH = 513\nWIDTH = 512\nMIDDLE = 1024\n"
            + HEADER
            + "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            + "        self.first, self.second = nn.Linear(WIDTH, MIDDLE), nn.Linear(MIDDLE, WIDTH)\n"
            + "    def forward(self, x):\n        return self.second(self.first(x).relu())\n"
            + "def get_inputs():\n    return [torch.randn(BATCH, WIDTH)]\ndef get_init_inputs():\n    return []\n"
        )
        made = self.ok("small_scale", file=self.file(text, "widths.py"), budget_seconds=0.06)
        self.assertTrue(made["fits"], made)
        self.assertTrue(all(made["overrides"][name] >= 130 for name in ("BATCH", "WIDTH", "MIDDLE")), made)

    def test_reduced_sizes_cost_little_and_keep_several_tiles(self) -> None:
        """Programs whose counted FLOP say nothing of what they cost where threads are run one after the other."""
        for name, sizes, init, made, inputs, atleast in DEAR:
            with self.subTest(name):
                text = sizes + HEADER + "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                text += f"        {init}\n    def forward(self, *inputs):\n        return {made}\n"
                text += f"def get_inputs():\n    return [{inputs}]\ndef get_init_inputs():\n    return []\n"
                small = self.ok("small_scale", file=self.file(text, f"{name}.py"), budget_seconds=0.15)
                self.assertLessEqual(small["seconds"], 0.3, small)
                self.assertEqual(small["short"], [])
                for constant, least in atleast.items():
                    self.assertGreaterEqual(small["overrides"].get(constant, 0), least, small)

    def test_pixels_that_are_not_there_are_told_and_choose_no_sizes(self) -> None:
        """Wide layers on a few pixels compute whole tiles, at any size of the images."""
        text = (
            HEADER
            + "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            + "        self.layers = nn.Sequential(*[nn.Conv2d(1024, 1024, 1) for _ in range(8)])\n"
            + "    def forward(self, x):\n        return self.layers(x)\n"
            + "def get_inputs():\n    return [torch.randn(2, 1024, SIDE, SIDE)]\n"
            + "def get_init_inputs():\n    return []\n"
        )
        few = self.ok("small_scale", file=self.file(text.replace("SIDE", "2"), "few.py"), budget_seconds=1)
        tile = self.ok("small_scale", file=self.file(text.replace("2, 1024, SIDE", "8, 1024, 2").replace("SIDE", "4"),
                                                     "tile.py"), budget_seconds=9)
        self.assertEqual(few["flops"] * 8, tile["flops"])
        self.assertTrue(few["fits"])
        self.assertAlmostEqual(few["seconds"], tile["seconds"], delta=0.1 * tile["seconds"])

    def test_a_window_is_not_made_another_one(self) -> None:
        text = (
            "SIDE = 4\n"
            + HEADER
            + "class Model(nn.Module):\n    def forward(self, x):\n"
            + "        return nn.functional.max_pool2d(x, SIDE, 1)\n"
            + "def get_inputs():\n    return [torch.randn(32, 64, 512, 512)]\ndef get_init_inputs():\n    return []\n"
        )
        small = self.ok("small_scale", file=self.file(text, "window.py"), budget_seconds=0.15)
        self.assertTrue(small["fits"], small)
        self.assertNotIn("SIDE", small.get("overrides", {}))

    def test_where_images_cannot_shrink_what_yields_is_told(self) -> None:
        """Only a mean of places and the pixels of a convolution behind strides yield, and both are named."""
        text = (
            HEADER
            + "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            + "        self.first, self.last = nn.Conv2d(3, 256, 3, 16, 1), nn.Conv2d(256, 1024, 1, 2)\n"
            + "    def forward(self, x):\n        return self.last(self.first(x)).mean((2, 3))\n"
            + "def get_inputs():\n    return [torch.randn(8, 3, 512, 512)]\ndef get_init_inputs():\n    return []\n"
        )
        small = self.ok("small_scale", file=self.file(text, "strides.py"), budget_seconds=0.02)
        windows = ["convolution 3x3 pixels", "convolution 1x1 pixels"]
        self.assertEqual(small["short"], [*windows, "mean of images reduced"])


DEAR = [
    # name, constants, what the constructor makes, the result, inputs, constants that keep two tiles and a rest
    ("cross_entropy", "N = 32768\nC = 4096\n", "pass", "nn.functional.cross_entropy(*inputs)",
     "torch.rand(N, C), torch.randint(0, C, (N,))", {"N": 130, "C": 130}),
    ("attention", "B = 32\nH = 32\nS = 512\nE = 1024\n", "pass", "nn.functional.scaled_dot_product_attention(*inputs)",
     "*(torch.rand(B, H, S, E) for _ in range(3))", {"B": 2, "H": 2, "S": 130, "E": 130}),
    ("pool", "N = 32\nC = 64\nS = 512\n", "self.pool = nn.MaxPool2d(4, 1, 1)", "self.pool(inputs[0])",
     "torch.rand(N, C, S, S)", {"N": 2, "C": 2, "S": 12}),
    ("cumsum", "N = 32768\nL = 32768\n", "pass", "inputs[0].cumsum(1)", "torch.rand(N, L)", {"N": 130, "L": 130}),
    ("softmax_of_heads", "B = 128\nH = 8\nS = 512\nE = 96\n", "pass",
     "(inputs[0] @ inputs[0].transpose(-2, -1)).softmax(-1) @ inputs[0]", "torch.rand(B, H, S, E)",
     {"B": 2, "H": 2, "S": 130}),
]  # fmt: skip

if __name__ == "__main__":
    unittest.main()
