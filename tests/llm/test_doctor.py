# SPDX-License-Identifier: Apache-2.0
"""stitchcuda doctor --llm: each role of a team is asked before a run would pay for it."""

import json
import os
import pathlib
import socket
import subprocess

from .server import Act, Server, events, head, status, whole

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / os.environ.get("STITCHCUDA_BUILD", "build") / "stitchcuda"
KEY = "sk-planted-6f1e9b27"


def calls(name: str, arguments: str) -> Act:
    call = {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}
    choice = {"message": {"content": None, "tool_calls": [call]}, "finish_reason": "tool_calls"}
    body = json.dumps({"choices": [choice]}).encode()
    return lambda peer: peer.sendall(head(200, "application/json", Content_Length=str(len(body))) + body)


def doctor(folder: pathlib.Path, config: str, *arguments: str, **environment: str) -> tuple[int, str]:
    file = folder / "team.toml"
    file.write_text(config)
    done = subprocess.run([str(PROGRAM), "doctor", "--llm", "--config", str(file), *arguments], capture_output=True,
                          text=True, timeout=120, check=False,
                          env={**os.environ, "COLUMNS": "200", "HOME": str(folder), **environment})
    assert KEY not in done.stdout + done.stderr
    return done.returncode, done.stdout + done.stderr


def findings(folder: pathlib.Path, config: str, status_code: int, **environment: str) -> list[dict]:
    code, text = doctor(folder, config, "--json", "--quiet", **environment)
    assert code == status_code, text
    said = json.loads(text)
    assert said["able"] == (code == 0)
    return said["findings"]


def test_roles_with_one_model_are_asked_once(tmp_path: pathlib.Path) -> None:
    with Server(whole("ready"), calls("ready", '{"word": "yes"}'), whole('{"sum": 5}')) as server:
        config = f"""
        endpoint.a = {{ url = "{server.url}", key_env = "PLANTED_KEY" }}
        team.default.coder = {{ endpoint = "a", model = "m" }}
        team.default.planner = {{ endpoint = "a", model = "m" }}
        """
        found = findings(tmp_path, config, 0, PLANTED_KEY=KEY)
        assert len(server.requests) == 3
    assert [(each["name"], each["state"], each["cost"]) for each in found] == [
        ("planner", "ok", None), ("coder", "ok", None)]
    assert found[0]["what"].endswith("streams, calls tools, keeps to schemas, counts tokens")
    assert all(headers["authorization"] == f"Bearer {KEY}" for headers, _ in server.requests)


def test_what_a_small_model_cannot_is_told(tmp_path: pathlib.Path) -> None:
    refused = status(400, '{"error": {"message": "stream_options is not known"}}')
    with Server(refused, refused, events("ready"), events("I am ready."), events("It is 5.")) as server:
        config = f"""
        endpoint.a.url = "{server.url}"
        team.default.coder = {{ endpoint = "a", model = "small" }}
        """
        code, text = doctor(tmp_path, config)
    assert code == 0, text
    assert "warning  coder  small at http://127.0.0.1" in text and "first token; streams\n" in text
    assert "Tools are asked for as JSON in its answers." in text and "Its tokens are estimated." in text
    assert "stream_options" not in server.requests[2][1]


def test_what_keeps_a_run_from_beginning_is_exit_4(tmp_path: pathlib.Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        gone = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    with Server(status(404, '{"error": "model x not found"}')) as server:
        config = f"""
        endpoint.a.url = "{server.url}"
        endpoint.b.url = "{gone}"
        endpoint.c = {{ url = "{server.url}", key_env = "STITCH_NO_SUCH_KEY" }}
        team.default.planner = {{ endpoint = "a", model = "x" }}
        team.default.coder = {{ endpoint = "b", model = "x" }}
        team.default.judge = {{ endpoint = "c", model = "x" }}
        """
        found = findings(tmp_path, config, 4)
        assert len(server.requests) == 1
    assert [each["state"] for each in found] == ["missing"] * 3
    planner, coder, judge = (each["what"] + " " + each["mend"] for each in found)
    assert "status 404: model x not found" in planner and "the model's name" in planner
    assert "the connection to the endpoint failed" in coder
    assert "STITCH_NO_SUCH_KEY" in judge


def test_a_file_or_a_team_that_is_not_there(tmp_path: pathlib.Path) -> None:
    code, text = doctor(tmp_path, "[endpoint.a]\nurl = 'http://a/v1'\nkee_env = 'X'\n")
    assert code == 3 and "did you mean key_env?" in text and "team.toml:3" in text
    code, text = doctor(tmp_path, "endpoint.a.url = 'http://a/v1'\nteam.x.coder = { endpoint = 'a', model = 'm' }\n",
                        "--team", "y")
    assert code == 2 and 'there is no team "y"; there are x' in text
    missing = subprocess.run([str(PROGRAM), "doctor", "--llm"], capture_output=True, text=True, check=False,
                             env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "none")})
    assert missing.returncode == 4 and "docs/endpoints.md" in missing.stderr
