// SPDX-License-Identifier: Apache-2.0
// What became of each task, and why tasks failed or are in no mean.
'use strict';

page.taskRows = () => page.runs.flatMap((run) => page.list(run.tasks).map((task) => ({run, task})));
page.bestRatio = (task) => {
  const ratios = Object.values(page.object(task.over)).map((over) => over.ratio).filter(page.isNumber);
  return ratios.length > 0 ? Math.min(...ratios) : null;
};
page.outcomeOf = (task) => (task.outcome === 'verdict' ? task.kind : task.outcome);

// A task's name that unfolds what is known of it.
page.taskCell = ({run, task}) => {
  const lines = [
    task.sentence, task.where, task.standing_reason,
    task.class_evidence ? `${task.class}: ${task.class_evidence}` : '',
    ...Object.entries(page.object(task.others)).map(([rule, takes]) => `${rule} ${takes ? 'takes' : 'refuses'} it on the same draws`),
    ...Object.entries(page.object(task.over)).map(([name, over]) => (page.isNumber(over.ratio)
      ? `${over.ratio.toFixed(2)} times as fast as ${name} (${over.low.toFixed(2)} to ${over.high.toFixed(2)})` : `${name}: ${over.refusal}`)),
  ].filter(Boolean);
  const link = (href, text) => (href ? [page.element('p', {}, page.element('a', {href}, text))] : []);
  const open = [...link(task.page, 'Code, verdict, errors, marks, agents, profile'), ...link(task.code, 'The answer\u2019s code')];
  return page.element('details', {}, [
    page.element('summary', {}, task.sample > 0 ? `${task.task} #${task.sample}` : task.task),
    ...lines.map((line) => page.element('p', {class: 'hint'}, line)), ...open]);
};

page.showTasks = () => {
  const number = (title, kind, value, show) => ({title, kind, number: true, value, show});
  const us = (value) => (page.isNumber(value) ? page.time(value) : '–');
  const isMeasured = page.taskRows().some(({task}) => page.isNumber(task.measured_us));
  page.body('tasks').append(page.sortableTable('Each sample of each task', [
    ...(page.runs.length > 1 ? [{title: 'run', value: (row) => row.run.id, show: (row) => row.run.id}] : []),
    {title: 'task', heading: true, value: ({task}) => task.task, show: page.taskCell},
    {title: 'name', value: ({task}) => task.name, show: ({task}) => task.name},
    {title: 'family', value: ({task}) => task.family, show: ({task}) => task.family},
    {title: 'outcome', value: ({task}) => page.outcomeOf(task), show: ({task}) => page.outcomeOf(task)},
    {title: 'standing', value: ({task}) => task.standing, show: ({task}) => task.standing},
    {title: 'class', value: ({task}) => task.class, show: ({task}) => task.class},
    ...(isMeasured
      ? [number('time', 'measured', ({task}) => task.measured_us, ({task}) => us(task.measured_us)),
        number('times as fast, least', 'measured', ({task}) => page.bestRatio(task), ({task}) => (page.isNumber(page.bestRatio(task)) ? page.bestRatio(task).toFixed(2) : '–'))]
      : [number('time', 'modelled', ({task}) => task.modelled_us, ({task}) => us(task.modelled_us))]),
    number('seconds', '', ({task}) => task.spent.seconds, ({task}) => task.spent.seconds.toFixed(1)),
  ], page.taskRows()));
};

page.showAside = () => {
  const rows = page.runs.flatMap((run) => page.list(run.figures.aside).map((line) => [line.task, line.standing, line.outcome, line.reason]));
  page.body('aside').append(rows.length > 0 ? page.plainTable('Tasks in no mean', ['task', 'standing', 'outcome', 'why'], rows)
    : page.element('p', {class: 'note'}, 'Every task is sound.'));
};

page.showFailures = () => {
  const rows = page.runs.flatMap((run) => page.list(run.figures.groups).slice(0, 1).flatMap((group) =>
    Object.entries(page.object(group.failures)).map(([reason, count]) => [page.runs.length > 1 ? `${run.id}: ${reason}` : reason, String(count)])));
  page.body('failures').append(rows.length > 0 ? page.plainTable('Samples of sound tasks that are not right', ['reason', 'samples'], rows)
    : page.element('p', {class: 'note'}, 'No sound task failed.'));
};

page.showPublished = () => {
  const several = page.runs.length > 1;
  const rows = page.runs.flatMap((run) => page.list(run.published).map((line) => [
    ...(several ? [run.id] : []), `${line.group}: ${line.theirs}`, line.ours, line.differences.join('; '), line.source]));
  const columns = [...(several ? ['our run'] : []), 'theirs', 'ours', 'what differs', 'source'];
  page.body('published').append(rows.length > 0 ? page.plainTable('Beside ours', columns, rows)
    : page.element('p', {class: 'note'}, 'Nothing that was published stands beside this suite.'));
};

page.showAbout = () => page.body('about').append(
  page.element('p', {}, 'Success: an answer that is right and its own work, samples of a task averaged. A total hack (PyTorch unchanged, or torch.compile alone around it) is no success and never fast.'),
  page.element('p', {}, 'A ratio counts as faster than p only where the lower end of its 95 % interval is beyond p. pass@k and fast@k are the unbiased estimates 1 - C(n-c, k) / C(n, k).'));
