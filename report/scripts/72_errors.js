// SPDX-License-Identifier: Apache-2.0
// How far each output is from the truth, in multiples of what PyTorch itself makes there; four are accepted.
'use strict';

page.acceptedRatio = 4;

page.showErrors = () => {
  const body = page.body('errors');
  const verify = page.object(page.data.evidence.verify);
  const outputs = page.list(verify.outputs).map(page.object);
  const regimes = page.list(verify.regimes).map(page.object);
  if (outputs.length === 0) {
    body.append(page.element('p', {}, 'No verdict with errors is in this folder.'));
    return;
  }
  const scale = page.object(page.data.evidence.result).scale;
  const device = page.object(page.data.evidence.result).device;
  body.append(page.element('p', {class: 'lead'}, ['Errors are ', page.tag('measured'),
    `${device === 'emulated' ? ', on the emulated device' : device === 'cuda' ? ', on a GPU' : device ? `, on ${device}` : ''}${scale === 'small' ? ', at reduced sizes' : ''}: against fp64, as a multiple of the largest error that PyTorch\u2019s own runs make there. `,
    `Up to ${page.acceptedRatio} is accepted.`]));
  const rows = regimes.length > 0 ? page.worstOfRegimes(regimes) : outputs.map((output) => ({label: String(output.name), ratio: output.max_error_ratio}));
  if (page.plotsPossible()) {
    body.append(page.plot(`Largest error of each output in each regime against the ${page.acceptedRatio} accepted; the tables below say the same.`, 120 + 30 * rows.length, () => page.errorPlot(rows)));
  }
  const yes = (value) => (value === true ? 'yes' : value === false ? 'no' : '\u2013');
  const number = (value) => (page.isNumber(value) ? page.digits(value) : '\u2013');
  const cells = (line) => [number(line.max_error_ratio), number(line.mean_error_ratio), number(line.ulp_p50), number(line.ulp_p99), yes(line.kernelbench_rule_ok)];
  const heads = ['Largest \u00d7', 'Mean \u00d7', 'ULP median', 'ULP 99\u202f%', '1e-4 rule'];
  body.append(page.plainTable('Over all draws', ['Output', ...heads], outputs.map((output) => [String(output.name), ...cells(output)])));
  if (regimes.length > 0) {
    body.append(page.element('details', {}, [page.element('summary', {}, `Every regime at every shape (${regimes.length})`),
      page.plainTable('Every regime at every shape', ['Output', 'Regime', 'Shape', ...heads], regimes.map((line) => [String(line.name), String(line.regime), String(line.shape), ...cells(line)]))]));
  }
  body.append(page.element('p', {class: 'hint'}, `${page.count(verify.draws, 'draw', 'draws')}, of them ${verify.checked_draws} under AddressSanitizer and UndefinedBehaviorSanitizer and ${verify.randomised_draws} with threads in random order. ` +
    'The 1e-4 rule is KernelBench\u2019s own, reported beside ours; it decides nothing here.'));
};

// The largest ratio over all shapes, an output and regime a row.
page.worstOfRegimes = (regimes) => {
  const worst = new Map();
  regimes.forEach((line) => {
    const label = `${line.name} \u00b7 ${String(line.regime).replaceAll('_', ' ')}`;
    worst.set(label, Math.max(worst.get(label) || 0, Number(line.max_error_ratio) || 0));
  });
  return [...worst].map(([label, ratio]) => ({label, ratio}));
};

page.errorPlot = (rows) => {
  const most = Math.max(...rows.map((row) => row.ratio));
  const wide = most > 5 * page.acceptedRatio;
  const limit = {
    id: 'limit',
    afterDatasetsDraw: (chart) => {
      const {ctx, scales, chartArea} = chart;
      const x = scales.x.getPixelForValue(page.acceptedRatio);
      ctx.save();
      ctx.strokeStyle = page.colour('bad');
      ctx.fillStyle = page.colour('bad');
      ctx.setLineDash([5, 4]);
      ctx.beginPath();
      ctx.moveTo(x, chartArea.top);
      ctx.lineTo(x, chartArea.bottom);
      ctx.stroke();
      ctx.font = `12px ${getComputedStyle(document.body).fontFamily}`;
      ctx.textAlign = 'right';
      ctx.fillText('accepted up to here', x + 1, chartArea.top - 6);
      ctx.restore();
    },
  };
  const within = (row) => row.ratio <= page.acceptedRatio;
  return {
    type: 'bar', plugins: [limit],
    data: {labels: rows.map((row) => row.label), datasets: [{
      data: rows.map((row) => (wide ? Math.max(row.ratio, 0.01) : row.ratio)), barThickness: 12, borderRadius: 2,
      backgroundColor: rows.map((row) => page.colour(within(row) ? 'accent' : 'bad'))}]},
    options: {
      indexAxis: 'y', maintainAspectRatio: false, layout: {padding: {top: 18}},
      scales: {
        x: {type: wide ? 'logarithmic' : 'linear', min: wide ? 0.01 : 0, max: wide ? undefined : Math.max(4.6, most * 1.1), title: {display: true, text: 'largest error, times the reference\u2019s own'},
          ...(wide ? {ticks: {callback: page.powersOfTen(String), autoSkip: false, maxRotation: 0}, grid: {color: (context) => (page.isPowerOfTen(context.tick.value) ? page.colour('line') : 'transparent')}} : {})},
        y: {grid: {display: false}, ticks: {autoSkip: false}},
      },
      plugins: {legend: {display: false}, tooltip: {callbacks: {label: (item) => `${page.digits(rows[item.dataIndex].ratio)} \u00d7`}}},
    },
  };
};
