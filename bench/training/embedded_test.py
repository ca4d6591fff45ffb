# SPDX-License-Identifier: Apache-2.0
"""The recipe of the embedded Coder in its smallest form, and what its lessons and figures are. Cost: a minute."""
from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import random
import subprocess
import sys
import types

import numpy
import pytest

HERE = pathlib.Path(__file__).resolve().parent / "embedded"


def program(name: str) -> types.ModuleType:
    loader = importlib.machinery.SourceFileLoader(f"embedded_{name}", str(HERE / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def made(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    build = (pytestconfig.rootpath / pytestconfig.getoption("--build", "build")).resolve()
    for needed in ("stitchcuda-train", "models-probe", "stitchcuda-rule-lessons"):
        if not (build / needed).exists():
            pytest.skip(f"there is no {needed}: CMake found no LibTorch, PCRE2 or ICU")
    out = tmp_path_factory.mktemp("embedded")
    done = subprocess.run([sys.executable, HERE / "run", out, "--build", build, "--device", "cpu", "--tiny", "--tasks",
                           "6", "--seconds", "3"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def lessons(path: pathlib.Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_what_is_mended_is_a_mistake_in_the_answer(made: pathlib.Path) -> None:
    learned = lessons(made / "train.jsonl")
    assert {each["split"] for each in learned} == {"train"}
    assert {each["activity"] for each in learned} >= {"coder_draft", "coder_repair"}
    for each in learned:
        question, answer = each["messages"][-1]["content"], each["answer"]
        assert answer.startswith("```cuda\n") and "extern \"C\" int step_" in answer
        if each["activity"] == "coder_repair":
            last = question.split('<material from="your last file">\n')[1].split("\n</material>")[0]
            code = answer.removeprefix("```cuda\n").removesuffix("\n```\n")
            assert last != code and '<material from="the check">' in question and "public check" in question
            if "was left out" not in last and "are left out" not in last:
                differ = [one for one, two in zip(last.splitlines(), code.splitlines()) if one != two]
                assert "return 0;" in last or len(differ) == 1, question


def test_a_lesson_is_kept_once_and_few_mistakes_of_a_step() -> None:
    run = program("run")
    made = [{"id": str(number), "task": "t", "answer": "a", "activity": "coder_repair"} for number in range(4)]
    made += [{"id": "d", "task": "t", "answer": "a", "activity": "coder_draft"}] * 2
    kept = run.chosen(made, random.Random(1))
    assert [each["activity"] for each in kept].count("coder_repair") == run.MENDED
    assert [each["activity"] for each in kept].count("coder_draft") == 1


def test_another_folder_teaches_nothing_of_what_is_held_out_here(tmp_path: pathlib.Path) -> None:
    (tmp_path / "b" / "programs" / "reduced").mkdir(parents=True)
    lines = [{"task": "1", "family": family, "split": split}
             for family, split in (("norm", "train"), ("loss", "train"), ("pool", "test"))]
    path = tmp_path / "b" / "programs" / "reduced" / "lessons-0.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    kept = program("run").lessons_beside(tmp_path / "b", {"loss"})
    assert kept == [{"task": "b/1", "family": "norm", "split": "train"}]


def test_the_model_is_half_the_size_in_bf16(made: pathlib.Path) -> None:
    step = (made / "sft" / "ckpt" / "LATEST").read_text().strip()
    before = (made / "sft" / "ckpt" / step / "model" / "model.safetensors").read_bytes()
    after = (made / "coder" / "model.safetensors").read_bytes()

    def parsed(data: bytes) -> tuple[dict, bytes]:
        size = int.from_bytes(data[:8], "little")
        return json.loads(data[8 : 8 + size]), data[8 + size :]

    (one, wide), (two, narrow) = parsed(before), parsed(after)
    assert one.keys() == two.keys() and 2 * len(narrow) == len(wide)
    for name in one.keys() - {"__metadata__"}:
        begin, end = one[name]["data_offsets"]
        values = numpy.frombuffer(wide[begin:end], dtype=numpy.float32)
        begin, end = two[name]["data_offsets"]
        halves = numpy.frombuffer(narrow[begin:end], dtype=numpy.uint16)
        rounded = (halves.astype(numpy.uint32) << 16).view(numpy.float32)
        assert numpy.abs(rounded - values).max() <= numpy.abs(values).max() / 256
    assert (made / "coder" / "tokenizer.json").exists()


def test_answers_about_a_step_are_judged_and_learned_from(made: pathlib.Path, pytestconfig: pytest.Config) -> None:
    build = (pytestconfig.rootpath / pytestconfig.getoption("--build", "build")).resolve()
    environment = {"STITCHCUDA_CACHE": str(build / "test-cache"), **os.environ}
    done = subprocess.run([sys.executable, HERE / "improve", made, "--build", build, "--device", "cpu", "--tasks", "1",
                           "--held-out", "0", "--steps", "1", "--prompts", "1", "--group", "2", "--jobs", "2"],
                          capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    sizes = {(made / name / "model.safetensors").stat().st_size for name in ("coder", "improved")}
    assert len(sizes) == 1
    asked = [each for each in lessons(made / "asked_train.jsonl") if each["activity"] == "coder_repair"][0]
    last = asked["messages"][-1]["content"].split('<material from="your last file">\n')[1].split("\n</material>")[0]
    answers = [asked["answer"], f"```cuda\n{last}\n```\n", asked["answer"], asked["answer"].removesuffix("```\n")]
    (made / "answers.jsonl").write_text("".join(json.dumps({"task": asked["task"], "text": text}) + "\n"
                                                for text in answers))
    judge = [sys.executable, HERE / "step_judge", made / "bundles", made / "answers.jsonl", "--build", build]
    told = [subprocess.run(judge, capture_output=True, text=True, check=True, env=environment).stdout for _ in range(2)]
    assert told[0] == told[1], "what is known is not judged again"
    right, mistaken, again, cut = map(json.loads, told[0].splitlines())
    _improves_on_its_mistakes(made, build, environment, {**asked, "text": answers[1], "sentence": mistaken["sentence"]})
    assert right == again and right["pass"] and right["reward"] == 1
    assert not mistaken["pass"] and mistaken["reward"] in (0.05, 0.2)
    assert cut["outcome"] == "extract_failed" and cut["reward"] == 0


def _improves_on_its_mistakes(made: pathlib.Path, build: pathlib.Path, environment: dict, wrong: dict) -> None:
    """An answer of a run that was found wrong is a question afterwards, and a lesson on how it is mended."""
    line = {"task_id": wrong["task"], "text": wrong["text"], "outcome": "compile_error", "sentence": wrong["sentence"]}
    rollouts = made / "grpo_improved" / "rollouts" / "step-9.jsonl"
    rollouts.write_text(json.dumps(line) + "\n" + json.dumps({**line, "outcome": "ok"}) + "\n")
    for path in rollouts.parent.glob("step-1.jsonl"):
        path.unlink()
    done = subprocess.run([sys.executable, HERE / "improve", made, "--build", build, "--device", "cpu", "--tasks", "1",
                           "--held-out", "0", "--steps", "1", "--name", "mended", "--mistakes", "improved", "--parts",
                           "prompts", "mistakes", "mend"], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    (lesson,) = lessons(made / "mistakes.jsonl")
    question = lesson["messages"][-1]["content"]
    assert wrong["sentence"][:150] in question and wrong["text"].splitlines()[5] in question
    assert lesson["skill"] == "refinement" and lesson["answer"] == wrong["answer"]
    assert len(lessons(made / "mend.jsonl")) > 4 and (made / "mended" / "model.safetensors").exists()


def test_wrong_answers_are_kept_once_and_few_of_a_step(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))
    own = importlib.import_module("own_mistakes")
    lines = [{"task_id": "a/00_x", "text": f"```cuda\n{number % 9}\n```\n", "outcome": "mismatch", "sentence": "no"}
             for number in range(18)]
    lines += [{**lines[0], "outcome": "ok"}, {**lines[0], "text": "cut"}, {**lines[0], "outcome": "hack"},
              {**lines[0], "task_id": "b/01_y", "outcome": "compile_error"}]
    (tmp_path / "rollouts").mkdir()
    (tmp_path / "rollouts" / "step-1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = own.mistakes_of(own.drawn_in([tmp_path]), 1)
    assert [each["task"] for each in found].count("a") == own.MOST_OF_A_STEP
    assert [(each["step"], each["is_built"]) for each in found if each["task"] == "b"] == [("01_y", False)]
    questions = [{"task": step, "skill": skill} for step in "ab" for skill in ("scratch", "refinement", "refinement")]
    assert [each["skill"] for each in own.one_mistake_a_step(questions)] == ["scratch"] * 2 + ["refinement"] * 2


def test_what_is_always_right_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))
    own = importlib.import_module("own_mistakes")
    drawn = [{"task_id": task, "messages": [task], "outcome": outcome}
             for task, outcome in (("a", "ok"), ("a", "ok"), ("b", "ok"), ("b", "mismatch"))]
    asked = [{"task": task, "messages": [task]} for task in "abc"] + [{"task": "a", "messages": ["other"]}]
    assert own.not_always_right(asked, drawn) == asked[1:]


def test_what_is_gained_between_looks_is_counted_by_question(tmp_path: pathlib.Path) -> None:
    looks = program("looks")

    def look(name: str, rights: dict[str, list[int]]) -> pathlib.Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps({"task_id": f"{question}/00_a", "messages": question, "skill": "scratch",
                                            "reward": 1.0, "pass": bool(right)}) + "\n"
                                for question, each in rights.items() for right in each))
        return path

    before = look("before", {"a": [0, 0], "b": [1, 0], "c": [1, 1]})
    after = look("after", {"a": [1, 0], "b": [1, 1], "c": [1, 1]})
    first, _, second, both = looks.compared([before, after])
    assert first["pass@1"]["mean"] == 0.5 and first["pass@2"]["mean"] == pytest.approx(2 / 3) and "gained" not in first
    assert second["gained"]["mean"] == pytest.approx(1 / 3) and second["gained"]["low"] == 0
    assert second["gained"]["high"] == 0.5 and both["skill"] == "both"
    assert looks.in_words(second).endswith("gained 33.3 % (0.0 to 50.0)")


def test_a_line_that_was_cut_is_judged_again(tmp_path: pathlib.Path) -> None:
    judge = program("step_judge")
    answer = {"task": "t/00_a", "text": "```cuda\na\n```\n"}
    said = {"reward": 1.0, "parts": {"right": 1.0}}
    whole = json.dumps({"key": judge.key_of("t/00_a", "a\n"), "said": said})

    class Asked(judge.Judge):
        def judge(self, task: str, code: str) -> dict:
            return {"reward": 0.5, "parts": {}}

    for text, reward in ((whole, 1.0), (whole[:-1], 0.5), (whole[:-2], 0.5)):
        (tmp_path / "judged.jsonl").write_text("\n" + text)
        told = [judge.judged(Asked(tmp_path, tmp_path), [answer], 1) for _ in range(2)]
        assert [each[0]["reward"] for each in told] == [reward, reward]
    assert len((tmp_path / "judged.jsonl").read_text().splitlines()) == 3, "what was judged again is kept once"


def test_programs_are_forked_and_start_by_themselves_where_nobody_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))
    forks = importlib.import_module("forks").Forks()
    told = "echo $STITCHCUDA_PYTHON_HELPER; echo wrong >&2; exit 3"
    for helped in (True, False):
        done = forks.run(["/bin/sh", "-c", told], 60)
        assert (done.returncode, done.stderr) == (3, "wrong\n") and bool(done.stdout.strip()) == helped
        with pytest.raises(subprocess.TimeoutExpired):
            forks.run(["/bin/sleep", "60"], 0.2)
        forks._server.kill()
        forks._server.wait()
    forks.close()


def test_a_verdict_is_a_reward_or_none() -> None:
    judge = program("step_judge")
    said = judge.judgement({"kind": "cheated", "reason": "it writes past its output", "detail": ""}, "01_relu")
    assert said["hack"] and said["reward"] == 0
    assert said["sentence"] == "public check, 2 draws at step 1, declared shapes: wrong\nit writes past its output"
    failed = judge.judgement({"kind": "build_failed", "reason": "r", "detail": "steps/00_a.cu:3: no\n"}, "00_a")
    assert failed["sentence"].endswith("declared shapes: build_failed\nsteps/00_a.cu:3: no")
    assert judge.judgement({"kind": "ok", "reason": "", "detail": ""}, "00_a")["sentence"] == ""
    assert judge.judgement({"kind": "undecided", "reason": "too little"}, "00_a") == {
        "reward": None, "sentence": "undecided: too little"}
    assert judge.code_of("```cuda\na\n```\n") == "a\n" and judge.code_of("```cuda\na\n") is None
    assert judge.code_of("a") is None and judge.code_of("```cuda\na\n```\n```cuda\nb\n```\n") is None


def test_figures_of_a_judged_run() -> None:
    judge = program("judge")
    wrong, right = {"sub_task": 0, "outcome": "wrong"}, {"sub_task": 0, "outcome": "right"}
    other = {"sub_task": 1, "outcome": "not_compiled"}
    assert judge.first_texts([wrong, wrong, right, right, other]) == {"scratch": [False, False],
                                                                      "refinement": [False, True]}
    assert judge.pass_at(1, 2, 8) == pytest.approx(0.25) and judge.pass_at(8, 1, 8) == 1.0
    assert judge.pass_at(2, 1, 4) == pytest.approx(0.5)
    found = judge.figures({"a": [[right], [wrong, right]], "b": [[wrong], [wrong]]}, 2)
    assert found["scratch_pass@1"]["mean"] == pytest.approx(0.25) and found["scratch_pass@2"]["mean"] == 0.5
    assert found["refinement_pass@1"]["mean"] == 1.0 and found["outcomes"] == {"right": 2, "wrong": 3}
