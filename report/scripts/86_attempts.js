// SPDX-License-Identifier: Apache-2.0
// Attempts of agents: their times over the rounds, and each with what it changed, what was said of it, and the messages
// that led to it.
'use strict';

// A plot without a library, so that it is there in any page: the best so far as a line, attempts as marks.
page.attemptPlot = (agents) => {
  const attempts = page.list(agents.attempts).map(page.object).filter((attempt) => page.isNumber(attempt.number));
  const start = page.object(page.object(agents.about).start);
  const timed = attempts.filter((attempt) => page.isNumber(page.object(attempt.program).us));
  const times = [...timed.map((attempt) => attempt.program.us), ...(page.isNumber(start.us) ? [start.us] : [])];
  if (attempts.length === 0 || times.length === 0) {
    return '';
  }
  const [kLeft, kTop, kHeight, kBottom, kRight] = [78, 12, 220, 48, 16];
  const width = Math.max(Math.min(page.body('agents').clientWidth - 26, 1180), 320);
  const [first, last] = [attempts[0].number - 1, attempts[attempts.length - 1].number];
  const [least, most] = [Math.min(...times), Math.max(...times)];
  const margin = Math.max((most - least) * 0.12, most * 0.02);
  const [low, high] = [Math.max(0, least - margin), most + margin];
  const x = (number) => kLeft + (number - first) / Math.max(last - first, 1) * (width - kLeft - kRight);
  const y = (us) => kTop + kHeight * (1 - (us - low) / (high - low));
  const svg = page.svg('svg', {class: 'attempts', viewBox: `0 0 ${width} ${kTop + kHeight + kBottom}`, width, height: kTop + kHeight + kBottom, role: 'img', 'aria-label': 'Time of a call over the attempts; the list below says the same.'});
  for (let part = 0; part <= 4; part += 1) {
    const us = low + (high - low) * part / 4;
    svg.append(page.svg('line', {class: 'grid', x1: kLeft, x2: width - kRight, y1: y(us), y2: y(us)}), page.svg('text', {class: 'axis', x: kLeft - 8, y: y(us) + 4, 'text-anchor': 'end'}, page.time(us)));
  }
  const every = Math.max(1, Math.ceil((last - first) / Math.floor((width - kLeft) / 44)));
  for (let number = first + 1; number <= last; number += every) {
    svg.append(page.svg('text', {class: 'axis', x: x(number), y: kTop + kHeight + 18, 'text-anchor': 'middle'}, String(number)));
  }
  svg.append(page.svg('text', {class: 'axis', x: width - kRight, y: kTop + kHeight + 38, 'text-anchor': 'end'}, 'attempt'));
  let best = page.isNumber(start.us) ? start.us : null;
  let line = best === null ? '' : `M${x(first)} ${y(best)}`;
  attempts.forEach((attempt) => {
    if (attempt.replaced_incumbent && page.isNumber(page.object(attempt.program).us)) {
      line += best === null ? `M${x(attempt.number)} ${y(attempt.program.us)}` : `H${x(attempt.number)}V${y(attempt.program.us)}`;
      best = attempt.program.us;
    }
  });
  svg.append(page.svg('path', {class: 'best', d: line === '' ? '' : `${line}H${x(last)}`}));
  attempts.forEach((attempt) => {
    const isTimed = page.isNumber(page.object(attempt.program).us);
    const says = page.svg('title', {}, `attempt ${attempt.number} at ${page.subTaskName(agents, attempt.plan, attempt.sub_task)}: ${page.outcomeText(attempt)}${isTimed ? `, ${page.time(attempt.program.us)} ${attempt.program.kind}` : ''}`);
    svg.append(isTimed ? page.svg('circle', {class: attempt.replaced_incumbent ? 'won' : 'right', cx: x(attempt.number), cy: y(attempt.program.us), r: 4.5}, says)
      : page.svg('path', {class: 'failed', d: `M${x(attempt.number) - 4} ${kTop + kHeight - 4}l8 8m0-8l-8 8`}, says));
  });
  const kinds = [...new Set([...timed.map((attempt) => attempt.program), start].map((time) => time.kind).filter(Boolean))];
  return [page.element('h3', {}, ['Time over the attempts ', ...kinds.map((kind) => page.tag(String(kind)))]), page.scroller(svg, 'Time of a call over the attempts'),
    page.element('p', {class: 'legend'}, [['won', 'taken: the line is the best so far'], ['right', 'right, and not taken'], ['failed', 'failed: no time']].map(([kind, text]) =>
      page.element('span', {class: `key mark-${kind}`}, text)))];
};

page.diffView = (diff) => {
  if (!diff) {
    return page.element('p', {class: 'hint'}, 'Its text is not in this page.');
  }
  const base = diff.base === 'expert' ? 'the expert\u2019s step' : `attempt ${diff.base}`;
  const head = page.element('p', {class: 'file'}, `Against ${base}: ${page.count(diff.added, 'line', 'lines')} more, ${diff.removed} fewer${diff.cut ? '; not all of it is in this page' : ''}`);
  if (diff.added + diff.removed === 0) {
    return page.element('div', {}, [head, page.element('p', {class: 'hint'}, 'The same text.')]);
  }
  const table = page.element('table', {class: 'listing diff', role: 'presentation'});
  page.list(diff.hunks).map(page.object).forEach((hunk) => {
    let [before, after] = [hunk.old, hunk.new];
    table.append(page.element('tr', {class: 'gap'}, [page.element('td'), page.element('td'), page.element('td', {}, '\u22ef')]));
    page.list(hunk.lines).map(String).forEach((line) => {
      const kind = {'+': 'plus', '-': 'minus'}[line[0]] || 'same';
      table.append(page.element('tr', {class: kind}, [page.element('td', {class: 'line-number', 'data-number': kind === 'plus' ? '' : before}), page.element('td', {class: 'line-number', 'data-number': kind === 'minus' ? '' : after}),
        page.element('td', {class: 'line'}, line)]));
      before += kind === 'plus' ? 0 : 1;
      after += kind === 'minus' ? 0 : 1;
    });
  });
  return page.element('div', {}, [head, page.element('div', {class: 'code', tabindex: '0', role: 'region', 'aria-label': `Changes against ${base}`}, table)]);
};

page.feedbackView = (feedback) => {
  const issue = page.object(feedback.issue);
  const limit = page.object(feedback.bottleneck);
  const figures = page.list(limit.figures).map(page.object).map((figure) => `${figure.name} ${page.isNumber(figure.value) ? page.digits(figure.value) : figure.value}`).join(', ');
  return [page.paragraph('What is wrong', issue.what), page.paragraph('Why', issue.why), page.paragraph('Fix', issue.fix),
    page.paragraph('Bottleneck', limit.what ? `${limit.what} (${limit.limiter})` : ''), page.paragraph('Figures', figures),
    page.paragraph('For the system', limit.system), page.paragraph('For the kernel', limit.kernel), page.paragraph('Next', limit.plan), page.paragraph('Doubt', feedback.doubt)];
};

page.marksView = (marks) => page.fold('Marks and rewards', `${page.isNumber(marks.total) ? `${marks.total} of 20` : 'no total'}, rubric ${marks.rubric}`, () => [
  page.plainTable('Marks, 1 to 5', ['Dimension', 'Points', 'Note'], page.list(marks.dimensions).map(page.object).map((dimension) => [String(dimension.name).replaceAll('_', ' '), String(dimension.points), String(dimension.note || '\u2013')])),
  page.plainTable('Rewards', ['Profile', 'Reward', 'Why'], page.list(marks.rewards).map(page.object).map((reward) => [String(reward.profile), page.isNumber(reward.reward) ? page.digits(reward.reward) : 'none', String(reward.reason)]))]);

page.attemptView = (agents, attempt) => {
  const feedback = page.object(page.list(agents.feedback).map(page.object).find((each) => each.attempt === attempt.number));
  const profile = page.object(page.list(agents.profiles).map(page.object).find((each) => each.attempt === attempt.number));
  const steps = page.list(profile.steps).map(page.object);
  const asked = page.list(agents.questions).map(page.object).filter((question) => question.attempt === attempt.number);
  const told = String(attempt.told || attempt.fingerprint || '');
  return [
    page.element('h4', {}, 'Verdict'),
    page.element('p', {}, `${page.outcomeText(attempt)}${attempt.program ? `; ${page.agentsTime(attempt.program)} a call of the program, ${page.agentsTime(attempt.step)} the step (${attempt.program.kind})` : ''}${
      attempt.outcome === 'right' ? (attempt.replaced_incumbent ? '; faster than the best so far, whose place it took' : '; not faster than the best so far beyond noise') : ''}.`),
    told ? page.element('pre', {class: 'lines'}, told) : '',
    ...(Object.keys(feedback).length > 0 ? [page.element('h4', {}, 'Review'), ...page.feedbackView(feedback)] : []),
    page.element('h4', {}, 'What it changes'), page.diffView(attempt.diff),
    attempt.marks ? page.marksView(page.object(attempt.marks)) : '',
    steps.length > 0 ? page.fold('Where the time went', page.count(steps.length, 'step', 'steps'), () => page.plainTable('Time of each step', ['Step', 'Time'], steps.map((step) => [String(step.step), page.isNumber(step.us) ? page.time(step.us) : '\u2013']))) : '',
    ...asked.map((question) => page.questionFold(agents, question))];
};

page.attemptList = (agents) => {
  const attempts = page.list(agents.attempts).map(page.object);
  if (attempts.length === 0) {
    return [page.element('p', {}, 'No text was written.')];
  }
  return [page.element('h3', {}, page.count(attempts.length, 'attempt', 'attempts')), ...attempts.map((attempt) =>
    page.fold(`${attempt.number}`, [`${page.subTaskName(agents, attempt.plan, attempt.sub_task)} \u00b7 ${String(attempt.activity).replaceAll('_', ' ')} \u00b7 `,
      page.element('span', {class: `outcome-${page.outcomes[attempt.outcome] ? attempt.outcome : 'other'}`}, page.outcomeText(attempt)), attempt.program ? ` \u00b7 ${page.agentsTime(attempt.program)}` : '',
      attempt.replaced_incumbent ? ' \u00b7 the best so far' : '', attempt.diff ? ` \u00b7 +${attempt.diff.added} \u2212${attempt.diff.removed}` : ''],
    () => page.attemptView(agents, attempt), {id: `attempt-${attempt.number}`}))];
};
