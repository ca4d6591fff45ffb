# SPDX-License-Identifier: Apache-2.0
"""stitchcuda docs from outside: searches, folders of one's own, and guides from a server on loopback.

Cost: 15 seconds."""

from __future__ import annotations

import http.server
import json
import os
import pathlib
import shutil
import subprocess
import threading
from collections.abc import Iterator

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / os.environ.get("STITCHCUDA_BUILD", "build") / "stitchcuda"
PAGE = ("<html><body><h1>{0}</h1><p>" + "Words of the guide. " * 30
        + "</p><h2>Zebra {0}</h2><p>Stripes.</p></body></html>")


class Docs:
    """The verb, with cache and records in a folder of the test's own."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "STITCHCUDA_CACHE": str(folder / "cache"),
                            "STITCHCUDA_STATE": str(folder / "state"), "NO_COLOR": "1"}

    def run(self, *arguments: str, given: bytes = b"") -> subprocess.CompletedProcess:
        return subprocess.run([str(PROGRAM), "docs", *arguments], input=given, capture_output=True, check=False,
                              env=self.environment, timeout=120)

    def json(self, *arguments: str, given: bytes = b"", status: int = 0) -> dict:
        done = self.run(*arguments, "--json", given=given)
        assert done.returncode == status, done.stderr.decode()
        return json.loads(done.stdout)

    def ids(self, *arguments: str, given: bytes = b"") -> list[str]:
        return [passage["id"] for passage in self.json("search", *arguments, given=given)["passages"]]


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Docs:
    return Docs(tmp_path_factory.mktemp("docs"))


class Server:
    """Answers each path with a page, counts, and may fail."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.status = 200
        self.body: bytes | None = None
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:  # noqa: N802
                outer.asked.append(self.path)
                body = outer.body if outer.body is not None else PAGE.format(self.path.split("/")[2]).encode()
                self.send_response(outer.status)
                if outer.status == 302:
                    self.send_header("Location", "file:///etc/passwd")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.server.shutdown()
    made.server.server_close()


def test_words_find_cards_and_show_tells_them_whole(docs: Docs) -> None:
    found = docs.json("search", "shared", "memory", "bank", "conflicts", "--limit", "3")
    assert found["schema"] == "stitchcuda.docs_search/1" and len(found["passages"]) == 3
    best = found["passages"][0]
    assert best["id"] == "card:memory/bank_conflicts" and best["snippet"]
    assert set(best) == {"id", "origin", "title", "source", "place", "score", "snippet"}
    whole = docs.json("show", best["id"])
    assert whole["schema"] == "stitchcuda.docs_show/1" and "**Pitfalls:**" in whole["text"]
    assert whole["text"] == pathlib.Path(whole["source"]).read_text()
    text = docs.run("search", "bank", "conflicts").stdout.decode()
    assert " 1  Avoid shared memory bank conflicts\n    card:memory/bank_conflicts" in text


def test_an_error_finds_what_mends_it(docs: Docs) -> None:
    log = b"========= Invalid __global__ read of size 4 bytes\n=========  at k(float*)+0x10 in /a/b.cu:7\n"
    assert docs.ids("--error", "-", given=log)[0] == "card:runtime/illegal_address"
    file = docs.folder / "log.txt"
    file.write_bytes(b"\xff\x00" * 50_000 + b"\nCUDA error: misaligned address\n" + b"(" * 50_000)
    assert docs.ids("--error", str(file))[0] == "card:runtime/misaligned_address"


def test_a_profile_finds_what_speeds_it_up(docs: Docs) -> None:
    assert "card:norms/row_in_registers" in docs.ids("--bound", "memory", "--kind", "norm", "--dtype", "f32")


@pytest.mark.parametrize("words", ['"', "a* OR (b", "x" * 100_000, "title:y", "'; DROP TABLE words", "\x01"],
                         ids=range(6))
def test_any_words_are_taken(docs: Docs, words: str) -> None:
    assert docs.json("search", words)["schema"] == "stitchcuda.docs_search/1"


@pytest.mark.parametrize("arguments", [["search"], ["search", "a", "--bound", "host"], ["search", "a", "--limit", "0"],
                                       ["search", "a", "--limit", "51"], ["show"], ["show", "card:no/such"],
                                       ["index", "/no/such/folder"], ["index", "--forget"], ["fetch", "no-such"]])
def test_what_cannot_be_asked_is_said(docs: Docs, arguments: list[str]) -> None:
    done = docs.run(*arguments)
    assert done.returncode == 2 and done.stderr.strip() and not done.stdout


def test_folders_of_ones_own(docs: Docs) -> None:
    notes = docs.folder / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Giraffe tiles\nTall and thin.\n")
    (notes / "b.html").write_text("<h1>Okapi</h1><p>Half of a giraffe.</p>")
    (notes / "c.pdf").write_bytes(b"%PDF-1.4 broken")
    made = docs.json("index", str(notes))
    assert made["folders"] == [str(notes)] and made["own"] >= 2 and made["cards"] >= 80 and made["seconds"] < 30
    assert any("c.pdf" in sentence for sentence in made["skipped"])
    assert docs.ids("giraffe", "tiles")[0] == "folder:notes/a.md#giraffe-tiles"
    assert docs.ids("okapi")[0] == "folder:notes/b.html#okapi"
    (notes / "a.md").write_text("# Gnu\nNo more.\n")
    assert docs.ids("gnu")[0] == "folder:notes/a.md#gnu"
    assert docs.json("index", "--forget", str(notes))["folders"] == []
    assert "folder:notes/b.html#okapi" not in docs.ids("okapi")


def test_a_pdf_is_read_page_by_page_where_pdftotext_is(docs: Docs, tmp_path: pathlib.Path) -> None:
    tool = tmp_path / "bin" / "pdftotext"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n[ -f \"$3\" ] && printf 'Tapir tiles\\f\\fOkapi \\377 tails\\f'\n")
    tool.chmod(0o755)
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.pdf").write_bytes(b"%PDF-1.4")
    there = Docs(tmp_path)
    there.environment["PATH"] = f"{tool.parent}:{os.environ['PATH']}"
    assert there.json("index", str(tmp_path / "papers"))["own"] == 2
    assert there.ids("tapir")[0] == "folder:papers/a.pdf#page-1" and there.ids("okapi")[0].endswith("#page-3")


def test_an_index_that_was_cut_short_is_built_again(docs: Docs) -> None:
    index = pathlib.Path(docs.json("index")["index"])
    os.truncate(index, index.stat().st_size // 2)
    assert docs.ids("bank", "conflicts")[0] == "card:memory/bank_conflicts"


def test_two_at_once_build_one_index(tmp_path: pathlib.Path) -> None:
    docs = Docs(tmp_path)
    command = [str(PROGRAM), "docs", "search", "bank", "conflicts", "--json"]
    both = [subprocess.Popen(command, env=docs.environment, stdout=subprocess.PIPE) for _ in range(2)]
    for one in both:
        out, _ = one.communicate(timeout=120)
        assert json.loads(out)["passages"][0]["id"] == "card:memory/bank_conflicts"


def test_guides_come_once_their_licence_is_accepted(docs: Docs, server: Server) -> None:
    refused = docs.run("fetch", "hopper-tuning", "--from", server.url)
    assert refused.returncode == 2 and b"Zebra eula" in refused.stderr and b"--accept-licence" in refused.stderr
    assert server.asked == ["/cuda/eula/index.html"]
    fetched = docs.json("fetch", "hopper-tuning", "--accept-licence", "--from", server.url + "/")
    assert [guide["name"] for guide in fetched["guides"]] == ["hopper-tuning"] and fetched["passages"] == 2
    assert server.asked[1:] == ["/cuda/eula/index.html", "/cuda/hopper-tuning-guide/index.html"]
    assert docs.ids("zebra", "hopper")[0].startswith("guide:hopper-tuning.html#zebra")


@pytest.mark.parametrize(("status", "body"), [(404, None), (500, b""), (302, None), (200, b"<p>no</p>")])
def test_a_server_that_fails_is_a_sentence(docs: Docs, server: Server, status: int, body: bytes | None) -> None:
    server.status, server.body = status, body
    done = docs.run("fetch", "ptx", "--accept-licence", "--from", server.url)
    assert done.returncode in (3, 4) and server.url in done.stderr.decode() and b"root:" not in done.stderr


def test_without_a_network_fetching_is_a_sentence(docs: Docs) -> None:
    done = docs.run("fetch", "ptx", "--accept-licence", "--from", "http://127.0.0.1:1")
    assert done.returncode == 4 and b"the page cannot be had" in done.stderr and not done.stdout
    guides = docs.folder / "state" / "knowledge" / "guides"
    assert not (guides / "ptx.html").exists()


@pytest.mark.skipif(shutil.which("ldd") is None, reason="no ldd here")
def test_stitchcuda_itself_speaks_no_http() -> None:
    linked = subprocess.run(["ldd", str(PROGRAM)], capture_output=True, text=True, check=True).stdout
    assert "curl" not in linked and "ssl" not in linked
