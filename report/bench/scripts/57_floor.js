// SPDX-License-Identifier: Apache-2.0
// How far right answers are from the physical floor, and the speedup each has beside the largest that it could have.
// Measured times alone have a speedup; modelled ones stand in a table of their own.
'use strict';

// Of the baseline that is nearest: its ratio, and what the ratio would be at the floor.
page.ratioAndLimit = (task) => {
  const over = Object.values(page.object(task.over)).filter((each) => page.isNumber(each.ratio) && each.us > 0);
  const nearest = over.reduce((best, each) => (best && best.ratio <= each.ratio ? best : each), null);
  return nearest && page.isNumber(task.floor_us) ? {ratio: nearest.ratio, limit: nearest.us / task.floor_us} : null;
};

page.floorShare = (task) => {
  const us = page.isNumber(task.measured_us) ? task.measured_us : task.modelled_us;
  return page.isNumber(task.floor_us) && us > 0 ? task.floor_us / us : null;
};

page.floorPlot = (points) => {
  const inks = ['product', 'reduction', 'pointwise', 'other', 'movement'];
  const most = Math.max(...points.map(({at}) => at.limit));
  const least = Math.min(1, ...points.flatMap(({at}) => [at.ratio, at.limit]));
  return page.plot('Speedup of each right answer against the one that it would have at the floor; the table below says the same', 320, () => ({
    type: 'scatter',
    data: {datasets: [
      ...page.runs.map((run, index) => ({label: `${run.id}, measured`, pointRadius: 5, borderColor: page.colour(inks[index % inks.length]),
        backgroundColor: page.colour(inks[index % inks.length]),
        data: points.filter(({row}) => row.run === run).map(({row, at}) => ({x: at.limit, y: at.ratio, task: row.task.task}))}))
        .filter((set) => set.data.length > 0),
      {label: 'at the floor', type: 'line', pointRadius: 0, borderColor: page.colour('muted'), data: [{x: least, y: least}, {x: most, y: most}]},
    ]},
    options: {maintainAspectRatio: false,
      plugins: {tooltip: {callbacks: {label: (item) => `${item.raw.task || 'floor'}: ${page.digits(item.raw.y)} of ${page.digits(item.raw.x)} times`}}},
      scales: {x: {type: 'logarithmic', title: {display: true, text: 'times as fast, at the floor'}},
        y: {type: 'logarithmic', title: {display: true, text: 'times as fast as the baseline that is nearest'}}}},
  }));
};

page.floorTable = (title, kind, rows) => {
  const number = (name, tag, value, show) => ({title: name, kind: tag, number: true, value, show});
  const limitOf = (name) => ({task}) => (page.ratioAndLimit(task) || {})[name] ?? null;
  const ratio = (name) => (row) => (limitOf(name)(row) === null ? '–' : page.digits(limitOf(name)(row)));
  return page.sortableTable(title, [
    ...(page.runs.length > 1 ? [{title: 'run', value: (row) => row.run.id, show: (row) => row.run.id}] : []),
    {title: 'task', heading: true, value: ({task}) => task.task, show: ({task}) => (task.sample > 0 ? `${task.task} #${task.sample}` : task.task)},
    number('time', kind, ({task}) => task[`${kind}_us`], ({task}) => page.time(task[`${kind}_us`])),
    number('floor', '', ({task}) => task.floor_us, ({task}) => page.time(task.floor_us)),
    number('floor over time', '', ({task}) => page.floorShare(task), ({task}) => page.percent(page.floorShare(task))),
    ...(kind === 'measured' ? [number('times as fast', kind, limitOf('ratio'), ratio('ratio')),
      number('times as fast, at the floor', '', limitOf('limit'), ratio('limit'))] : []),
  ], rows);
};

page.showFloor = () => {
  const body = page.body('floor');
  const right = page.taskRows().filter(({task}) => task.outcome === 'ok' && task.class !== 'total_hack' && task.standing === 'sound' &&
    page.floorShare(task) !== null);
  if (right.length === 0) {
    body.append(page.element('p', {class: 'note'}, 'No right answer has both a time and a floor: no datasheet knows the device, or the program has no work that every answer must do.'));
    return;
  }
  const measured = right.filter(({task}) => page.isNumber(task.measured_us));
  const modelled = right.filter(({task}) => !page.isNumber(task.measured_us));
  const points = measured.map((row) => ({row, at: page.ratioAndLimit(row.task)})).filter(({at}) => at !== null);
  if (points.length > 0 && page.plotsPossible()) {
    body.append(page.floorPlot(points));
  }
  if (measured.length > 0) {
    body.append(page.floorTable('Measured times and their floor', 'measured', measured));
  }
  if (modelled.length > 0) {
    body.append(page.floorTable('Modelled times and their floor: no measured time', 'modelled', modelled));
  }
};
