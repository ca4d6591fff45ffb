# SPDX-License-Identifier: Apache-2.0
"""What must hold of the report of a run of agents whose models wrote what they liked."""

import json
import pathlib

ATTACK = ('</script><script>window.hurt = 1</script><img src=x onerror="window.hurt = 2">'
          "<style>* {display: none}</style>")


def attack(folder: pathlib.Path) -> None:
    """Into everything that models write."""
    state_file, texts_file = folder / "evidence" / "agents.json", folder / "evidence" / "agents_texts.json"
    state, texts = json.loads(state_file.read_text()), json.loads(texts_file.read_text())
    for plan in state["plans"]:
        plan.update(summary=ATTACK, trigger=ATTACK, bottlenecks=[ATTACK], risks=[ATTACK])
        for each in plan["sub_tasks"]:
            each.update(name=ATTACK, hint=ATTACK, expected_gain=ATTACK, risk=ATTACK, contract=[ATTACK])
    for each in state["attempts"]:
        each["fingerprint"] = ATTACK
    for each in state["feedback"]:
        if each["bottleneck"]:
            each["bottleneck"].update(what=ATTACK, system=ATTACK, kernel=ATTACK, plan=ATTACK)
    texts["texts"] = [ATTACK for _ in texts["texts"]]
    texts["told"] = {number: ATTACK for number in texts["told"]}
    texts["code"] = {digest: f"{ATTACK}\n{text}" for digest, text in texts["code"].items()}
    texts["roles"] = dict.fromkeys(texts["roles"], ATTACK)
    for each in texts["questions"]:
        each.update(answer=ATTACK, reasoning=ATTACK, model=ATTACK,
                    tool_calls=[{"name": ATTACK, "arguments": ATTACK, "complaint": ATTACK}])
    state_file.write_text(json.dumps(state))
    texts_file.write_text(json.dumps(texts))


def agents_of(page) -> dict:
    return page.evaluate("JSON.parse(document.getElementById('data').textContent).agents")


def every_part_is_drawn(page) -> None:
    agents = agents_of(page)
    assert page.locator("#agents .attempts").count() == 1
    assert page.locator("#agents .attempts circle, #agents .attempts .failed").count() == len(agents["attempts"])
    for attempt in agents["attempts"]:
        assert page.locator(f"#attempt-{attempt['number']}").count() == 1
    titles = page.locator("#agents h3").all_inner_texts()
    for title in ("Why this program", "1 plan", f"{len(agents['attempts'])} attempts", "What it cost"):
        assert any(each.startswith(title) for each in titles), titles
    assert page.get_by_text("could not be drawn").count() == 0


def an_attempt_opens_its_diff_and_its_messages(page) -> None:
    number = next(each["number"] for each in agents_of(page)["attempts"] if each["diff"] and each["diff"]["added"])
    attempt = page.locator(f"#attempt-{number}")
    assert attempt.locator(".diff").count() == 0, "it is drawn before anybody looks"
    attempt.locator("summary").first.click()
    attempt.locator(".diff .plus").first.wait_for()
    messages = attempt.locator("details", has_text="Messages: coder").first
    messages.locator("summary").first.click()
    messages.locator("details[data-message] > summary").first.click()
    page.wait_for_timeout(200)
    assert messages.locator("details[data-message] .message").count() >= 1


def nothing_that_models_wrote_runs(page) -> None:
    for _ in range(6):  # folds within folds
        page.evaluate("document.querySelectorAll('#agents details').forEach((fold) => { fold.open = true; })")
        page.wait_for_timeout(150)
    assert page.evaluate("window.hurt") is None
    assert page.locator("main img, main style, main script").count() == 0
    text = page.locator("#agents").inner_text()
    assert text.count("window.hurt = 2") > 10, "the texts are not shown as texts"


CHECKS = [every_part_is_drawn, an_attempt_opens_its_diff_and_its_messages, nothing_that_models_wrote_runs]
