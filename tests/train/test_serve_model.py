# SPDX-License-Identifier: Apache-2.0
"""`serve-model` over a tiny Llama of random weights: what is asked of it over HTTP, and its end. Cost: seconds."""
from __future__ import annotations

import concurrent.futures
import contextlib
import http.client
import json
import math
import pathlib
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator

import pytest

MODEL = {"model_type": "llama", "vocab_size": 262, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
         "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 4096, "rms_norm_eps": 1e-6,
         "rope_theta": 10000.0, "tie_word_embeddings": True, "hidden_act": "silu", "bos_token_id": 0, "eos_token_id": 0}
SCHEMA = {"type": "object", "properties": {"tool": {"enum": ["read", "run"]}, "lines": {"type": "integer", "minimum": 1,
                                                                                     "maximum": 99}},
          "required": ["tool", "lines"], "additionalProperties": False}
FORMAT = {"type": "json_schema", "json_schema": {"name": "step", "schema": SCHEMA}}


@pytest.fixture(scope="module")
def folder(train_tokenizer, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("served")
    (folder / "model.json").write_text(json.dumps(MODEL))
    train_tokenizer(folder / "tokenizer.json", ["ab ab ab user assistant system"], MODEL["vocab_size"])
    (folder / "serve.json").write_text("""{ // any port that is free
        "model": {"config": "model.json", "seed": 1}, "name": "tiny", "tokenizer": "tokenizer.json",
        "template": "chatml", "token_file": "token" }""")
    return folder


@contextlib.contextmanager
def served(program: pathlib.Path, folder: pathlib.Path) -> Iterator[tuple[subprocess.Popen, int]]:
    with subprocess.Popen([program, "serve-model", "--config", folder / "serve.json"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            line = process.stderr.readline()
            assert line.startswith("listening on http://127.0.0.1:"), line + process.stderr.read()
            assert "models: tiny;" in line and str(folder / "token") in line
            yield process, int(line.split("/v1;")[0].rsplit(":", 1)[1])
        finally:
            process.kill()


@pytest.fixture(scope="module")
def port(program: pathlib.Path, folder: pathlib.Path) -> Iterator[int]:
    with served(program, folder) as (_, port):
        yield port


def begin(port: int, path: str, body: dict | None, **headers: str) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET" if body is None else "POST", path, None if body is None else json.dumps(body), headers)
    return connection


def ask(port: int, path: str, body: dict | None = None, **headers: str) -> tuple[int, dict]:
    with contextlib.closing(begin(port, path, body, **headers)) as connection:
        response = connection.getresponse()
        return response.status, json.loads(response.read())


def chat(**members: object) -> dict:
    return {"model": "tiny", "messages": [{"role": "user", "content": "ab"}], "max_tokens": 8, "seed": 1, **members}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_schema_is_obeyed_by_weights_that_know_nothing(port, seed):
    status, answer = ask(port, "/v1/chat/completions", chat(response_format=FORMAT, seed=seed, max_tokens=200))
    assert status == 200, answer
    choice = answer["choices"][0]
    step = json.loads(choice["message"]["content"])
    assert set(step) == {"tool", "lines"} and step["tool"] in ("read", "run") and 1 <= step["lines"] <= 99
    assert choice["finish_reason"] == "stop" and answer["usage"]["completion_tokens"] <= 200


def test_what_is_drawn_is_what_the_trainer_scores(port):
    """The same seed gives the same tokens; their log-probabilities are those of one pass over all of them."""
    asked = chat(logprobs=True, return_token_ids=True)
    first, again = (ask(port, "/v1/chat/completions", asked)[1] for _ in range(2))
    assert first["choices"] == again["choices"] and first["choices"] != ask(
        port, "/v1/chat/completions", {**asked, "seed": 2})[1]["choices"]
    drawn = [token["logprob"] for token in first["choices"][0]["logprobs"]["content"]]
    ids = first["choices"][0]["token_ids"]
    assert len(drawn) == len(ids) > 0
    status, echoed = ask(port, "/v1/completions", {"model": "tiny", "prompt": first["prompt_token_ids"] + ids,
                                                   "echo": True, "max_tokens": 0, "logprobs": 0})
    assert status == 200, echoed
    scored = echoed["choices"][0]["logprobs"]["token_logprobs"]
    assert scored[0] is None and scored[-len(ids):] == pytest.approx(drawn, abs=1e-5)


def test_requests_that_come_together_are_answered_as_alone(port, served_adapter):
    """Greedy and drawn, with a schema and without, of both versions, several of one: each as if nobody else asked."""
    bodies = [chat(seed=seed, max_tokens=20 + 7 * seed, temperature=seed % 3 / 2, top_p=1 - seed % 2 / 10,
                   model=served_adapter if seed % 4 == 1 else "tiny", logprobs=True, return_token_ids=True,
                   **{"n": 3} if seed == 5 else {}, **{"response_format": FORMAT} if seed == 6 else {})
              for seed in range(12)]
    alone = [ask(port, "/v1/chat/completions", body) for body in bodies]
    with concurrent.futures.ThreadPoolExecutor(len(bodies)) as pool:
        together = list(pool.map(lambda body: ask(port, "/v1/chat/completions", body), bodies))

    def told(answer: dict) -> list:
        return [(answer["model"], choice["message"]["content"], choice["token_ids"], choice["finish_reason"])
                for choice in answer["choices"]]

    def log_probs(answer: dict) -> list:
        return [token["logprob"] for choice in answer["choices"] for token in choice["logprobs"]["content"]]

    for (status, first), (same, second) in zip(alone, together, strict=True):
        assert (status, same) == (200, 200), (first, second)
        assert told(first) == told(second)
        assert log_probs(first) == pytest.approx(log_probs(second), abs=1e-5)
    drawn = [answer for body, (_, answer) in zip(bodies, alone, strict=True) if body["temperature"] > 0]
    assert len({str(told(answer)) for answer in drawn}) == len(drawn)


def test_who_comes_later_and_asks_for_less_need_not_wait(port):
    with contextlib.closing(begin(port, "/v1/chat/completions", chat(stream=True, max_tokens=4000))) as connection:
        stream = connection.getresponse()
        assert stream.readline()
        assert ask(port, "/v1/chat/completions", chat())[0] == 200
        assert b"[DONE]" not in stream.read1(1 << 20)  # what was sent meanwhile: it goes on


def test_a_long_prompt_lets_others_go_on(port):
    """Seven pieces of 512 tokens, and between two of them a token of whoever is drawn for."""
    prompt = [3 + place * 7 % 250 for place in range(3500)]
    asked = {"model": "tiny", "prompt": prompt, "max_tokens": 2, "seed": 4, "logprobs": 0, "return_token_ids": True}
    with contextlib.closing(begin(port, "/v1/chat/completions", chat(stream=True, max_tokens=4000))) as connection:
        stream = connection.getresponse()
        events: list[bytes] = []
        reader = threading.Thread(target=lambda: events.extend(iter(stream.readline, b"")), daemon=True)
        reader.start()
        while not events:
            time.sleep(0.01)
        before = sum(line.startswith(b"data") for line in list(events))
        status, answer = ask(port, "/v1/completions", asked)
        assert status == 200 and sum(line.startswith(b"data") for line in list(events)) >= before + 6, answer
        connection.sock.shutdown(socket.SHUT_RDWR)
        reader.join(timeout=60)
    ids, drawn = answer["choices"][0]["token_ids"], answer["choices"][0]["logprobs"]["token_logprobs"]
    _, echoed = ask(port, "/v1/completions", {"model": "tiny", "prompt": prompt + ids, "echo": True, "max_tokens": 0,
                                              "logprobs": 0})
    assert echoed["choices"][0]["logprobs"]["token_logprobs"][-len(ids):] == pytest.approx(drawn, abs=1e-5)


def test_a_trainers_request_is_answered_with_all_that_it_checks(port, served_adapter):
    """Each sampling key, as no server of ours fills gaps by another's defaults."""
    asked = {"model": served_adapter, "prompt": [1, 5, 9], "max_tokens": 12, "n": 4, "temperature": 1, "top_p": 1,
             "top_k": -1, "seed": 3, "logprobs": 1, "return_token_ids": True, "stop_token_ids": [70],
             "skip_special_tokens": False}
    status, answer = ask(port, "/v1/completions", asked)
    assert status == 200 and answer["model"] == served_adapter and len(answer["choices"]) == 4, answer
    for choice in answer["choices"]:
        ids, log_probs = choice["token_ids"], choice["logprobs"]["token_logprobs"]
        assert choice["prompt_token_ids"] == [1, 5, 9] and len(ids) == len(log_probs) > 0
        assert all(math.isfinite(value) and value <= 0 for value in log_probs)
        assert (choice["finish_reason"] == "stop") == (ids[-1] in (0, 2, 70))


def test_a_stream_tells_what_a_whole_answer_holds(port):
    whole = ask(port, "/v1/chat/completions", chat())[1]["choices"][0]["message"]["content"]
    with contextlib.closing(begin(port, "/v1/chat/completions", chat(stream=True))) as connection:
        response = connection.getresponse()
        assert response.getheader("Content-Type") == "text/event-stream"
        events = [line.removeprefix("data: ") for line in response.read().decode().split("\n\n") if line]
    assert events.pop() == "[DONE]"
    deltas = [json.loads(event)["choices"][0]["delta"].get("content", "") for event in events]
    assert "".join(deltas) == whole


def test_refusals_are_sentences(port):
    status, answer = ask(port, "/v1/chat/completions", chat(max_tokens=5000))
    assert status == 400 and answer["error"]["code"] == "context_length_exceeded"
    status, answer = ask(port, "/v1/chat/completions", chat(model="large"))
    assert status == 404 and answer["error"]["message"] == "there is no model 'large'; there are tiny"
    assert ask(port, "/v1/load_lora_adapter", {"lora_name": "a", "lora_path": "b"})[0] == 401
    assert ask(port, "/v1/models")[1]["data"][0]["id"] == "tiny"


@pytest.fixture(scope="module")
def adapter(program: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """Of that very base, which learnt to write a's."""
    lines = [{"prompt_ids": [1, first], "response_ids": [67] * 8} for first in range(3, 19)]
    (folder / "lessons.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "sft.json").write_text(json.dumps(
        {"run": "sft", "model": {"config": "model.json", "seed": 1}, "steps": 40, "batch": 16, "lora": {"r": 4},
         "data": {"train": "lessons.jsonl"}, "optimizer": {"learning_rate": 0.05}}))
    done = subprocess.run([program, "sft", "--config", folder / "sft.json"], capture_output=True, text=True, check=True)
    return pathlib.Path(folder / json.loads(done.stdout)["checkpoint"]) / "adapter"


@pytest.fixture
def served_adapter(port, folder, adapter) -> Iterator[str]:
    token = {"Authorization": "Bearer " + (folder / "token").read_text().strip()}
    assert ask(port, "/v1/load_lora_adapter", {"lora_name": "a's", "lora_path": str(adapter)}, **token)[0] == 400
    assert ask(port, "/v1/load_lora_adapter", {"lora_name": "as", "lora_path": str(adapter)}, **token)[0] == 200
    yield "as"
    assert ask(port, "/v1/unload_lora_adapter", {"lora_name": "as"}, **token)[0] == 200


def test_an_answer_ends_with_the_version_that_it_began_with(port, folder, served_adapter, adapter):
    token = {"Authorization": "Bearer " + (folder / "token").read_text().strip()}
    body = chat(model=served_adapter, stream=True, max_tokens=600, temperature=0)
    with contextlib.closing(begin(port, "/v1/chat/completions", body)) as connection:
        stream = connection.getresponse()
        first = stream.readline()
        assert ask(port, "/v1/unload_lora_adapter", {"lora_name": served_adapter}, **token)[0] == 200
        assert ask(port, "/v1/chat/completions", chat(model=served_adapter))[0] == 404
        events = [json.loads(line[6:]) for line in [first, *stream.read().split(b"\n")] if line.startswith(b"data: {")]
    assert {event["model"] for event in events} == {served_adapter}
    assert events[-1]["choices"][0]["finish_reason"] in ("stop", "length"), events[-1]
    again = {"lora_name": served_adapter, "lora_path": str(adapter)}
    assert ask(port, "/v1/load_lora_adapter", again, **token)[0] == 200


def test_adapters_come_and_go_beside_their_base(port, folder, adapter):
    token = {"Authorization": "Bearer " + (folder / "token").read_text().strip()}
    base = ask(port, "/v1/chat/completions", chat(temperature=0))[1]
    status, answer = ask(port, "/v1/load_lora_adapter", {"lora_name": "v1", "lora_path": str(adapter)}, **token)
    assert status == 200, answer
    loaded = answer["data"][1]
    assert (loaded["id"], loaded["parent"]) == ("v1", "tiny") and loaded["canary_nats"] < 1e-4
    learnt = ask(port, "/v1/chat/completions", chat(model="v1", temperature=0))[1]
    assert learnt["choices"][0]["message"]["content"] == "aaaaaaaa" != base["choices"][0]["message"]["content"]
    assert (learnt["model"], learnt["system_fingerprint"]) == ("v1", loaded["fingerprint"])
    assert ask(port, "/v1/chat/completions", chat(temperature=0))[1]["choices"] == base["choices"]
    assert ask(port, "/v1/load_lora_adapter", {"lora_name": "v1", "lora_path": str(adapter)}, **token)[0] == 400
    assert ask(port, "/v1/unload_lora_adapter", {"lora_name": "v1"}, **token)[0] == 200
    assert ask(port, "/v1/chat/completions", chat(model="v1"))[0] == 404


def test_what_is_no_adapter_is_refused(port, folder):
    token = {"Authorization": "Bearer " + (folder / "token").read_text().strip()}
    status, answer = ask(port, "/v1/load_lora_adapter", {"lora_name": "v1", "lora_path": str(folder / "none")}, **token)
    assert status >= 400 and "none" in answer["error"]["message"]
    assert len(ask(port, "/v1/models")[1]["data"]) == 1


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_at_once_in_the_middle_of_an_answer(program, folder, how):
    with served(program, folder) as (process, port):
        with contextlib.closing(begin(port, "/v1/chat/completions", chat(stream=True, max_tokens=4000))) as connection:
            assert connection.getresponse().readline()
            before = time.monotonic()
            process.send_signal(how)
            said, error = process.communicate(timeout=30)
            seconds = time.monotonic() - before
    assert (process.returncode, json.loads(said)) == (0, {"schema": "stitchcuda.serve_model/1", "ended": True}), error
    assert seconds < 10, seconds  # a second on a machine that does nothing else


def test_settings_that_are_wrong_are_told(program, folder):
    def told(*words: object) -> tuple[int, str]:
        done = subprocess.run([program, "serve-model", *words], capture_output=True, text=True, check=False, timeout=60)
        assert done.stdout == ""
        return done.returncode, done.stderr

    assert told() == (2, "stitchcuda-train: serve-model needs --config FILE, or --model PATH and other options with "
                         "values; see stitchcuda serve-model --help\n")
    assert told("--modle", "x")[0] == 2
    status, error = told("--model", folder / "none.gguf")
    assert status != 0 and "none.gguf" in error
    status, error = told("--model", folder, "--listen", "everywhere")
    assert status == 2 and "'everywhere' is no port to listen on" in error
