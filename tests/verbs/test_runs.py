# SPDX-License-Identifier: Apache-2.0
"""stitchcuda runs on records that are written here, as docs/formats.md has them."""

import json
import os
import pathlib
import re
import tempfile

from .support import PROGRAM, TextCase, run

STEP = {"skeleton": "gemm", "setting": {"variant": "tf32x3", "splits": 4}, "nodes": ["expand", "gelu"]}


class Runs(TextCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.environment = dict(
            os.environ, STITCHCUDA_STATE=str(self.folder / "state"), HOME=scratch.name, COLUMNS="100"
        )
        self.first = self.record("20200102-030405-mlp-00aa", "2020-01-02T03:04:05Z", modelled_us=82.25)
        self.second = self.record(
            "20200103-030405-mlp-00bb",
            "2020-01-03T03:04:05Z",
            options={"math": "tf32"},
            math="tf32",
            modelled_us=41.5,
            steps=1,
        )
        self.third = self.record(
            "20210101-000000-mlp-00cc", "2021-01-01T00:00:00Z", state="running", out="", verdict=None, modelled_us=None
        )

    def record(self, run_id: str, started: str, **changed) -> str:
        folder = self.folder / "state" / "runs" / run_id
        folder.mkdir(parents=True)
        record = {
            "schema": "stitchcuda.run/1",
            "id": run_id,
            "verb": "optimize",
            "command": ["stitchcuda", "optimize", "my models/mlp.py"],
            "folder": "/home/user",
            "file": "/home/user/my models/mlp.py",
            "task": "mlp",
            "options": {},
            "out": str(self.folder / "out" / run_id[-4:]),
            "started": started,
            "process": {"pid": 1, "start_ticks": 1, "boot": "of another time"},
            "state": "verified",
            "ended": started,
            "seconds": 192.4,
            "stage": {"name": "verify", "sentence": "unit 1 of 6"},
            "error": None,
            "verdict": "verified: 28 draws",
            "seed": 4503599627370497,
            "modelled_us": 82.25,
            "measured_us": None,
            "device": "emulated",
            "math": "fp32",
            "steps": 2,
            "operators": 4,
            **changed,
        }
        (folder / "run.json").write_text(json.dumps(record))
        steps = [{**STEP, "name": "expand_gelu", "modelled_us": record["modelled_us"]}]
        if record["steps"] == 2:
            steps.append(
                {
                    "name": "contract",
                    "skeleton": "pointwise",
                    "setting": {"variant": "", "splits": 1},
                    "nodes": ["contract"],
                    "modelled_us": 3.0,
                }
            )
        sources = {"steps/00.cu": "0" * 64, "program.cu": run_id[-2:] * 32}
        if record["modelled_us"]:
            (folder / "program.json").write_text(json.dumps({"steps": steps, "sources": sources}))
        return run_id

    def ask(self, *arguments: str) -> tuple[int, str]:
        done = run(PROGRAM, "runs", *arguments, environment=self.environment)
        return done.returncode, (done.stdout + done.stderr).replace(str(self.folder), "/STATE")

    def compare(self, name: str, status: int, *arguments: str) -> None:
        code, text = self.ask(*arguments)
        self.assertEqual(code, status, text)
        self.assert_text(f"runs_{name}.txt", text)

    def test_list(self) -> None:
        self.compare("list", 0, "list")
        self.assertEqual(self.ask("list", "--ids"), (0, f"{self.third}\n{self.second}\n{self.first}\n"))
        said = json.loads(self.ask("list", "--json")[1])
        self.assertEqual([row["state"] for row in said["runs"]], ["killed", "verified", "verified"])

    def test_list_of_nothing(self) -> None:
        self.environment["STITCHCUDA_STATE"] = str(self.folder / "nothing")
        self.compare("list_of_nothing", 0, "list")

    def test_list_of_some(self) -> None:
        self.assertEqual(
            self.ask("list", "--ids", "--where", "verdict=verified and math=tf32"), (0, f"{self.second}\n")
        )
        self.assertEqual(self.ask("list", "--ids", "--limit", "1"), (0, f"{self.third}\n"))
        said = json.loads(self.ask("list", "--json", "--where", "not (verdict=killed or time_us<80)")[1])
        self.assertEqual([row["id"] for row in said["runs"]], [self.first])
        nothing = (0, "no run that is remembered fits device~h200\n")
        self.assertEqual(self.ask("list", "--where", "device~h200"), nothing)
        code, text = self.ask("list", "--where", "math=tf32 and mth=1")
        self.assertEqual(code, 2)
        self.assertIn("--where: runs have no 'mth' (did you mean math?)", text)
        self.assertIn("column 15", text)

    def test_a_damaged_index_is_made_again(self) -> None:
        listed = self.ask("list", "--ids")
        index = self.folder / "state" / "runs.sqlite"
        for damage in (b"", b"no database", index.read_bytes()[:5000]):
            index.write_bytes(damage)
            self.assertEqual(self.ask("list", "--ids"), listed)

    def test_show(self) -> None:
        code, text = self.ask("show", "20200102")
        self.assertEqual(code, 0)
        self.assert_text("runs_show.txt", text)
        code, text = self.ask("show", self.third)
        self.assertRegex(text, r"state +killed")
        self.assertEqual(json.loads(self.ask("show", self.first, "--json")[1])["id"], self.first)

    def test_beginnings_that_fit_none_or_many(self) -> None:
        self.compare("ambiguous", 2, "show", "2020")
        self.compare("unknown", 2, "show", "nope")

    def test_diff(self) -> None:
        self.compare("diff", 0, "diff", "20200102", "20200103")
        self.compare("diff_of_one", 0, "diff", "20200102", "20200102")
        said = json.loads(self.ask("diff", "20200102", "20200103", "--json")[1])
        self.assertIn({"what": "option math", "before": None, "after": "tf32"}, said["differences"])

    def test_rm(self) -> None:
        self.assertEqual(self.ask("rm", "20200102", "nope")[0], 2)
        self.assertIn(self.first, self.ask("list")[1], "a mistyped id costs nothing")
        self.assertEqual(self.ask("rm", "20200102"), (0, f"removed the record of the run {self.first}\n"))
        self.assertNotIn(self.first, self.ask("list")[1])

    def test_rm_of_a_running_one(self) -> None:
        stat = pathlib.Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        process = {"pid": os.getpid(), "start_ticks": int(stat[19]), "boot": boot}
        running = self.record("20220101-000000-mlp-00dd", "2022-01-01T00:00:00Z", state="running", process=process)
        code, text = self.ask("rm", running)
        self.assertEqual(code, 2)
        self.assertIn("is still running", text)

    def folder_of(self, run_id: str, *files: str) -> pathlib.Path:
        folder = self.folder / "out" / run_id[-4:]
        folder.mkdir(parents=True)
        for name in files:
            (folder / name).write_text("{}")
        return folder

    def test_rm_with_its_folder(self) -> None:
        ours = self.folder_of(self.first, "task.json", "bundle.json")
        other = self.folder_of(self.second, "thesis.tex")
        code, text = self.ask("rm", "--out", self.first, self.second, self.third)
        self.assertEqual(code, 0)
        self.assert_text("runs_rm.txt", text)
        self.assertFalse(ours.exists())
        self.assertTrue((other / "thesis.tex").exists())

    def test_rm_keeps_the_folder_of_a_later_run(self) -> None:
        folder = self.folder_of(self.first, "task.json", "bundle.json")
        later = self.record("20220101-000000-mlp-00ee", "2022-01-01T00:00:00Z", out=str(folder))
        self.assertIn(later, self.ask("show", self.first)[1])
        code, text = self.ask("rm", "--out", self.first)
        self.assertEqual(code, 0)
        self.assertRegex(text, f"kept .*: the run {re.escape(later)} wrote to it later")
        self.assertTrue(folder.exists())

    def test_what_is_no_record_is_passed_over(self) -> None:
        folder = self.folder / "state" / "runs" / "broken"
        folder.mkdir()
        (folder / "run.json").write_text("{")
        self.assertEqual(self.ask("list")[0], 0)
        self.assertEqual(self.ask("show", "broken")[0], 3)
