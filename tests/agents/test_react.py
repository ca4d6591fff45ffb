# SPDX-License-Identifier: Apache-2.0
"""optimize --coder react: a model with tools in a workspace, judged from outside. About 25 seconds of one core."""

from __future__ import annotations

import collections
import json
import pathlib
import signal
import subprocess
import time

import pytest

from .conftest import Workplace
from .react_model import ReactModel, numbered_text

# The expert takes two launches where one is enough for so few samples.
SOURCE = """
import torch

class Model(torch.nn.Module):
    def forward(self, x, target):
        return torch.nn.functional.nll_loss(x, target)

def get_inputs():
    return [torch.randn(32, 10), torch.randint(0, 10, (32,))]

def get_init_inputs():
    return []
"""
STEP = "expert/steps/00_nll_loss_nd.cu"
ON_PROGRAM = {"folder": "expert"}
FINISH = ("finish", {"summary": "one launch"})


@pytest.fixture
def place(tmp_path: pathlib.Path) -> Workplace:
    (tmp_path / "model.py").write_text(SOURCE)
    return Workplace(tmp_path)


KERNEL = """
template <typename Load, typename Store>
__global__ void sum_in_one(Load load, Store store, int64_t samples) {
  stitch::WeightedLoss total{0.0f, 0.0f};
  for (int64_t sample = threadIdx.x; sample < samples; sample += 32) {
    const stitch::WeightedLoss one = load(sample);
    total.loss += one.loss;
    total.weight += one.weight;
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    total.loss += __shfl_xor_sync(0xffffffffu, total.loss, distance);
    total.weight += __shfl_xor_sync(0xffffffffu, total.weight, distance);
  }
  if (threadIdx.x == 0) {
    store(total);
  }
}

}  // namespace
"""


def one_launch(text: str) -> str:
    head, call, _ = text.partition("  return stitch::launch_weighted_sum")
    assert call and "\n}  // namespace\n" in head
    launch = ("  sum_in_one<<<1, 32, 0, stream>>>(load, store, extents.samples);\n"
              "  return static_cast<int>(cudaGetLastError());\n}\n")
    return head.replace("\n}  // namespace\n", KERNEL) + launch


def shell(command: str, **more) -> tuple[str, dict]:
    return "shell", {"command": command, **more}


def react(place: Workplace, model: ReactModel, *more: str):
    with model.server() as server:
        return place.optimize("--coder", "react", "--llm", server.url, "--model", "m", *more)


def winning(knows_tools: bool = True) -> ReactModel:
    return ReactModel(("read", {"path": STEP}),
                      lambda last: ("write", {"path": STEP, "content": one_launch(numbered_text(last))}),
                      ("compile", ON_PROGRAM), ("verify", ON_PROGRAM), FINISH, knows_tools=knows_tools)


def works_left(place: Workplace) -> list[pathlib.Path]:
    return [path for run in place.runs for path in run.glob("session*")]


@pytest.mark.parametrize("knows_tools", [True, False])
def test_a_model_that_reads_writes_and_verifies_wins(place: Workplace, knows_tools: bool) -> None:
    model = winning(knows_tools)
    ended = react(place, model, "--turns", "20")
    assert ended.status == 0, ended.error
    assert ended.json["verdict"]["kind"] == "ok"
    agents = ended.json["agents"]
    assert [each["author"] for each in agents["steps"]] == ["m"], (agents, model.results)
    assert agents["session"]["turns"] == 5 and "handed in" in agents["session"]["ended"]
    assert "sum_in_one<<<" in (place.out / "steps" / "00_nll_loss_nd.cu").read_text()
    assert "compiles" in model.results[3] and "<material" in model.results[1]
    assert not works_left(place)
    run = place.runs[0].name
    assert place.command("runs", "replay", run, "--json").status == 0
    samples = [json.loads(line) for line in place.command("runs", "export", run).json["text"].splitlines()]
    assert [sample["role"] for sample in samples] == ["coder"] * 5


def escaping(place: Workplace) -> ReactModel:
    secret = place.folder / "secret"
    secret.write_text("hidden words")
    rewritten = "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x\n"
    return ReactModel(
        ("read", {"path": str(secret)}), ("read", {"path": "../../../../secret"}),
        shell(f"ln -s {secret} link; ln -s / all; cat {secret}; cat {place.folder}/model.py"),
        ("read", {"path": "link"}), ("write", {"path": "all/tmp/stitch-escaped", "content": "x"}),
        shell(f"echo x > {secret}; echo x > {place.folder}/state/fake; touch /usr/escaped"),
        shell("python3 -c \"import socket; socket.create_connection(('127.0.0.1', 80), 2)\"; "
              "python3 -c \"import socket; socket.create_connection(('1.1.1.1', 53), 2)\""),
        shell("bomb() { bomb | bomb & }; bomb; sleep 1; echo survived", timeout_s=5),
        shell("sleep 1000; echo late", background=True),
        shell("echo '{\"verdict\": {\"kind\": \"ok\"}}' > expert/evidence/verify.json; rm expert/task.json; "
              f"printf '%s' '{rewritten}' > program.py; echo spoilt > $(find expert -name step.h); "
              f"echo 'int broken(' > {STEP}"),
        ("verify", ON_PROGRAM), ("shell_output", {"number": 1}), ("shell_output", {"number": 7}),
        ("edit", {"path": STEP}), ("nonsense", {}), FINISH)


def test_one_that_tries_to_escape_changes_nothing(place: Workplace) -> None:
    model = escaping(place)
    before = subprocess.run(["pgrep", "-fc", "sleep 1000"], capture_output=True, text=True, check=False).stdout
    ended = react(place, model)
    assert ended.status == 0, ended.error
    heard = model.results
    assert all("leads out" in heard[turn] for turn in (1, 2)), heard
    assert "hidden words" not in "".join(heard.values()) and "nll_loss(x, target)" not in heard[3]
    assert "links are not followed" in heard[4] and "links are not followed" in heard[5]
    assert not pathlib.Path("/tmp/stitch-escaped").exists() and not pathlib.Path("/usr/escaped").exists()
    assert (place.folder / "secret").read_text() == "hidden words" and not (place.folder / "state" / "fake").exists()
    assert heard[7].count("Error") >= 2, heard[7]
    assert "took too long" in heard[8] or "status" in heard[8]
    # What judges was not touched, and the step's file, which was spoilt, is what is judged.
    assert "00_nll_loss_nd.cu:1: expected" in heard[11] and "spoilt" not in heard[11], heard[11]
    assert "still running" in heard[12] and "no process" in heard[13]
    assert "is missing" in heard[14] and "no tool" in heard[15]
    after = subprocess.run(["pgrep", "-fc", "sleep 1000"], capture_output=True, text=True, check=False).stdout
    assert after == before, "what ran in the background goes on"
    agents = ended.json["agents"]
    assert [each["author"] for each in agents["steps"]] == ["expert"]
    assert agents["session"]["files_taken_as_they_were"] >= 3
    assert place.state()["attempts"][0]["outcome"] == "not_compiled"
    assert not works_left(place)


def test_one_whose_turns_are_over_is_judged_by_what_it_had_verified(place: Workplace) -> None:
    model = ReactModel(("read", {"path": STEP}),
                       lambda last: ("write", {"path": STEP, "content": one_launch(numbered_text(last))}),
                       ("verify", ON_PROGRAM),
                       ("edit", {"path": STEP, "old": "samples);\n", "new": "samples\n"}), "I think.", shell("ls"))
    ended = react(place, model, "--turns", "6")
    assert ended.status == 0, ended.error
    session = ended.json["agents"]["session"]
    assert session["turns"] == 6 and "turns were over" in session["ended"]
    assert [each["outcome"] for each in place.state()["attempts"]] == ["not_compiled", "right"]
    assert [each["author"] for each in ended.json["agents"]["steps"]] == ["m"]


def test_a_budget_ends_it_and_words_alone_do_too(place: Workplace) -> None:
    idle = ReactModel("I think about it.")
    ended = react(place, idle)
    assert ended.status == 0 and "called no tool" in ended.json["agents"]["session"]["ended"]
    assert len(idle.asked) == 5
    poor = ReactModel(("glob", {"pattern": "**/*.cu"}), prompt_tokens=9000)
    ended = react(place.beside("poor"), poor, "--max-tokens", "90000")
    assert ended.status == 0 and "tokens" in ended.json["agents"]["session"]["ended"]
    assert 1 <= len(poor.asked) < 10


def test_killed_in_between_it_goes_on_with_the_same_files(place: Workplace) -> None:
    killed = ReactModel(("read", {"path": STEP}),
                        lambda last: ("write", {"path": STEP, "content": one_launch(numbered_text(last))}),
                        shell("echo one >> notes; cat notes"), shell("echo two >> notes; cat notes"),
                        ("compile", ON_PROGRAM), shell("cat notes"), FINISH)
    with killed.server() as server:
        words = place.words("--coder", "react", "--llm", server.url, "--model", "m")
        for least in (3, 5):
            process = place.start(*words)
            while len(killed.asked) < least and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            assert process.returncode == -signal.SIGKILL
            words = ["runs", "resume", place.runs[0].name, "--json"]
        ended = place.command(*words)
    assert ended.status == 0, ended.error
    assert "one\ntwo\n" in killed.results[6] and killed.results[6].count("one") == 1
    # A request may be sent again only where the kill may have come before its answer was kept; none is another one.
    sent = collections.Counter(sum(each["role"] == "assistant" for each in body["messages"]) for body in killed.asked)
    assert len({json.dumps(body) for body in killed.asked}) == len(sent) == 7
    assert sum(count - 1 for count in sent.values()) <= 2, "an answered request was sent again"
    assert [each["author"] for each in ended.json["agents"]["steps"]] == ["m"]


def test_the_expert_answers_by_rule(place: Workplace) -> None:
    ended = place.optimize("--system", "react", "--model", "expert:faults=0.3")
    assert ended.status == 0, ended.error
    assert ended.json["verdict"]["kind"] == "ok" and ended.json["agents"]["session"]["turns"] > 3


def test_calls_of_one_answer_are_made_in_turn_and_results_know_theirs(place: Workplace) -> None:
    several = [shell("echo one > a"), shell("cat a"), ("nonsense", {}), ("read", {}),
               *[shell(f"echo {number} >> b") for number in range(6)]]
    model = ReactModel(several, shell("cat b"), FINISH)
    ended = react(place, model)
    assert ended.status == 0, ended.error
    *_, asked, last = (body["messages"] for body in model.asked[:2])
    answer, *results = last[len(asked):]
    ids = [call["id"] for call in answer["tool_calls"]]
    assert len(set(ids)) == 8 and [each["tool_call_id"] for each in results[:8]] == ids
    assert "one" in results[1]["content"] and "no tool" in results[2]["content"]
    assert "is missing" in results[3]["content"]
    assert results[8]["role"] == "user" and "2 more calls of that answer were not made" in results[8]["content"]
    assert "0\n1\n2\n3\n" in model.results[2] and "4\n" not in model.results[2]
