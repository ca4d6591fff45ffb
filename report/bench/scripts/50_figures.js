// SPDX-License-Identifier: Apache-2.0
// Figures of one run, or of several beside each other: data.runs = [{id, suite, conditions, figures, tasks, published}].
'use strict';

page.runs = page.list(page.data.runs);

page.interval = (interval, digits) => (interval && page.isNumber(interval.value)
  ? `${interval.value.toFixed(digits)} (${interval.low.toFixed(digits)} to ${interval.high.toFixed(digits)})` : '–');
page.shareText = (interval) => (interval && page.isNumber(interval.value)
  ? `${(100 * interval.value).toFixed(0)} % (${(100 * interval.low).toFixed(0)} to ${(100 * interval.high).toFixed(0)})` : '–');
page.valueOf = (interval) => (interval && page.isNumber(interval.value) ? interval.value : null);
page.atK = (at) => Object.entries(page.object(at)).map(([k, share]) => `@${k}\u00a0${(100 * share).toFixed(0)}\u00a0%`).join(', ') || '–';

// A row for each group of each run.
page.groupRows = () => page.runs.flatMap((run) => page.list(run.figures.groups).map((group) => ({run, group})));

page.runColumns = () => [
  ...(page.runs.length > 1 ? [{title: 'run', value: (row) => row.run.id, heading: true,
    show: (row) => (row.run.page ? page.element('a', {href: row.run.page}, row.run.id) : row.run.id)}] : []),
  ...(page.runs.length > 1 ? ['system', 'math', 'device', 'scale'].map((name) => ({
    title: name, value: (row) => page.object(row.run.conditions)[name] || '', show: (row) => page.object(row.run.conditions)[name] || ''})) : []),
];

// In the head: of one run what matters most, of several how many answers of each are right.
page.showFigures = () => {
  const add = (name, value, kind, more) => document.getElementById('figures').append(page.element('div', {}, [
    page.element('dt', {}, name), page.element('dd', {}, [page.element('strong', {}, value), kind ? page.tag(kind) : '',
      more ? page.element('span', {class: 'more'}, more) : ''])]));
  page.runs.forEach((run) => {
    const group = page.list(run.figures.groups)[0];
    if (!group) {
      add(page.runs.length > 1 ? run.id : 'Right', '\u2013', null, 'no sound task has ended');
      return;
    }
    const right = page.valueOf(group.success);
    add(page.runs.length > 1 ? run.id : 'Right', right === null ? '\u2013' : page.percent(right), null,
      `of ${page.count(group.tasks, 'sound task', 'sound tasks')}`);
    if (page.runs.length > 1) {
      return;
    }
    Object.entries(page.object(group.measured)).filter(([, over]) => over.timed > 0).forEach(([baseline, over]) => {
      add(`Over ${baseline}`, page.interval(over.geomean_correct, 2).split(' ')[0], 'measured',
        `geomean of right answers; ${page.shareText(over.fast_1)} faster`);
    });
    add('Hacks', String(group.hacks.total), null, group.hacks.text);
    add('Took', page.time(1e6 * group.spent.seconds), null, 'all tasks together');
  });
};

page.showBoard = () => {
  const number = (title, value, show) => ({title, number: true, value, show});
  const body = page.body('board');
  body.append(page.sortableTable('Right answers', [
    ...page.runColumns(),
    {title: 'group', value: (row) => row.group.name, show: (row) => row.group.name, heading: page.runs.length === 1},
    number('tasks', (row) => row.group.tasks, (row) => row.group.tasks),
    number('success rate', (row) => page.valueOf(row.group.success), (row) => page.shareText(row.group.success)),
    {title: 'pass@k', value: (row) => page.atK(row.group.pass_at), show: (row) => page.atK(row.group.pass_at)},
    ...(page.groupRows().some((row) => row.group.coder) ? [
      number('sub-tasks right', (row) => (row.group.coder ? row.group.coder.sub_tasks_right / row.group.coder.sub_tasks : null),
        (row) => (row.group.coder ? `${row.group.coder.sub_tasks_right} of ${row.group.coder.sub_tasks}` : '–')),
      number('whole answers', (row) => page.valueOf(page.object(row.group.coder).whole_answers),
        (row) => page.shareText(page.object(row.group.coder).whole_answers))] : []),
    number('hacks', (row) => 1e6 * row.group.hacks.total + row.group.hacks.partial, (row) => row.group.hacks.text), // total ones first
    number('seconds', (row) => row.group.spent.seconds, (row) => row.group.spent.seconds.toFixed(0)),
    number('tokens', (row) => row.group.spent.prompt_tokens + row.group.spent.answer_tokens,
      (row) => row.group.spent.prompt_tokens + row.group.spent.answer_tokens),
    number('dollars', (row) => row.group.spent.dollars, (row) => row.group.spent.dollars.toFixed(2)),
    number('dollars a correct task', (row) => row.group.spent.dollars_a_success,
      (row) => (page.isNumber(row.group.spent.dollars_a_success) ? row.group.spent.dollars_a_success.toFixed(3) : '–')),
  ], page.groupRows()));

  const measured = page.groupRows().flatMap((row) => Object.entries(page.object(row.group.measured))
    .filter(([, over]) => over.timed > 0).map(([baseline, over]) => ({...row, baseline, over})));
  if (measured.length > 0) {
    body.append(page.sortableTable('Measured times', [
      ...page.runColumns(),
      {title: 'group', value: (row) => row.group.name, show: (row) => row.group.name},
      {title: 'baseline', kind: 'measured', value: (row) => row.baseline, show: (row) => row.baseline},
      number('timed', (row) => row.over.timed, (row) => row.over.timed),
      number('fast_1', (row) => page.valueOf(row.over.fast_1), (row) => page.shareText(row.over.fast_1)),
      number('mean, failures 0', (row) => page.valueOf(row.over.mean_failures_0), (row) => page.interval(row.over.mean_failures_0, 2)),
      number('geomean, correct', (row) => page.valueOf(row.over.geomean_correct), (row) => page.interval(row.over.geomean_correct, 2)),
      {title: 'fast@k', value: (row) => page.atK(row.over.fast_at), show: (row) => page.atK(row.over.fast_at)},
    ], measured));
  }
  const modelled = page.groupRows().filter((row) => row.group.modelled.samples > 0);
  if (modelled.length > 0) {
    body.append(page.sortableTable('Counted on the emulated device: no measured time', [
      ...page.runColumns(),
      {title: 'group', value: (row) => row.group.name, show: (row) => row.group.name},
      number('answers', (row) => row.group.modelled.samples, (row) => row.group.modelled.samples),
      {title: "times as fast as the expert's program", kind: 'modelled', number: true,
        value: (row) => page.valueOf(row.group.modelled.gain_over_expert), show: (row) => page.interval(row.group.modelled.gain_over_expert, 3)},
    ], modelled));
  }
};

page.showCurves = () => {
  const curves = page.runs.flatMap((run) => page.list(run.figures.groups).slice(0, 1).flatMap((group) =>
    Object.entries(page.object(group.measured)).filter(([, over]) => over.timed > 0)
      .map(([baseline, over]) => ({name: page.runs.length > 1 ? `${run.id} over ${baseline}` : `over ${baseline}`, points: over.fast_p}))));
  const body = page.body('curves');
  if (curves.length === 0) {
    body.append(page.element('p', {class: 'note'}, 'No time was measured here, so there is no curve.'));
    return;
  }
  if (page.plotsPossible()) {
    const inks = ['product', 'reduction', 'pointwise', 'other', 'movement'];
    body.append(page.plot('Share of tasks faster than p times the baseline', 320, () => ({
      type: 'line',
      data: {datasets: curves.map((curve, index) => ({label: curve.name, data: curve.points.map((point) => ({x: point.p, y: 100 * point.share})),
        borderColor: page.colour(inks[index % inks.length]), stepped: false}))},
      options: {maintainAspectRatio: false, scales: {x: {type: 'linear', title: {display: true, text: 'p'}},
        y: {min: 0, max: 100, title: {display: true, text: '% of sound tasks'}}}},
    })));
  }
  body.append(page.plainTable('fast_p', ['', ...curves[0].points.map((point) => `p = ${point.p}`)],
    curves.map((curve) => [curve.name, ...curve.points.map((point) => `${(100 * point.share).toFixed(0)} %`)])));
};
