# SPDX-License-Identifier: Apache-2.0
"""`grpo`, `rft` and `value` whose answers a server draws: serve-model over the same base, and one that does not keep
its word. Cost: seconds.
"""
from __future__ import annotations

import contextlib
import http.client
import http.server
import json
import pathlib
import shutil
import subprocess
import threading
from collections.abc import Iterator

import pytest
from tiny_run import RULE, ask, config, metrics, rollouts, start


@pytest.fixture(scope="module")
def small(program, base) -> pathlib.Path:
    """A base on the disk, with its tokenizer: what a little fine-tuning leaves."""
    lines = [{"prompt_ids": [first], "response_ids": [67, 40 + first, 67, 50 + first, 67, 60 + first]}
             for first in range(3, 19)]  # every other letter an "a", so that there is something to reward at first
    (base / "one.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (base / "small.json").write_text(json.dumps({
        "run": "small", "model": {"config": "config.json", "seed": 1}, "steps": 24, "batch": 16,
        "data": {"train": "one.jsonl"}, "optimizer": {"learning_rate": 0.02}}))
    model = pathlib.Path(ask(program, "sft", base / "small.json")["checkpoint"]) / "model"
    shutil.copy(base / "tokenizer.json", model)
    return model


@contextlib.contextmanager
def served(program: pathlib.Path, model: pathlib.Path, folder: pathlib.Path) -> Iterator[str]:
    words = ["--model", model, "--name", "base", "--template", "chatml", "--token-file", folder / "token"]
    with subprocess.Popen([program, "serve-model", *words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        try:
            line = process.stderr.readline()
            assert line.startswith("listening on "), line + process.stderr.read()
            yield line.removeprefix("listening on ").split(";")[0]
        finally:
            process.kill()


@pytest.fixture(scope="module")
def url(program, base, small) -> Iterator[str]:
    with served(program, small, base) as url:
        yield url


def settings(base: pathlib.Path, run: str, model: pathlib.Path, url: str, **more: object) -> pathlib.Path:
    return config(base, run, **{
        "model": {"path": str(model)}, "lora": {"r": 8}, "optimizer": {"learning_rate": 0.05},
        "rollout": {"max_tokens": 8, "server": {"url": url, "token_file": "token"}}, **more})


def names(url: str) -> list[str]:
    connection = http.client.HTTPConnection(url.removeprefix("http://").removesuffix("/v1"), timeout=60)
    connection.request("GET", "/v1/models")
    return [model["id"] for model in json.loads(connection.getresponse().read())["data"]]


def test_a_policy_learns_from_what_a_server_draws(program, base, small, url):
    def run_of(url: str) -> pathlib.Path:
        return settings(base, "served", small, url, steps=6, checkpoint={"every": 4}, held_out={"every": 5},
                        prompts={"train": "prompts.jsonl", "held_out": "prompts.jsonl", "tokenizer": "tokenizer.json"})

    ask(program, "grpo", run_of(url))
    assert names(url) == ["base", "coder-v5"]
    _, first, *_, last = metrics(base, "served")
    assert last["reward"] > first["reward"] + 0.2, (first["reward"], last["reward"])
    assert last["held_out"]["reward"] > first["held_out"]["reward"]
    # Of the version that learns, and no other: its log-probabilities are the trainer's.
    assert all(line["mismatch"]["max"] < 1e-4 for line in metrics(base, "served")[1:])
    assert {path.name for path in (base / "served" / "served").iterdir()} == {"coder-v4", "coder-v5"}
    drawn = rollouts(base, "served", 6)
    assert len(drawn) == 32 and all(len(line["response_ids"]) == len(line["logp_rollout"]) for line in drawn)
    # It goes on behind a checkpoint, however the server is reached, and a name that was left there is loaded anew.
    shutil.rmtree(base / "served" / "ckpt" / "step-6")
    (base / "served" / "ckpt" / "LATEST").write_text("step-4\n")
    assert ask(program, "grpo", run_of(url.replace("127.0.0.1", "localhost")))["step"] == 6
    assert [line["step"] for line in metrics(base, "served")] == list(range(7))
    assert names(url) == ["base", "coder-v5"]


def test_answers_that_are_kept_and_valued_may_be_a_servers(program, base, small, url):
    """A policy that stands still is published once, as version 0, by rft and by value."""
    offline = {"algo": None, "steps": 2, "batch": 8, "draw": {"samples": 8, "prompts": 4}}
    kept = ask(program, "rft", settings(base, "served-rft", small, url, **offline, keep={"truncated": True},
                                        evaluator={**RULE, "pass_at": 0.25}))
    assert kept["kept"]["kept"] > 0 and kept["step"] == 2
    drawn = rollouts(base, "served-rft", 1)
    assert all(len(line["response_ids"]) == len(line["logp_rollout"]) for line in drawn)
    assert {path.name for path in (base / "served-rft" / "served").iterdir()} == {"coder-v0"}
    valued = ask(program, "value", settings(base, "served-value", small, url, **offline,
                                            value={"ev_gate": -9, "every": 1}))
    assert valued["gate"]["is_open"] and valued["drawn"]["samples"] == len(drawn) + len(rollouts(base, "served-rft", 2))
    assert "coder-v0" in names(url)
    # Once drawn, nobody asks the server again.
    shutil.rmtree(base / "served-rft" / "ckpt")
    again = ask(program, "rft", settings(base, "served-rft", small, "http://127.0.0.1:9/v1", **offline,
                                         keep={"truncated": True}, evaluator={**RULE, "pass_at": 0.25}))
    assert again["kept"] == kept["kept"]


def test_another_base_than_the_trainers_ends_the_run(program, base, small):
    (base / "strange.json").write_text(json.dumps({"run": "strange", "model": {"config": "config.json", "seed": 2},
                                                   "steps": 1, "data": {"train": "one.jsonl"}}))
    strange = pathlib.Path(ask(program, "sft", base / "strange.json")["checkpoint"]) / "model"
    shutil.copy(base / "tokenizer.json", strange)
    with served(program, strange, base) as url:
        done = start(program, "grpo", settings(base, "elsewhere", small, url))
        assert "the version coder-v0 is another there: sampler and trainer differ" in done.stderr and done.returncode
        assert not (base / "elsewhere" / "rollouts").exists()


class Liar(http.server.BaseHTTPRequestHandler):
    """Passes all on to a server that keeps its word, and changes completions that were drawn."""
    target = ""
    change = staticmethod(lambda choice: None)

    def log_message(self, *_: object) -> None:
        pass

    def pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or None
        connection = http.client.HTTPConnection(self.target, timeout=60)
        connection.request(self.command, self.path, body, {"Authorization": self.headers["Authorization"]})
        response = connection.getresponse()
        answer = json.loads(response.read())
        if self.path.endswith("/completions") and not json.loads(body).get("echo"):
            type(self).change(answer["choices"][0])
        told = json.dumps(answer).encode()
        self.send_response(response.status)
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    do_GET = do_POST = pass_on


@pytest.mark.parametrize(("run", "change", "sentence"), [
    ("no-ids", lambda choice: choice.pop("token_ids"), "its token_ids are no list"),
    ("shorter", lambda choice: choice["logprobs"]["token_logprobs"].pop(), "log-probabilities of"),
    ("retokenised", lambda choice: choice["prompt_token_ids"].append(1), "prompt_token_ids are not the prompt's"),
], ids=["no-ids", "shorter", "retokenised"])
def test_what_cannot_be_learned_from_ends_the_run(program, base, small, url, run, change, sentence):
    liar = type("Changed", (Liar,), {"target": url.removeprefix("http://").removesuffix("/v1"),
                                     "change": staticmethod(change)})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), liar) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        done = start(program, "grpo", settings(base, run, small, f"http://127.0.0.1:{server.server_port}/v1"))
        server.shutdown()
    assert done.returncode != 0 and sentence in done.stderr, done.stderr
    assert len(metrics(base, run)) == 1  # of what was there at first: no step was learned


def test_what_it_cannot_do_is_told_before_anything_is_drawn(program, base, small):
    def told(verb: str, path: pathlib.Path) -> str:
        done = start(program, verb, path)
        assert done.returncode == 2, done.stderr
        return done.stderr

    url = "http://127.0.0.1:9/v1"
    assert "to which adapters are published" in told("grpo", settings(base, "whole", small, url, lora=None))
    assert "to which adapters are published" in told(
        "rft", settings(base, "whole-rft", small, url, lora=None, algo=None))
    assert "'rollout.server.ulr' is no key" in told("grpo", settings(
        base, "mistyped", small, url, rollout={"server": {"url": url, "ulr": url}}))
