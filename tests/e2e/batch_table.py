#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which batches the programs of problems/ take on one binary: docs/batch.md, made anew or compared, by import and plan.

    tests/e2e/batch_table.py BUILD_FOLDER [--write] [NAME...]      Cost: about four minutes on two cores.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs" / "batch.md"
HEAD = """# The batch of the programs in problems/

Which batches each takes on one binary, or why it takes its declared one only. The batch is the first axis of the
inputs where that may change, else the first axis that may. `tests/e2e/batch_table.py BUILD --write` makes this table;
the end-to-end test compares it with what `optimize` plans.

| program | batch |
|---|---|
"""


def expected() -> dict[str, str]:
    """The table as it is."""
    lines = [line for line in TABLE.read_text().splitlines() if line.startswith("| ")]
    rows = [line.strip("| ").split(" | ") for line in lines]
    return {row[0]: row[1] for row in rows if row[0] != "program"}


def planned(build: pathlib.Path, program: pathlib.Path, folder: str) -> str:
    """What is said of the batch of a program."""
    graph, plan = pathlib.Path(folder) / "graph.ir", pathlib.Path(folder) / "plan.json"
    verbs = (["import", str(program), "--out", str(graph)], ["plan", str(graph), "--out", str(plan), "--json"])
    for arguments in verbs:
        done = subprocess.run([str(build / "stitchcuda"), *arguments], cwd=ROOT, text=True, capture_output=True,
                              timeout=900, check=False)
        if done.returncode != 0:
            return f"{arguments[0]} failed: {done.stderr[-300:].strip()}"
    return json.loads(done.stdout)["batch"]


def main() -> int:
    build, names = pathlib.Path(sys.argv[1]), [name for name in sys.argv[2:] if not name.startswith("--")]
    known = expected() if TABLE.is_file() else {}
    found = dict(known)
    with tempfile.TemporaryDirectory() as folder:
        for program in sorted((ROOT / "problems").glob("*.py")):
            if not names or program.stem in names:
                found[program.stem] = planned(build, program, folder)
                print(f"{program.stem}: {found[program.stem]}", flush=True)
    if "--write" in sys.argv:
        TABLE.write_text(HEAD + "".join(f"| {name} | {text} |\n" for name, text in sorted(found.items())))
        return 0
    wrong = [name for name in found if found[name] != known.get(name)]
    print(f"{len(found) - len(wrong)} as in docs/batch.md, {len(wrong)} not: {', '.join(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
