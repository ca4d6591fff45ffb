# SPDX-License-Identifier: Apache-2.0
"""`stitchcuda-train chain`: a tiny model goes through sft, rft, value and ppo by one configuration, is killed in each,
and stops where a gate is shut. Cost: seconds.
"""
from __future__ import annotations

import json
import pathlib
import signal
import subprocess
import time

import pytest
from tiny_run import RULE, ask, start

RIGHT = {**RULE, "pass_at": 0.1}
PROMPTS = {"train": "prompts.jsonl", "tokenizer": "tokenizer.json"}


def stages(prefix: str, ev_gate: float = -100) -> list[dict]:
    common = {"optimizer": {"learning_rate": 0.01}, "checkpoint": {"every": 2}}
    draws = {"prompts": PROMPTS, "rollout": {"max_tokens": 6}, "evaluator": RIGHT}
    return [
        {"name": "sft", "verb": "sft", "run": f"{prefix}/sft", "steps": 8,
         "model": {"config": "config.json", "seed": 1}, "lora": {"r": 4}, "data": {"train": "answers.jsonl"},
         "gate": {"key": "last.loss", "most": 6}, **common},
        {"name": "rft", "verb": "rft", "run": f"{prefix}/rft", "steps": 6, "batch": 4,
         "keep": {"truncated": True},
         "model": {"config": "config.json", "seed": 1, "adapter": "{sft}/adapter"},
         "draw": {"samples": 16, "prompts": 2},
         "gate": {"key": "kept.kept", "least": 2}, **draws, **common},
        {"name": "value", "verb": "value", "run": f"{prefix}/value", "steps": 6, "batch": 8,
         "model": {"config": "config.json", "seed": 1, "adapter": "{rft}/adapter"},
         "data": {"rollouts": ["{rft.run}/rollouts"]}, "value": {"ev_gate": ev_gate, "every": 3}, **common},
        {"name": "ppo", "verb": "ppo", "run": f"{prefix}/ppo", "steps": 4, "ppo": {"critic": "{value}"},
         "model": {"config": "config.json", "seed": 1, "adapter": "{rft}/adapter"},
         "algo": {"prompts_per_step": 3, "group_size": 2}, **draws, **common},
    ]


def write(base: pathlib.Path, name: str, chain: list[dict]) -> pathlib.Path:
    answers = [{"prompt_ids": [10 + i], "response_ids": [40 + i, 41 + i]} for i in range(8)]
    if not (base / "answers.jsonl").exists():
        letter = json.loads((base / "tokenizer.json").read_text())["model"]["vocab"]["a"]
        lines = [{**line, "response_ids": [letter, *line["response_ids"]]} for line in answers]
        (base / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (base / f"{name}.json").write_text(json.dumps({"stages": chain}))
    return base / f"{name}.json"


def kill_when(program: pathlib.Path, path: pathlib.Path, file: pathlib.Path, lines: int) -> None:
    with subprocess.Popen([program, "chain", "--config", path], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            if file.exists() and file.read_bytes().count(b"\n") >= lines:
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.001)
    assert process.returncode == -signal.SIGKILL, file


def files_of(folder: pathlib.Path) -> dict[str, bytes]:
    names = ("ckpt/*/*/*.safetensors", "ckpt/*/*.safetensors", "metrics.jsonl", "rollouts/*.jsonl", "lessons.jsonl")
    return {str(path.relative_to(folder)): path.read_bytes() for name in names for path in folder.glob(f"*/{name}")}


def test_a_chain_that_is_killed_in_each_stage_ends_at_the_same_bits(program, base):
    whole = ask(program, "chain", write(base, "whole", stages("whole/all", -100)))
    assert [stage["name"] for stage in whole["stages"]] == ["sft", "rft", "value", "ppo"]
    assert whole["gate"] == {"is_open": True} and not any(stage["was_done"] for stage in whole["stages"])
    path = write(base, "killed", stages("killed/all", -100))
    run = base / "killed" / "all"
    kill_when(program, path, run / "sft" / "metrics.jsonl", 4)
    kill_when(program, path, run / "rft" / "rollouts" / "step-1.jsonl", 1)
    kill_when(program, path, run / "rft" / "metrics.jsonl", 4)
    kill_when(program, path, run / "ppo" / "metrics.jsonl", 2)
    done = start(program, "chain", path)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [stage["was_done"] for stage in answer["stages"]] == [True, True, True, False]
    found, wanted = files_of(run), files_of(base / "whole" / "all")
    assert found.keys() == wanted.keys() and len(wanted) > 12
    assert [name for name in wanted if found[name] != wanted[name]] == []
    # Asked once more, it does nothing, and says the same.
    again = ask(program, "chain", path)
    assert all(stage["was_done"] for stage in again["stages"])
    assert [stage["answer"] for stage in again["stages"]] == [stage["answer"] for stage in answer["stages"]]
    # Another first stage makes other later ones: their runs are not gone on with.
    other = stages("killed/all", -100)
    other[0]["run"], other[0]["steps"] = "killed/other", 9
    done = start(program, "chain", write(base, "other", other))
    assert done.returncode == 2 and "stage rft was begun with other keys, or behind other stages" in done.stderr


def test_a_chain_stops_behind_a_gate_that_is_shut(program, base):
    chain = stages("gated", ev_gate=1)
    done = start(program, "chain", write(base, "gated", chain))
    assert done.returncode == 1 and "the chain stops behind stage value: after 6 steps the critic" in done.stderr
    answer = json.loads(done.stdout)
    assert answer["gate"]["stage"] == "value" and len(answer["stages"]) == 3
    assert not (base / "gated" / "ppo").exists()
    # A stage's own gate is asked again, since it changes nothing that was trained.
    chain[1]["gate"] = {"key": "kept.kept", "least": 10000}
    done = start(program, "chain", write(base, "gated", chain))
    assert done.returncode == 1 and "behind stage rft: 'kept.kept' of its answer is" in done.stderr


@pytest.mark.parametrize(("stage", "more", "what"), [
    (3, {"ppo": {"critic": "{critic}"}}, "'{critic}' names no stage before this one"),
    (0, {"data": {"train": "{ppo.run}/rollouts/step-1.jsonl"}}, "names no stage before this one"),
    (1, {"run": "wrong/sft"}, "'run' is \"wrong/sft\", as that of an earlier stage"),
    (2, {"value": {}}, "'value.ev_gate' is missing"),
    (1, {"gate": {"least": 1}}, "'gate' is not"),
    (3, {"algo": {"group_sise": 2}}, "'algo.group_size' was probably meant"),
])
def test_what_is_wrong_is_told_before_anything_runs(program, base, stage, more, what):
    chain = stages("wrong")
    chain[stage] |= more
    done = start(program, "chain", write(base, "wrong", chain))
    assert done.returncode == 2 and what in done.stderr and f"stage {stage + 1}" in done.stderr
    assert not (base / "wrong").exists()


def test_a_single_stage_is_no_chain(program, base):
    (base / "single.json").write_text(json.dumps({"run": "r", "steps": 1, "model": {"config": "config.json"},
                                                  "data": {"train": "answers.jsonl"}}))
    done = start(program, "chain", base / "single.json")
    assert done.returncode == 2 and "the configuration is no chain: it has no 'stages'" in done.stderr


def page_data(folder: pathlib.Path) -> dict:
    text = (folder / "report.html").read_text()
    return json.loads(text.split('id="data">', 1)[1].split("</script>", 1)[0])


def test_the_page_of_a_stage_has_the_stages_before_it(program, base):
    answer = ask(program, "chain", write(base, "paged", stages("paged/all")))
    run = base / "paged" / "all"
    assert [stage["answer"]["report"] for stage in answer["stages"]] == [
        str(run / name / "report.html") for name in ("sft", "rft", "value", "ppo")]
    assert [stage["name"] for stage in page_data(run / "sft")["stages"]] == ["sft"]
    data = page_data(run / "ppo")
    assert [(stage["name"], stage["verb"]) for stage in data["stages"]] == [
        (name, name) for name in ("sft", "rft", "value", "ppo")]
    loss = next(plot for plot in data["plots"] if plot["id"] == "loss")["curves"][0]["points"]
    steps = [json.loads(line) for line in (run / "sft" / "metrics.jsonl").read_text().splitlines()]
    assert loss[:8] == [[line["step"], line["loss"]] for line in steps if line["step"] > 0] and loss[8][1] is None
    first = json.loads((run / "ppo" / "metrics.jsonl").read_text().splitlines()[1])
    assert first["advantage"]["lowest"] <= first["advantage"]["mean"] <= first["advantage"]["highest"]
    ids = {plot["id"] for plot in data["plots"]}
    assert {"reward", "pass", "hack", "entropy", "kl", "clipped", "ratio", "length", "advantage", "explained"} <= ids
