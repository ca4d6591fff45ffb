# SPDX-License-Identifier: Apache-2.0
"""One question to an endpoint in OpenAI's form; prints what the model says, or one line on what failed."""

from __future__ import annotations

import json
import os
import pathlib
import sys
import time
import urllib.error
import urllib.request

from .neutral import neutral_python

TIMEOUT_S = 80
RETRIES = 1  # of what is worth another try: no connection, 429, 5xx
MAX_BYTES = 1 << 20


def ask(url: str, model: str, prompt: str) -> str:
    body = json.dumps({"model": model, "messages": [{"role": "user", "content": prompt}], "temperature": 0}).encode()
    headers = {"Content-Type": "application/json"}
    key = os.environ.get("STITCHCUDA_JUDGE_KEY")
    if key:
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(url.rstrip("/") + "/chat/completions", body, headers)
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
        said = json.loads(answer.read(MAX_BYTES))
    return said["choices"][0]["message"]["content"]


def main() -> int:
    request = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    prompt = request["prompt"]
    if request["program"] is not None:
        prompt = prompt.replace("{{program}}", neutral_python({"program.py": request["program"]}), 1)
    if request["python"] is not None:
        prompt = prompt.replace("{{python}}", neutral_python(request["python"]), 1)
    if not request["url"].startswith(("http://", "https://")):
        print(f"{request['url']} is no http address", file=sys.stderr)
        return 1
    for left in range(RETRIES, -1, -1):
        try:
            print(ask(request["url"], request["model"], prompt))
            return 0
        except urllib.error.HTTPError as error:
            message, is_passing = f"the endpoint answered {error.code} {error.reason}", error.code in (
                429,
                500,
                502,
                503,
            )
        except OSError as error:
            message, is_passing = f"no connection ({getattr(error, 'reason', error)})", True
        except (ValueError, KeyError, IndexError, TypeError) as error:
            message, is_passing = f"the endpoint's answer is not of OpenAI's form ({error!r})", False
        if not (left and is_passing):
            break
        time.sleep(1)
    print(message, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
