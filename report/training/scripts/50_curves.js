// SPDX-License-Identifier: Apache-2.0
// Curves over steps: data.plots = [{id, section, title, about, unit, curves: [{name, points: [[step, value or null]]}]}].
'use strict';

page.stages = page.list(page.data.stages);
page.inks = ['accent', 'reduction', 'pointwise', 'other', 'bad', 'movement', 'good', 'warn'];
page.dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

page.stageAt = (step) => page.stages.find((stage) => step <= stage.end) || page.stages[page.stages.length - 1];
page.stepText = (step) => {
  const stage = page.stageAt(step);
  return page.stages.length > 1 && stage ? `${stage.name}, step ${step - stage.begin}` : `step ${step}`;
};
page.valueText = (unit, value) => (unit === 'share' ? page.percent(value) : Math.abs(value) >= 1e-3 && Math.abs(value) < 1e5 || value === 0 ? page.digits(value) : value.toExponential(2));

// Where one stage ends and the next begins.
page.stageLines = {
  id: 'stages',
  afterDatasetsDraw: (chart) => {
    const {ctx, scales, chartArea} = chart;
    ctx.save();
    ctx.strokeStyle = page.colour('line-strong');
    ctx.fillStyle = page.colour('muted');
    ctx.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    ctx.setLineDash([3, 3]);
    page.stages.forEach((stage, index) => {
      if (page.stages.length < 2) {
        return;
      }
      const [left, right] = [scales.x.getPixelForValue(Math.max(stage.begin, scales.x.min)), scales.x.getPixelForValue(stage.end)];
      if (index > 0) {
        ctx.beginPath();
        ctx.moveTo(left, chartArea.top);
        ctx.lineTo(left, chartArea.bottom);
        ctx.stroke();
      }
      if (ctx.measureText(stage.name).width < right - left - 6) {
        ctx.fillText(stage.name, left + 4, chartArea.top + 10);
      }
    });
    ctx.restore();
  },
};

page.curvePlot = (plot) => {
  const ends = page.stages.map((stage) => stage.end);
  const axis = (value) => page.valueText(plot.unit, value);
  const datasets = plot.curves.map((curve, index) => {
    const ink = page.colour(page.inks[index % page.inks.length]);
    return {label: curve.name, data: curve.points.map(([x, y]) => ({x, y: plot.unit === 'log' && y !== null && y <= 0 ? null : y})), borderColor: ink, backgroundColor: ink, borderWidth: 1.6,
      borderDash: page.dashes[index % page.dashes.length], pointRadius: curve.points.length <= 40 ? 2 : 0, pointHitRadius: 8, spanGaps: false, tension: 0};
  });
  return {
    type: 'line', plugins: [page.stageLines], data: {datasets},
    options: {
      maintainAspectRatio: false, interaction: {mode: 'nearest', axis: 'x', intersect: false},
      scales: {
        x: {type: 'linear', min: 0, max: Math.max(1, ...ends), title: {display: true, text: 'step'}, ticks: {maxRotation: 0, precision: 0}},
        y: plot.unit === 'log' ? {type: 'logarithmic', ticks: {callback: page.powersOfTen(axis)}} :
          {type: 'linear', beginAtZero: plot.unit === 'share', ticks: {callback: axis, maxTicksLimit: 6}},
      },
      plugins: {
        legend: {display: plot.curves.length > 1, position: 'bottom', labels: {boxWidth: 22, boxHeight: 1}},
        tooltip: {callbacks: {title: (items) => (items.length ? page.stepText(items[0].raw.x) : ''), label: (item) => `${item.dataset.label}: ${page.valueText(plot.unit, item.raw.y)}`}},
      },
    },
  };
};

// What a curve comes to within each stage.
page.curveTable = (plot) => page.plainTable(plot.title, ['', 'first', 'lowest', 'highest', 'last'], plot.curves.flatMap((curve) => {
  const parts = page.stages.map((stage) => ({stage, values: curve.points.filter(([x, y]) => y !== null && x > stage.begin && x <= stage.end).map(([, y]) => y)}));
  return parts.filter(({values}) => values.length > 0).map(({stage, values}) => [
    page.stages.length > 1 ? `${curve.name}, ${stage.name}` : curve.name,
    ...[values[0], values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b)), values[values.length - 1]].map((value) => page.valueText(plot.unit, value))]);
}));

page.curve = (plot) => {
  const drawn = page.plotsPossible();
  const names = plot.curves.map((curve) => curve.name).join(', ');
  return page.element('div', {class: 'curve', id: `curve-${plot.id}`}, [
    page.element('h3', {}, plot.title), plot.about ? page.element('p', {class: 'hint'}, plot.about) : '',
    drawn ? page.plot(`${plot.title} by step (${names}); the table below has first, lowest, highest and last values.`, 250, () => page.curvePlot(plot)) : '',
    page.element('details', {open: !drawn}, [page.element('summary', {}, 'Figures'), page.curveTable(plot)])]);
};

// A section of which nothing was recorded is not shown.
page.showSection = (section) => () => {
  const plots = page.list(page.data.plots).filter((plot) => plot.section === section);
  if (plots.length === 0) {
    document.getElementById(section).remove();
    document.querySelector(`nav.sections a[href="#${section}"]`).parentNode.remove();
    return;
  }
  page.body(section).append(...plots.map(page.curve));
};
