# SPDX-License-Identifier: Apache-2.0
"""What a person sees of a run of agents: the live view on a terminal, run.json, `runs list`, `show` and `export`, and
the report, whatever the model writes. Four runs of one small program; 20 seconds."""

from __future__ import annotations

import html.parser
import json
import pathlib
import re
import shutil
import sys
import time

import pytest

from .conftest import PROGRAM, SOURCE, Workplace
from .model import Model, cannot, fenced, material, not_compiling, present

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "terminal"))
import screen  # noqa: E402

ATTACK = ('</script><script>window.hurt = 1</script><img src=x onerror="window.hurt = 2">'
          "<!-- \x1b[2J\x1b]0;own\x07")
TURNING = re.compile("[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]")
MAX_BYTES = 2_000_000


def hostile_plan(prompt: str) -> str:
    plan = json.loads(material(prompt, "the expert"))
    plan["summary"] = ATTACK
    plan["risks"] = [ATTACK]
    for each in plan["sub_tasks"]:
        each["hint"] = ATTACK
    return json.dumps(plan)


def hostile_code(prompt: str) -> str:
    """Right, with an attack in a comment, and a larger one around the fence."""
    text = material(prompt, "the present file")
    return ATTACK + "\n" + fenced(f"// </script><script>window.hurt = 3</script>\n{text}")


def hostile_refusal(_: str) -> str:
    return "cannot, because " + ATTACK


def on_terminal(place: Workplace, columns: int, *words: str) -> screen.Terminal:
    environment = {**place.environment, "TERM": "xterm", "LC_ALL": "C.UTF-8"}
    environment.pop("NO_COLOR", None)
    environment.pop("COLUMNS")
    return screen.Terminal([str(PROGRAM), *words], columns, environment, str(place.folder))


def words_for(server: str, *more: str) -> list[str]:
    return ["optimize", "model.py", "--device", "emulated", "--skip-nvcc", "--seed", "7", "--out", "out",
            "--llm", server, "--model", "m", *more]


def seen_of(terminal: screen.Terminal) -> str:
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", terminal.raw)


@pytest.fixture(scope="module", name="ended")
def one_run(tmp_path_factory) -> tuple[Workplace, screen.Terminal, Model]:
    """A run on a terminal of 40 columns, with a model that writes what it likes."""
    place = Workplace(tmp_path_factory.mktemp("looks"))
    (place.folder / "model.py").write_text(SOURCE)
    model = Model(not_compiling, hostile_code, hostile_refusal, planner=hostile_plan)
    with model.server() as server:
        terminal = on_terminal(place, 40, *words_for(server.url, "--max-rounds", "3", "--max-tokens", "900000"))
        assert terminal.finish() == 0, terminal.raw[-3000:]
    shutil.copytree(place.out, place.folder / "kept")  # runs that go on from this one write to the same folder
    return place, terminal, model


def test_the_live_view_says_who_works_and_breaks_no_line(ended) -> None:
    _, terminal, _ = ended
    seen = seen_of(terminal)
    for line in (r"planner +m plans", r"coder +m drafts", r"coder +m repairs", r"tools +build and test",
                 r"verifier +m re", r"round +0/3, 1/", r"best +[\d.]+ us", r"attempt +1 at .*: do"):
        assert re.search(line, seen), f"{line} was never shown:\n{terminal.shown(40).text()}"
    shown = terminal.shown(40)
    assert not shown.unknown, "a sequence of the model's reached the terminal"
    assert not TURNING.search(shown.text()), "the display is still there"
    progress = screen.Screen(40)
    progress.feed(terminal.raw[: terminal.raw.rfind("\x1b[K")])
    assert progress.broken == 0
    assert "\x07" not in terminal.raw


def test_interrupted_at_work_it_leaves_a_clean_line(ended) -> None:
    place, _, _ = ended
    other = place.beside("interrupted")
    model = Model(present, cannot)
    with model.server() as server:
        terminal = on_terminal(other, 200, *words_for(server.url, "--max-seconds", "600"))
        began = time.monotonic()
        while not re.search(r"tools +build and test", seen_of(terminal)) and time.monotonic() - began < 120:
            assert terminal.read(0.1), terminal.raw[-3000:]
        terminal.press_interrupt()
        assert terminal.finish(30) == 130
    text = terminal.shown(200).text()
    assert not TURNING.search(text)
    last = text.splitlines()[-1]
    assert last.startswith("stitchcuda: interrupted") and "runs resume" in last, text
    assert "600 s at most" in seen_of(terminal)
    record = json.loads((other.runs[0] / "run.json").read_text())
    assert record["state"] == "interrupted" and record["agents"]["activity"] in ("test", "paused")


def test_plain_lines_elsewhere_and_none_when_quiet(ended) -> None:
    place, _, _ = ended
    run = place.runs[0].name
    with Model(cannot).server() as server:
        again = ("runs", "resume", run, "--from", "1", "--llm", server.url, "--model", "n")
        loud = place.command(*again, "--json")
    assert loud.status == 0 and "\x1b" not in loud.error
    assert re.search(r"^  coder +none for ", loud.error, re.M) and re.search(r"^  agents +stopped: ", loud.error, re.M)
    quiet = place.beside("quiet").optimize("--model", "expert", "--max-rounds", "1", "--quiet")
    assert quiet.status == 0 and quiet.error == ""


def test_the_record_and_its_lines(ended) -> None:
    place, _, _ = ended
    run = sorted(place.runs)[0]
    record = json.loads((run / "run.json").read_text())
    assert record["schema"] == "stitchcuda.run/2"
    agents = record["agents"]
    assert agents["system"] == "stitch" and agents["roles"] == {"coder": "m", "planner": "m", "verifier": "m"}
    limits = agents["limits"]
    assert limits["tokens"] == 900000 and limits["rounds"] == 3 and limits["dollars"] is None
    assert agents["activity"] == "stopped" and agents["paused_by"] == ""
    assert [each["outcome"] for each in agents["attempts"]][:2] == ["not_compiled", "right"]
    assert agents["spent"]["requests"] > 3 and agents["plans"][0]["author"] == "m"
    assert {each["author"] for each in agents["writers"]} <= {"m", "expert"} and agents["writers"]
    listed = place.command("runs", "list").json["text"]
    assert re.search(r"stitch m, \d attempts?, \d/\d steps", listed)
    shown = place.command("runs", "show", run.name).json["text"]
    for line in (r"agents +stitch \(coder m, planner m, verifier m\)", r"attempts +\d \(1 right\), 1 plan",
                 r"spent +\d+ requests", r"written +\S"):
        assert re.search(line, shown), shown
    assert "\x1b" not in listed + shown


def test_what_is_exported_has_verdicts_marks_and_rewards(ended) -> None:
    place, _, model = ended
    run = sorted(place.runs)[0].name
    samples = [json.loads(line) for line in place.command("runs", "export", run).json["text"].splitlines()]
    assert len(samples) == len(model.asked)
    written = [sample for sample in samples if sample["role"] == "coder" and sample["verdict"]]
    assert [sample["skill"] for sample in written] == ["scratch", "refinement"]
    bad, good = written
    assert bad["verdict"]["outcome"] == "not_compiled" and good["verdict"]["outcome"] == "right"
    assert good["marks"]["total"] > bad["marks"]["total"] >= 4
    rewards = {each["profile"]: each["reward"] for each in bad["rewards"]}
    assert rewards["stitchcuda_v1"] == 0 and rewards["cuda_agent_v1"] == -1
    rewards = {each["profile"]: each["reward"] for each in good["rewards"]}
    assert rewards["stitch_v1"] > 0
    # Held against PyTorch's modelled times, which the run took once.
    assert rewards["cuda_agent_v1"] > 0 and rewards["stitchcuda_v1"] > 0
    assert good["token_ids"] is None and good["messages"][0]["role"] == "system"


class Page(html.parser.HTMLParser):
    """What a browser would make elements of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.data = ""
        self._in_data = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in_data = dict(attrs).get("id") == "data"

    def handle_data(self, data: str) -> None:
        if self._in_data:
            self.data += data

    def handle_endtag(self, tag: str) -> None:
        self._in_data = False


def test_the_report_tells_all_of_it_and_runs_nothing_of_the_models(ended) -> None:
    place, _, model = ended
    path = place.folder / "kept" / "report.html"
    text = path.read_text()
    assert len(text.encode()) <= MAX_BYTES
    page = Page(text)
    count = [tag for tag, _ in page.tags].count
    assert count("script") <= 4 and count("img") == 0
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    policy = next(attributes["content"] for _, attributes in page.tags if attributes.get("http-equiv"))
    assert "default-src 'none'" in policy
    for _, attributes in page.tags:
        assert not str(attributes.get("src", "")) and not str(attributes.get("href", "")).startswith("http")
    agents = json.loads(page.data)["agents"]
    assert agents["about"]["roles"]["coder"] == "m" and agents["plans"][0]["summary"].startswith("</script>")
    bad, good = agents["attempts"][:2]
    assert bad["diff"]["base"] == "expert" and bad["told"] and bad["marks"]["total"] >= 4
    assert any("+  const int forgotten" in line for hunk in bad["diff"]["hunks"] for line in hunk["lines"])
    assert good["diff"]["added"] == 1 and good["diff"]["hunks"][0]["lines"][0].startswith("+// </script>")
    assert len(agents["questions"]) == len(model.asked)
    message = agents["questions"][0]["messages"][0]
    assert agents["texts"][message["text"]].startswith("You are")
    assert agents["decisions"] and agents["ledger"] and agents["incumbent"]["steps"]
    authors = {step["author"] for step in json.loads(page.data)["steps"]}
    assert authors <= {"expert", "m"}


def test_a_page_of_hundreds_of_messages_stays_small(ended) -> None:
    place, _, _ = ended
    folder = place.folder / "long"
    shutil.copytree(place.folder / "kept", folder)
    state = json.loads((folder / "evidence" / "agents.json").read_text())
    texts = json.loads((folder / "evidence" / "agents_texts.json").read_text())
    first = state["attempts"][0]
    state["attempts"] = [{**first, "number": number + 1} for number in range(300)]
    texts["texts"] = [f"{number} " + "x" * 7000 for number in range(600)]
    texts["questions"] = [{**texts["questions"][0], "answer": "y" * 20000, "attempt": number // 2 + 1,
                           "messages": [{"role": "user", "text": number, "bytes": 7000}]} for number in range(600)]
    (folder / "evidence" / "agents.json").write_text(json.dumps(state))
    (folder / "evidence" / "agents_texts.json").write_text(json.dumps(texts))
    assert place.command("report", str(folder)).status == 0
    text = (folder / "report.html").read_text()
    assert len(text.encode()) <= MAX_BYTES
    data = json.loads(Page(text).data)
    assert "to keep this page small" in " ".join(data["notes"])
    assert len(data["agents"]["attempts"]) >= 60 and data["agents"]["plans"]


@pytest.mark.parametrize("altered", ["[]", "{", '{"attempts": 5, "plans": [7], "ledger": {"a": 1}}',
                                     '{"attempts": [null, {"changed": [3], "digest": 1, "replaced_incumbent": true}]}'])
def test_files_that_somebody_altered_cost_no_page(ended, altered: str, tmp_path: pathlib.Path) -> None:
    place, _, _ = ended
    folder = tmp_path / "out"
    shutil.copytree(place.folder / "kept", folder)
    (folder / "evidence" / "agents.json").write_text(altered)
    (folder / "evidence" / "agents_texts.json").write_text(
        '{"questions": [1, {"messages": 5}], "texts": [{}], "code": [],'
        ' "marks": {"null": {"marks": {"dimensions": [1]}}}}')
    done = place.command("report", str(folder), "--json")
    assert done.status == 0, done.error
