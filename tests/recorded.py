# SPDX-License-Identifier: Apache-2.0
"""Many verdicts, some at a time, each written down as it comes: a run that is cut short goes on where it was."""
from __future__ import annotations

import concurrent.futures
import contextlib
import json
import os
import pathlib
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator

import preloaded


class Record:
    """OUT/results.jsonl, a line a verdict. `keys`: the fields of a line that say what was judged. What had no verdict
    ("none" for its kind) is judged again by the next run."""

    def __init__(self, out: pathlib.Path, keys: tuple[str, ...]) -> None:
        out.mkdir(parents=True, exist_ok=True)
        self.file = out / "results.jsonl"
        self.keys = keys
        self.lock = threading.Lock()
        lines = self.file.read_text().splitlines() if self.file.exists() else []
        self.results = [each for each in map(json.loads, lines) if each["kind"] != "none"]

    def lacks(self, wanted: Iterable[tuple]) -> list[tuple]:
        """Those that are not there yet, in the order given."""
        done = {tuple(each[key] for key in self.keys) for each in self.results}
        return [each for each in wanted if each not in done]

    def fill(self, wanted: Iterable[tuple], judge: Callable[..., dict], jobs: int, show: Callable[[dict], str]) -> None:
        """`judge(*each)` of all that are not there; a line is printed where `show` of its result has one."""

        def work(each: tuple) -> None:
            result = dict(zip(self.keys, each)) | judge(*each)
            with self.lock, self.file.open("a") as file:
                file.write(json.dumps(result) + "\n")
                self.results.append(result)
                line = show(result)
                if line:
                    print(f"{len(self.results)}: {line}", flush=True)

        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for done in [pool.submit(work, each) for each in self.lacks(wanted)]:
                done.result()


@contextlib.contextmanager
def loaded_python() -> Iterator[str]:
    """The program to name as STITCHCUDA_PYTHON. The Python side is this tree's, whatever build is judged by: where it
    lies elsewhere, STITCHCUDA_RESOURCES names this tree."""
    os.environ.setdefault("STITCHCUDA_RESOURCES", str(preloaded.ROOT))
    with tempfile.TemporaryDirectory(prefix="loaded-") as folder:
        process, program = preloaded.start(pathlib.Path(folder))
        yield str(program)
        process.stdin.close()
        process.wait()
