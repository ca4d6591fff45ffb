# SPDX-License-Identifier: Apache-2.0
"""One run over many tasks: programs are built side by side, one at a time is timed while nothing else uses the GPU, and
whatever becomes of a task, it leaves a record and the next one goes on."""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import threading
import time
import traceback

import baselines
import children
import product
import records
import steps
import tasks
from gate import Gate, Pipeline
from pools import ending_all, pool_on

NICE = 10  # of builds: what is timed must not wait for a core
SETTLING_SECONDS = 30.0  # beside torch.compile: PyTorch is loaded, the program made and called
TOO_LONG = ("took longer", "out of time")  # as time_program.py and baselines.py say it
LEAST_SECONDS = 15.0  # with fewer left no task is begun


class OutOfTime(Exception):
    """The run's own time has ended: the task in hand has no record, and whoever resumes the run begins it anew."""


class Run:
    def __init__(self, options: argparse.Namespace, known: dict[str, dict]):
        """`known`: records of another run whose baselines are taken, by task."""
        self.options, self.known = options, known
        self.out: pathlib.Path = options.out
        self.product = product.Product(
            options.binary, options.math, options.libraries, options.tuning_database, options.memory * 1e9
        )
        self.records = records.Records(self.out)
        on_gpu = options.device == "gpu"
        self.gate = Pipeline(product.timing_lock(options.binary) if on_gpu else None) if options.pipeline else Gate()
        self.started = time.monotonic()
        self.driver = driver_version() if options.device == "gpu" else None
        self.saying = threading.Lock()

    def left(self) -> float:
        if children.is_ending.is_set():
            return 0.0
        return self.options.seconds - (time.monotonic() - self.started)

    def known_baselines(self, task: tasks.Task) -> dict[str, dict]:
        """Of the other run, by their names."""
        us = self.known.get(task.name, {}).get("us", {})
        return {name: us[name] for name in steps.BASELINES.values() if name in us}

    def say(self, text: str) -> None:
        with self.saying:
            print(f"{time.monotonic() - self.started:6.1f} s  {text}", flush=True)

    def all(self, chosen: list[tasks.Task]) -> None:
        if self.options.pipeline:
            self.pipelined(chosen)
            return
        if self.options.build_first:
            if self.compiles():
                self.each(self.compile_first, chosen, self.options.compile_jobs or self.options.jobs,
                          self.options.build_cpus)
            self.each(self.build_first, chosen, self.options.jobs, self.options.build_cpus)
            self.say("built; timing")
        # Two where all is built: while one is timed the next loads PyTorch.
        self.each(self.one, chosen, min(2, self.options.jobs) if self.options.build_first else self.options.jobs,
                  self.options.time_cpus)

    def compiles(self) -> bool:
        """Whether torch.compile is timed here."""
        return "compile" in self.options.baseline and self.options.device == "gpu"

    def each(self, function, chosen: list[tasks.Task], jobs: int, cpus: set[int] | None) -> None:
        with pool_on(jobs, cpus) as pool, ending_all(pool):
            list(pool.map(function, chosen))

    def pipelined(self, chosen: list[tasks.Task]) -> None:
        """Each task is compiled by PyTorch and built by us on some processors, side by side with others, and timed on
        others as soon as both are done, while later ones are still built."""
        options = self.options
        # Two: while one is timed the next loads PyTorch.
        with pool_on(options.jobs, options.build_cpus) as ours, \
                pool_on(options.compile_jobs or options.jobs, options.build_cpus) as theirs, \
                pool_on(2, options.time_cpus) as timing, ending_all(ours, theirs, timing):
            made = {task: [ours.submit(self.build_first, task)] for task in chosen}
            for task, futures in made.items() if self.compiles() else ():
                futures.append(theirs.submit(self.compile_first, task))
            waiting = {future: task for task, futures in made.items() for future in futures}
            timed = []
            for future in concurrent.futures.as_completed(waiting):
                task = waiting[future]
                made[task].remove(future)
                if future.result() is False:  # no time was left for it
                    made[task].append(future)
                elif not made[task]:
                    timed.append(timing.submit(self.one, task))
            for future in timed:
                future.result()

    def may_build(self) -> bool:
        """Whether there is time for more that is built before anything is timed."""
        spent = time.monotonic() - self.started
        return self.left() >= LEAST_SECONDS and spent < (self.options.build_seconds or float("inf"))

    def compile_first(self, task: tasks.Task) -> bool:
        """False where no time was left for it."""
        attempt = Attempt(self, task)
        if attempt.compiled.exists():
            return True
        if not self.may_build():
            return False
        try:
            attempt.compile_ahead()
            self.say(f"{task.short} compiled by PyTorch in {attempt.seconds['compile ahead']:.0f} s")
        except Exception:  # noqa: BLE001 - it is compiled where it is timed, then
            traceback.print_exc()
        return self.left() > 0

    def build_first(self, task: tasks.Task) -> bool:
        """False where no time was left for it. What fails fails again, with a record, when its turn has come."""
        attempt = Attempt(self, task)
        if attempt.kept.exists():
            return True
        if not self.may_build():
            return False
        try:
            built = attempt.build()
            self.say(f"{task.short} built: {built['sentence'][:160]}")
        except OutOfTime:
            self.say(f"{task.short}: not built in time")
            return False
        except Exception:  # noqa: BLE001 - our own mistake costs one task, not the run
            traceback.print_exc()
        return True

    def one(self, task: tasks.Task) -> None:
        if self.left() < LEAST_SECONDS:
            return
        try:
            record = Attempt(self, task).record()
        except OutOfTime:
            self.say(f"{task.short}: not ended in time")
            return
        except Exception as error:  # noqa: BLE001 - our own mistake costs one task, not the run
            traceback.print_exc()
            about = {"sentence": f"the bench itself: {type(error).__name__}: {error}", "verdict": None}
            record = {**Attempt(self, task).about(), "status": "failed", **about}
        self.records.append(record)
        best = (record.get("ratio") or {}).get("best")
        figures = f", {record['ours_us']:.1f} us, best baseline / ours {best}" if best else ""
        self.say(f"{task.short} {record['status']}{figures}: {record['sentence'][:160]}")


class Attempt:
    """What becomes of one task."""

    def __init__(self, run: Run, task: tasks.Task):
        self.run, self.task, self.options = run, task, run.options
        self.folder = run.out / "programs" / task.name
        self.log = run.out / "logs" / f"{task.name.replace('/', '-')}.txt"
        self.log.parent.mkdir(parents=True, exist_ok=True)
        # Of an earlier run that this one resumes, or made before anything is timed.
        self.kept, self.compiled = self.folder.with_suffix(".built.json"), self.folder.with_suffix(".compiled.json")
        self.seconds: dict[str, float] = {}

    def about(self) -> dict:
        return {
            "task": self.task.name,
            "level": self.task.level,
            "number": self.task.number,
            "class": tasks.class_of(self.task),
            "math": self.options.math,
            "tuning": self.options.tuning,
            "libraries": self.options.libraries,
            "is_verified": not self.options.no_verify,
            "on": self.options.device,
            "driver": self.run.driver,
            "baselines_of": {**dict.fromkeys(self.run.known_baselines(self.task), str(self.options.baselines)),
                             **dict.fromkeys(self.wanted(), "this run")},
        }

    def build(self) -> dict:
        """Once: the answer lies beside what was built until there is a record."""
        if self.kept.exists():
            answer = json.loads(self.kept.read_text())
            self.seconds |= answer["seconds"]
            return answer
        answer = self.unverified() if self.options.no_verify else self.verified()
        self.keep(self.kept, {**answer, "seconds": self.seconds})
        return answer

    def keep(self, path: pathlib.Path, answer: dict) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_suffix(".new")
        aside.write_text(json.dumps(answer))
        aside.replace(path)

    def record(self) -> dict:
        built = self.build()
        found = {**self.about(), **{name: built[name] for name in ("status", "sentence", "verdict")}}
        if built["status"] == "ok":
            found["steps"] = steps.planned(self.folder / "plan.json")
            found |= {"tuner": built["tuner"]} if "tuner" in built else {}
            if self.options.device == "gpu" or self.options.no_verify:
                found |= self.timed({"library": built["library"], "folder": str(self.folder)})
        for path in (self.kept, self.compiled):
            path.unlink(missing_ok=True)
        if not self.options.keep:
            shutil.rmtree(self.folder, ignore_errors=True)
        return {**found, "seconds": {name: round(seconds, 1) for name, seconds in self.seconds.items()}}

    def ask(self, verb: str, *arguments: str, on_program: bool = False, name: str | None = None) -> dict:
        """One command of the product, as long as it may take. OutOfTime where the run ends first."""
        limit = min(self.options.task_seconds, self.run.left())
        if limit <= 0:
            raise OutOfTime
        function = self.run.product.on_program if on_program else self.run.product.ask
        subject = (self.task.path, *arguments) if on_program else arguments
        answer = function(verb, *subject, seconds=limit, log=self.log, niceness=NICE)
        self.seconds[name or verb] = answer["spent"]
        if self.run.left() <= 0 and answer.get("error"):
            raise OutOfTime
        return answer

    def tune(self, *more: str) -> dict:
        return self.ask("tune", "--tune-seconds", str(self.options.tuning), *more, on_program=True)

    def verified(self) -> dict:
        """As `optimize` builds it and judges it; on a GPU that uses it beside others, so nothing is timed meanwhile."""
        on_gpu = self.options.device == "gpu"
        with self.run.gate.shared():
            tuned = ["--no-tune"]
            if on_gpu and self.options.tuning:
                self.tune()
                tuned = ["--tune-seconds", "0"]
            device = ["gpu", "--no-time"] if on_gpu else ["emulated", "--skip-nvcc"]
            answer = self.ask("optimize", *tuned, "--device", *device, "--out", str(self.folder), on_program=True)
        self.seconds |= {name: answer["seconds"][name] for name in ("import", "plan", "build", "verify")
                         if name in answer.get("seconds", {})}
        return {**steps.judged(answer), "library": answer.get("library")}

    def unverified(self) -> dict:
        """Stage by stage; but for tuning on the CPU alone, so that others may be timed meanwhile."""
        self.folder.mkdir(parents=True, exist_ok=True)
        graph, plan, library = (self.folder.with_suffix(suffix) for suffix in (".ir", ".json", ".so"))
        planned = ["--math", self.options.math, "--libraries", self.options.libraries]
        program = ["--program", str(self.task.path)]
        if self.options.tuning:
            with self.run.gate.tuning():
                answers = [self.tune("--out", str(plan))]
        else:
            answers = [self.ask("import", str(self.task.path), "--out", str(graph))]
            if not answers[-1].get("error"):
                answers.append(self.ask("plan", str(graph), *planned, "--out", str(plan)))
        if not answers[-1].get("error"):
            # What forward makes of literals is told by the emitted module alone, which costs a start of PyTorch.
            forms = program if steps.has_constants(plan) else []
            answers.append(self.ask("emit", str(plan), *forms, "--out", str(self.folder)))
        if not answers[-1].get("error"):
            device = ["--device", self.options.device]
            answers.append(self.ask("build", str(self.folder), *device, "--out", str(library)))
        last = answers[-1]
        if last.get("error") or last["verdict"]["kind"] not in ("undecided", "ok"):
            return steps.judged(last)
        built = {"status": "ok", "sentence": "built, not verified", "verdict": None, "library": str(library)}
        return {**built, "tuner": steps.tuner_said(answers[0])} if self.options.tuning else built

    def wanted(self) -> list[str]:
        """Baselines that are timed here."""
        return [steps.BASELINES[name] for name in self.options.baseline if self.options.device == "gpu"]

    def compile_ahead(self) -> str:
        """Fills the compiler's cache: what is timed then waits for it little. Why there is nothing to time, if so."""
        if self.compiled.exists():
            answer = json.loads(self.compiled.read_text())
            self.seconds |= answer["seconds"]
            return answer["note"]
        others = [name for name in steps.ALL_BASELINES if name != "compile"]
        limit = min(self.options.compile_seconds + SETTLING_SECONDS, max(self.run.left(), 1))
        begin = time.monotonic()
        process = baselines.Process(self.task.path, self.log, "--math", self.options.math, "--compile-seconds",
                                    str(self.options.compile_seconds), "--when-told", without=others)
        try:
            process.answer(limit)  # that it is there
            with self.run.gate.compiling(process.child):
                notes = process.wait_until_ready(limit, {})
        finally:
            process.end()
        self.seconds["compile ahead"] = time.monotonic() - begin
        found = notes.get("compile", notes.get("error", "it said nothing"))
        note = found if isinstance(found, str) else ""
        if (self.options.build_first or self.options.pipeline) and self.run.left() > 0:
            # Others had memory of the GPU meanwhile: only what took too long is not tried again alone.
            note = note if any(word in note for word in TOO_LONG) else ""
            self.keep(self.compiled, {"note": note, "seconds": {"compile ahead": self.seconds["compile ahead"]}})
        return note

    def timed(self, order: dict) -> dict:
        failed = {"compile": self.compile_ahead()} if "compile" in self.wanted() else {}
        failed = {name: note for name, note in failed.items() if note}
        without = [name for name in steps.ALL_BASELINES if name not in self.wanted() or name in failed]
        limit = self.options.timing_seconds
        seconds = ["--compile-seconds", str(self.options.compile_seconds), "--sample-seconds",
                   str(self.options.sample_seconds), "--kernels-below", str(self.options.kernels_below)]
        seconds += ["--emulated"] if self.options.device == "emulated" else []
        process = baselines.Process(self.task.path, self.log, "--math", self.options.math, *seconds, "--when-told",
                                    "--asks", without=without, STITCHCUDA=os.path.realpath(self.options.binary))
        try:
            process.answer(limit)  # that it is there: PyTorch is loaded before the GPU is taken
            with self.run.gate.turn():
                begin = time.monotonic()
                if self.run.left() <= 0:
                    raise OutOfTime
                known = {name: us["median"] for name, us in self.run.known_baselines(self.task).items()}
                with self.run.gate.preparing(process.child):
                    notes = process.wait_until_ready(min(limit, self.run.left()), {**order, "known_us": known})
                times = notes if "error" in notes else self.sampled(process, limit)
                process.end()
                self.seconds["timing"] = time.monotonic() - begin
        finally:
            process.end()
        if "error" in times and self.run.left() <= 0:
            raise OutOfTime
        return self.measured(times, {**notes, **failed})

    def sampled(self, process: baselines.Process, limit: float) -> dict:
        """It asks before it takes samples; what is wrong is said at once."""
        times = process.answer(min(limit, self.run.left()))
        if "asks" not in times:
            return times
        with self.run.gate.quiet():
            return process.time({}, min(limit, self.run.left()))

    def measured(self, times: dict, notes: dict) -> dict:
        if "error" in times:
            slow, wrong = times.pop("is_slow", False), times.pop("is_wrong", False)
            status = "wrong" if wrong else "too slow" if slow else "failed"
            return {"status": status, "sentence": f"timing: {times.pop('error')}", **times}
        if self.options.no_verify:
            apart = times["difference"]
            how = "draws random numbers" if apart is None else f"is {apart:.1e} from eager on two draws, by the norm"
            times["sentence"] = f"not verified; {how}"
        if "us" not in times:
            return times
        us = {**self.run.known_baselines(self.task), **times["us"]}
        return {**times, "us": us, "baseline_notes": notes, **steps.compared(us)}


def driver_version() -> str | None:
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], text=True,
                              capture_output=True, check=False)
    except OSError:
        return None
    return (done.stdout.splitlines() or [None])[0]
