// SPDX-License-Identifier: Apache-2.0
// What right answers cost against what they gain: over the baseline where times were measured, else over the expert's
// program by what the emulated device counted. Both never stand in one plot.
'use strict';

page.costOf = (task) => {
  const tokens = task.spent.prompt_tokens + task.spent.answer_tokens;
  return {dollars: task.spent.dollars, tokens, seconds: task.spent.seconds};
};

// The unit in which anything was paid: money, else tokens, else time.
page.costUnit = (tasks) => ['dollars', 'tokens', 'seconds'].find((unit) => tasks.some((task) => page.costOf(task)[unit] > 0)) || 'seconds';

page.countedGain = (task) => (page.isNumber(task.first_executed_us) && task.executed_us > 0 ? task.first_executed_us / task.executed_us : null);

page.showCost = () => {
  const body = page.body('cost');
  const right = page.taskRows().filter(({task}) => task.outcome === 'ok' && task.class !== 'total_hack' && task.standing === 'sound');
  const isMeasured = right.some(({task}) => page.bestRatio(task) !== null);
  const gainOf = ({task}) => (isMeasured ? page.bestRatio(task) : page.countedGain(task));
  const points = right.filter((row) => gainOf(row) !== null);
  if (points.length === 0) {
    body.append(page.element('p', {class: 'note'}, 'No right answer has a gain: nothing was measured, and no agent changed the expert\u2019s program.'));
    return;
  }
  const unit = page.costUnit(points.map(({task}) => task));
  const gainName = isMeasured ? 'times as fast as the baseline that is nearest' : 'times as fast as the expert\u2019s program';
  const kind = isMeasured ? 'measured' : 'modelled';
  if (page.plotsPossible()) {
    const inks = ['product', 'reduction', 'pointwise', 'other', 'movement'];
    body.append(page.plot(`${unit} of a task against its gain; the table below says the same`, 320, () => ({
      type: 'scatter',
      data: {datasets: page.runs.map((run, index) => ({label: `${run.id}, ${kind}`, pointRadius: 5, borderColor: page.colour(inks[index % inks.length]),
        backgroundColor: page.colour(inks[index % inks.length]),
        data: points.filter((row) => row.run === run).map((row) => ({x: page.costOf(row.task)[unit], y: gainOf(row), task: row.task.task}))})).filter((set) => set.data.length > 0)},
      options: {maintainAspectRatio: false,
        plugins: {tooltip: {callbacks: {label: (item) => `${item.raw.task}: ${page.digits(item.raw.y)} times for ${page.digits(item.raw.x)} ${unit}`}}},
        scales: {x: {type: 'linear', min: 0, title: {display: true, text: unit}}, y: {type: 'linear', title: {display: true, text: gainName}}}},
    })));
  }
  const number = (title, value, show, tag) => ({title, kind: tag, number: true, value, show});
  body.append(page.sortableTable('Cost and gain of each right answer', [
    ...(page.runs.length > 1 ? [{title: 'run', value: (row) => row.run.id, show: (row) => row.run.id}] : []),
    {title: 'task', heading: true, value: ({task}) => task.task, show: ({task}) => (task.sample > 0 ? `${task.task} #${task.sample}` : task.task)},
    number('times as fast', gainOf, (row) => page.digits(gainOf(row)), kind),
    number('seconds', ({task}) => task.spent.seconds, ({task}) => task.spent.seconds.toFixed(1)),
    number('tokens', ({task}) => page.costOf(task).tokens, ({task}) => page.costOf(task).tokens),
    number('dollars', ({task}) => task.spent.dollars, ({task}) => task.spent.dollars.toFixed(3)),
  ], points));
};
