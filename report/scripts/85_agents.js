// SPDX-License-Identifier: Apache-2.0
// What agents did with a program: who was asked, why the best is the best, plans, what was spent. The parts with code
// and messages are in the next files. All that models wrote goes in as text.
'use strict';

// As attempts name them: `plan` counts from 1, `sub_task` from 0. (The ledger counts both from 1.)
page.subTask = (agents, plan, subTask) => page.object(page.list(page.object(page.list(agents.plans)[plan - 1]).sub_tasks)[subTask]);
page.subTaskName = (agents, plan, subTask) => String(page.subTask(agents, plan, subTask).name || '\u2013');
page.modelOf = (agents, role) => String(page.object(page.object(agents.about).roles)[role] || 'expert');
page.agentsTime = (time) => (page.isNumber(page.object(time).us) ? page.time(time.us) : '\u2013');
page.outcomes = {right: 'right', wrong: 'wrong', not_compiled: 'does not compile', unreadable: 'no code in the answer'};
page.outcomeText = (attempt) => page.outcomes[attempt.outcome] || String(attempt.outcome);
page.paragraph = (title, text) => (text ? page.element('p', {}, [page.element('strong', {}, `${title}: `), String(text)]) : '');
page.fold = (title, more, draw, attributes) => {
  const inside = page.element('div', {class: 'inside'});
  const panel = page.element('details', {class: 'step', ...attributes}, [
    page.element('summary', {}, [page.element('strong', {}, title), page.element('span', {class: 'more'}, more)]), inside]);
  panel.addEventListener('toggle', () => panel.open && inside.childElementCount === 0 && inside.append(...[].concat(draw()).filter((part) => part !== '')));
  return panel;
};

page.agentsLead = (agents) => {
  const about = page.object(agents.about);
  const roles = Object.entries(page.object(about.roles)).map(([role, model]) => `${role} ${model}`).join(', ');
  const without = page.list(about.without);
  const last = page.object(page.list(agents.decisions).slice(-1)[0]);
  return [
    page.element('p', {class: 'lead'}, `System ${about.system || 'unknown'}${without.length > 0 ? ` without ${without.join(', ')}` : ''}: ${roles || 'who played which role is not known'}. `
      + `The expert\u2019s program was verified first; a text takes a step\u2019s place only when it is verified alone and in the program, and a call is faster beyond noise.`),
    last.reason ? page.element('p', {}, `The run ended since ${last.reason}.`) : ''];
};

// Why each step is as it is: what was tried at it, and what came of that.
page.whyBest = (agents) => {
  const attempts = page.list(agents.attempts).map(page.object);
  const owners = page.list(page.object(agents.incumbent).steps).map(page.object);
  const start = page.object(page.object(agents.about).start);
  const best = page.object(page.object(agents.incumbent).program);
  const gain = page.isNumber(start.us) && page.isNumber(best.us) && start.kind === best.kind && start.us > 0 ? best.us / start.us : null;
  const rows = owners.map((owner) => {
    const tried = attempts.filter((attempt) => page.list(attempt.changed).includes(owner.step));
    const right = tried.filter((attempt) => attempt.outcome === 'right');
    const slower = right.filter((attempt) => !attempt.replaced_incumbent).length;
    const failed = tried.length - right.length;
    const won = tried.find((attempt) => attempt.number === owner.attempt);
    const why = tried.length === 0 ? 'nobody wrote it anew'
      : won ? `attempt ${won.number} was right and the fastest${slower > 0 ? `; ${page.count(slower, 'other right one was', 'other right ones were')} not faster beyond noise` : ''}`
        : right.length > 0 ? `${page.count(right.length, 'right attempt was', 'right attempts were')} not faster beyond noise` : 'no attempt at it was right';
    return [String(owner.step), owner.author === 'model' ? page.modelOf(agents, 'coder') : 'expert', won ? page.element('a', {href: `#attempt-${won.number}`}, `${won.number}`) : '\u2013',
      String(tried.length), `${why}${failed > 0 && right.length > 0 ? `; ${failed} failed` : ''}`];
  });
  return [page.element('h3', {}, 'Why this program'),
    page.element('p', {}, [gain === null ? 'No time of the whole program is known.'
      : gain < 1 ? `A call takes ${page.time(best.us)} (${best.kind}), ${page.percent(1 - gain)} less than the ${page.time(start.us)} of the expert\u2019s program.`
        : `A call takes ${page.time(best.us)} (${best.kind}), as the expert\u2019s program: nothing that was written was faster.`]),
    page.plainTable('Who wrote each step, and why it is this one', ['Step', 'Written by', 'Attempt', 'Attempts', 'Why'], rows)];
};

page.agentsPlans = (agents) => {
  const plans = page.list(agents.plans).map(page.object);
  return [page.element('h3', {}, page.count(plans.length, 'plan', 'plans')), ...plans.map((plan) => {
    const tasks = page.list(plan.sub_tasks).map(page.object);
    const author = plan.author === 'model' ? page.modelOf(agents, 'planner') : 'expert';
    return page.fold(`Plan ${plan.version}`, `by ${author}, ${page.count(tasks.length, 'sub-task', 'sub-tasks')}${plan.trigger ? `, since ${plan.trigger}` : ''}`, () => [
      page.paragraph('Summary', plan.summary), page.paragraph('Made anew since', plan.trigger),
      page.paragraph('Expected bottlenecks', page.list(plan.bottlenecks).join('; ')), page.paragraph('Risks', page.list(plan.risks).join('; ')),
      page.plainTable(`Sub-tasks of plan ${plan.version}`, ['Sub-task', 'Kind', 'Nodes', 'Contract', 'Hint', 'Expected gain', 'Risk', 'Floor'], tasks.map((task) =>
        [String(task.name), String(task.kind), page.list(task.nodes).join(', '), page.element('pre', {class: 'lines'}, page.list(task.contract).join('\n')), String(task.hint || '\u2013'),
          String(task.expected_gain || '\u2013'), String(task.risk || '\u2013'), task.floor_us > 0 ? page.time(task.floor_us) : '\u2013']))]);
  })];
};

// One row a group, with what the ledger has of it.
page.spendingRows = (lines, name) => {
  const groups = new Map();
  const members = ['requests', 'prompt_tokens', 'cached_tokens', 'answer_tokens', 'reasoning_tokens', 'microdollars', 'seconds', 'gpu_seconds'];
  lines.forEach((line) => {
    const sum = groups.get(name(line)) || Object.fromEntries(members.map((member) => [member, 0]));
    members.forEach((member) => {
      sum[member] += page.isNumber(line[member]) ? line[member] : 0;
    });
    groups.set(name(line), sum);
  });
  return [...groups].map(([title, sum]) => [title, String(sum.requests), sum.cached_tokens > 0 ? `${sum.prompt_tokens} (${sum.cached_tokens} cached)` : String(sum.prompt_tokens),
    sum.reasoning_tokens > 0 ? `${sum.answer_tokens} (${sum.reasoning_tokens} reasoning)` : String(sum.answer_tokens), sum.microdollars > 0 ? `${(sum.microdollars / 1e6).toFixed(4)}\u202f$` : '\u2013',
    `${page.digits(sum.seconds)}\u202fs`, sum.gpu_seconds > 0 ? `${page.digits(sum.gpu_seconds)}\u202fs` : '\u2013']);
};

page.agentsSpending = (agents) => {
  const lines = page.list(agents.ledger).map(page.object);
  const limits = page.object(agents.limits);
  const heads = (first) => [first, 'Requests', 'Prompt tokens', 'Answer tokens', 'Money', 'Time', 'GPU time'];
  const named = [['tokens', limits.tokens], ['$', page.isNumber(limits.microdollars) ? limits.microdollars / 1e6 : null], ['s', limits.seconds], ['s of a GPU', limits.gpu_seconds],
    ['rounds', limits.rounds], ['rounds a sub-task', limits.rounds_per_sub_task], ['repairs in a row', limits.repairs], ['replans', limits.replans]]
    .filter(([, limit]) => page.isNumber(limit)).map(([what, limit]) => `${limit} ${what}`);
  const step = (line) => (line.plan > 0 ? `plan ${line.plan}: ${line.sub_task > 0 ? page.subTaskName(agents, line.plan, line.sub_task - 1) : 'before its first'}` : 'the first plan itself');
  return [page.element('h3', {}, 'What it cost'),
    page.element('p', {class: 'hint'}, `Limits: ${named.join(', ') || 'none'}.${lines.some((line) => line.is_estimated) ? ' Some server did not count its tokens: they are estimated.' : ''}`),
    page.plainTable('By role', heads('Role'), [...page.spendingRows(lines, (line) => String(line.role)), ...page.spendingRows(lines, () => 'together')]),
    page.plainTable('By step of the plan', heads('Sub-task'), page.spendingRows(lines, step))];
};

page.agentsDecisions = (agents) => {
  const decisions = page.list(agents.decisions).map(page.object);
  return page.fold(page.count(decisions.length, 'decision', 'decisions'), 'which activity followed which, and why', () =>
    page.plainTable('Decisions in their order', ['#', 'From', 'Told', 'To', 'Attempts so far', 'Why'], decisions.map((decision, index) =>
      [String(index + 1), decision.from, decision.event, decision.to, String(decision.attempts), String(decision.reason || '')].map((cell) => String(cell)))));
};

page.agentsPrompts = (agents) => page.fold('Prompts', 'digests of the texts that were filled in', () =>
  page.plainTable('SHA-256 of each prompt', ['Prompt', 'Digest'], Object.entries(page.object(page.object(agents.about).prompts)).map(([name, digest]) =>
    [name, page.element('code', {class: 'wrap-anywhere'}, String(digest))])));
