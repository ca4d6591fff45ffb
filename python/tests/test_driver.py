# SPDX-License-Identifier: Apache-2.0
"""The driver in this process: its answers are those of the program, its errors are sentences, threads share nothing."""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("STITCHCUDA", str(ROOT / os.environ.get("STITCHCUDA_BUILD", "build") / "stitchcuda"))

import stitchcuda  # noqa: E402
from stitchcuda import driver  # noqa: E402
from stitchcuda.places import command  # noqa: E402

from .support import ServerCase, model  # noqa: E402

GRAPH = """graph {name} mode=eval
x: f32[4,{width}] = input "x"
w: f32[8,{width}] = parameter "w"
h: f32[4,8] = linear(x, w, none)
r: f32[4,8] = relu(h)
return output "0" = r
--- batch fixed: it is
"""


def said(*arguments: str) -> dict[str, Any]:
    """What the program answers."""
    done = subprocess.run([command(), *arguments, "--json"], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


class DriverCase(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, encoding="utf-8")
        return str(self.folder / name)

    def graph(self, width: int = 6) -> str:
        return self.write(f"graph{width}.ir", GRAPH.format(name=f"scaled{width}", width=width))

    def plan(self) -> str:
        return self.write("plan.json", driver.ask("plan", graph=self.graph())["text"])


class SameAsTheProgram(DriverCase):
    def test_plan(self) -> None:
        graph = self.graph()
        for options in ({}, {"targets": ["sm_80"], "math": "tf32", "libraries": "off"}):
            words = [f"--{name.removesuffix('s') if name == 'targets' else name}" for name in options]
            values = [value[0] if isinstance(value, list) else value for value in options.values()]
            asked = [f"{word}={value}" for word, value in zip(words, values)]
            self.assertEqual(driver.ask("plan", graph=graph, **options), said("plan", graph, *asked))
        self.assertNotEqual(stitchcuda.plan(graph), stitchcuda.plan(graph, math="tf32"))

    def test_emit(self) -> None:
        plan = self.plan()
        here, there = self.folder / "here", self.folder / "there"
        self.assertEqual(stitchcuda.emit(plan, here), str(here))
        said("emit", plan, f"--out={there}")
        names = sorted(str(path.relative_to(there)) for path in there.rglob("*") if path.is_file())
        self.assertIn("program.cu", names)
        self.assertEqual(names, sorted(str(path.relative_to(here)) for path in here.rglob("*") if path.is_file()))
        for name in names:
            self.assertEqual((here / name).read_bytes(), (there / name).read_bytes(), name)

    def test_version(self) -> None:
        done = subprocess.run([command(), "--version"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), f"stitchcuda {stitchcuda.__version__}")


class Stages(DriverCase):
    def test_vocabulary(self) -> None:
        names = stitchcuda.operators()
        self.assertEqual(len(names), len(set(names)))
        self.assertTrue({"relu", "linear", "conv2d"} <= set(names))
        self.assertNotIn("opaque", names)
        self.assertEqual(stitchcuda.devices()["H200"], "sm_90a")

    def test_costs_of_a_plan(self) -> None:
        made = stitchcuda.plan(self.graph())
        costs = stitchcuda.step_costs(self.plan())
        self.assertEqual([cost["name"] for cost in costs], [step["name"] for step in made["steps"]])
        self.assertEqual(costs[0]["flops"], made["steps"][0]["flops"])
        self.assertGreater(costs[0]["floor_us"], 0)

    def test_files_altered_since(self) -> None:
        with self.assertRaises(stitchcuda.ProgramError) as raised:
            stitchcuda.altered_files(self.folder)
        self.assertIn("manifest", str(raised.exception))


PROOF = {"shapes": [{"shape": "as declared", "planned": 20, "judged": 20}], "checked": {"planned": 1, "judged": 1}}


class Decides(unittest.TestCase):
    def test_a_whole_proof_accepts(self) -> None:
        self.assertEqual(stitchcuda.decide([], PROOF, acceptance="20 draws"),
                         {"kind": "ok", "reason": "20 draws", "detail": ""})

    def test_half_a_proof_does_not(self) -> None:
        half = {**PROOF, "checked": {"planned": 1, "judged": 0}}
        verdict = stitchcuda.decide([], half, acceptance="20 draws")
        self.assertEqual((verdict["kind"], verdict["reason"]), ("undecided", "0 of 1 checked draws were judged"))
        self.assertEqual(stitchcuda.decide([], {})["kind"], "undecided")
        claimed = [{"stage": "draws", "kind": "ok", "reason": "it says so"}]
        self.assertEqual(stitchcuda.decide(claimed, PROOF)["kind"], "undecided")

    def test_the_gravest_finding_decides_in_any_order(self) -> None:
        found = [{"stage": "draws", "kind": "wrong", "reason": "y is off", "evidence": "tile 3"},
                 {"stage": "inspect", "kind": "cheated", "reason": "it loads PyTorch"}]
        for order in (found, found[::-1]):
            verdict = stitchcuda.decide(order, PROOF)
            self.assertEqual((verdict["kind"], verdict["reason"]), ("cheated", "it loads PyTorch"))
        self.assertEqual(stitchcuda.decide(found[:1], PROOF)["detail"], "tile 3")

    def test_remarks_and_mark(self) -> None:
        remarks = [{"text": "said of ok", "of": ["ok"]}, {"text": "said of wrong", "of": ["wrong"]}]
        verdict = driver.ask("decide", proof=PROOF, remarks=remarks, sandbox="none: asked for")
        self.assertEqual((verdict["detail"], verdict["sandbox"]), ("said of ok", "none: asked for"))


class Imports(ServerCase):
    def test_what_pytorch_exported(self) -> None:
        text = model("return torch.relu(x @ self.w)", "self.w = nn.Parameter(torch.ones(8, 3))")
        answer = driver.ask("import", exported=self.ok("import", file=self.file(text)))
        self.assertEqual(answer["operators"], 2)
        self.assertIn("= matmul(", answer["text"])
        self.assertIn("= relu(", answer["text"])

    def test_an_operator_that_is_not_supported(self) -> None:
        exported = self.ok("import", file=self.file(model("return torch.linalg.qr(x)[0]"), "qr.py"))
        with self.assertRaises(stitchcuda.ProgramError) as raised:
            driver.ask("import", exported=exported)
        self.assertEqual(raised.exception.code, "unsupported_operator")
        self.assertIn("qr", raised.exception.sentence)


class Refuses(DriverCase):
    def answer(self, request: bytes) -> dict[str, Any]:
        """The error of a request that is sent as it is."""
        driver.ask("version")
        library = driver._library(os.path.join(os.path.dirname(command()), "libstitchcuda.so"))
        address = library.stitchcuda_ask(request, len(request))
        try:
            return dict(json.loads(ctypes.string_at(address)))
        finally:
            library.stitchcuda_free(address)

    def test_what_is_no_request(self) -> None:
        cases = {
            b"": "the request",
            b"{": "the request",
            b"\xff\xfe": "the request",
            b"[1]": "the request is no JSON object",
            b"{}": "the argument verb is missing",
            b'{"verb": 3}': "the argument verb is no text",
            b'{"verb": "version"} {}': "the request",
            b"[" * 200_000: "the request",
        }
        for request, sentence in cases.items():
            error = self.answer(request)["error"]
            self.assertEqual(error["code"], "usage", request[:40])
            self.assertTrue(error["sentence"].startswith(sentence), error["sentence"])

    def test_arguments(self) -> None:
        cases: list[tuple[str, dict[str, Any], str]] = [
            ("optimise", {}, '"optimise" is nothing that can be asked in process'),
            ("verify", {"folder": "x"}, '"verify" is nothing that can be asked in process'),
            ("version", {"of": "me"}, '"of" is no argument of this request'),
            ("plan", {}, "the argument graph is missing"),
            ("plan", {"graph": 1}, "the argument graph is no text"),
            ("plan", {"graph": "g", "math": "fp8"}, '"fp8" is not a math mode'),
            ("plan", {"graph": "g", "targets": "sm_80"}, "the argument targets is no list"),
            ("plan", {"graph": "g", "targets": ["sm_1"]}, '"sm_1" is no architecture that plans are made for'),
            ("plan", {"graph": "g", "libraries": "all"}, "the argument libraries is none of auto, on, off"),
            ("import", {}, "the argument exported is no object"),
            ("decide", {"findings": {}}, "the argument findings is no list"),
            ("decide", {"findings": [1]}, "the argument findings holds something that is no object"),
            ("decide", {"findings": [{"stage": "lunch", "kind": "ok"}]}, 'the argument stage is "lunch"'),
            ("decide", {"findings": [{"stage": "draws", "kind": "fine"}]}, 'the argument kind is "fine"'),
            ("decide", {"findings": [{"stage": "draws"}]}, "the argument kind is missing"),
            ("decide", {"remarks": [{"text": "x", "of": [3]}]}, 'the argument kind is "3"'),
            ("decide", {"proof": []}, "the argument proof is no object"),
            ("decide", {"proof": {"builds_only": 1}}, "the argument builds_only is neither true nor false"),
            ("decide", {"proof": {"checked": {"planned": -1}}}, "the argument planned is no number of draws"),
            ("decide", {"proof": {"shapes": [{}]}}, "the argument shape is missing"),
            ("decide", {"verdict": "ok"}, '"verdict" is no argument of this request'),
        ]
        for verb, arguments, sentence in cases:
            with self.assertRaises(stitchcuda.UsageError) as raised:
                driver.ask(verb, **arguments)
            self.assertTrue(raised.exception.sentence.startswith(sentence), raised.exception.sentence)

    def test_files(self) -> None:
        mine = self.write("mine.ir", "no graph")
        for arguments in ({"graph": str(self.folder / "absent.ir")}, {"graph": mine}):
            with self.assertRaises(stitchcuda.ProgramError) as raised:
                driver.ask("plan", **arguments)
            self.assertIn(arguments["graph"], str(raised.exception))

    def test_a_folder_of_the_users_own(self) -> None:
        self.write("notes.txt", "mine")
        with self.assertRaises(stitchcuda.Error) as raised:
            stitchcuda.emit(self.plan(), self.folder)
        self.assertIn(str(self.folder), str(raised.exception))
        self.assertEqual((self.folder / "notes.txt").read_text(encoding="utf-8"), "mine")


class Threads(DriverCase):
    def test_each_has_its_own_answer(self) -> None:
        """Good requests and bad ones, of different programs, at once."""
        graphs = [self.graph(width) for width in (6, 10, 12, 14)]
        alone = [driver.ask("plan", graph=graph) for graph in graphs]
        self.assertEqual(len({answer["text"] for answer in alone}), len(graphs))
        wrong: list[str] = []

        def work(index: int) -> None:
            for _ in range(20):
                if driver.ask("plan", graph=graphs[index]) != alone[index]:
                    wrong.append(f"the plan of {graphs[index]}")
                try:
                    driver.ask(f"verb{index}")
                    wrong.append("it was answered")
                except stitchcuda.UsageError as error:
                    if f"verb{index}" not in error.sentence:
                        wrong.append(error.sentence)

        threads = [threading.Thread(target=work, args=(index,)) for index in range(len(graphs))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class TheLibrary(DriverCase):
    def fails(self, folder: pathlib.Path) -> str:
        """What a Python says whose program `stitchcuda` lies in `folder`."""
        (folder / "stitchcuda").write_text("", encoding="utf-8")
        code = "import stitchcuda as s\ntry: print(s.__version__)\nexcept s.MissingEnvironment as e: print(e)"
        environment = {**os.environ, "STITCHCUDA": str(folder / "stitchcuda"), "PYTHONPATH": str(ROOT / "python")}
        words = [sys.executable, "-c", code]
        return subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout

    def test_that_is_missing(self) -> None:
        text = self.fails(self.folder)
        self.assertIn("stitchcuda's library cannot be loaded", text)
        self.assertIn(str(self.folder / "libstitchcuda.so"), text)
        self.assertIn("Install the package again", text)

    def test_that_is_none(self) -> None:
        self.write("libstitchcuda.so", "no library")
        self.assertIn("stitchcuda's library cannot be loaded", self.fails(self.folder))

    def test_that_is_another(self) -> None:
        other = pathlib.Path(command()).parent / "libstitch_observer.so"
        (self.folder / "libstitchcuda.so").write_bytes(other.read_bytes())
        self.assertIn("asks by interface 1", self.fails(self.folder))

    def test_shows_its_interface_alone(self) -> None:
        """What loads it has a C++ runtime and perhaps a JSON library of its own."""
        path = pathlib.Path(command()).parent / "libstitchcuda.so"
        words = ["nm", "-D", "--defined-only", str(path)]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        names = sorted(line.split()[-1] for line in done.stdout.splitlines())
        self.assertEqual(names, ["stitchcuda_ask", "stitchcuda_free", "stitchcuda_interface"])
