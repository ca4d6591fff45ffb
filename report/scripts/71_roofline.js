// SPDX-License-Identifier: Apache-2.0
// The roofline after Williams, Waterman and Patterson (2009): FLOPs a byte against FLOPs a second, both logarithmic.
'use strict';

page.showRoofline = () => {
  const {device, steps} = page.data;
  const body = page.body('roofline');
  if (!device) {
    body.append(page.element('p', {}, `No datasheet peaks are known for ${page.data.device_name}: there is no roof to draw.`));
    return;
  }
  const points = steps.filter((step) => page.operations(step) > 0 && step.bytes > 0).map((step) => {
    const time = page.stepTime(step);
    return {x: page.operations(step) / step.bytes, y: page.operations(step) / (time.us * 1e-6), step, kind: time.kind, roof: step.flops > 0 ? step.roof : 'lanes'};
  });
  const without = steps.filter((step) => !(page.operations(step) > 0 && step.bytes > 0));
  const roofs = [['lanes', device.lane_operations_per_second], ['fp32', device.fp32_flops], ['tf32', device.tf32_flops], ['fp16', device.fp16_flops]].filter(([, peak]) => page.isNumber(peak) && peak > 0);
  const kinds = [...new Set(points.map((point) => point.kind))];
  body.append(page.element('p', {class: 'lead'}, [
    `Roofs are ${device.name}\u2019s `, page.tag('datasheet'), ' peaks. A step\u2019s height is its counted arithmetic (the FLOPs of its products; where it has none, its operations on lanes) over its ', ...(kinds.length ? kinds.map(page.tag) : [page.tag('modelled')]),
    ` time; a modelled one has ${page.digits(device.launch_us)}\u202f\u00b5s for each launch in it, and short steps lie below the roof for that alone. A product split into three of TF32 or fp16 counts all three.`]));
  const roofTable = page.plainTable(`Peaks of ${device.name} (datasheet)`, ['Roof', 'Peak', 'Ridge'], [
    ['memory', `${page.digits(device.bytes_per_second / 1e9)} GB/s`, ''],
    ...roofs.map(([name, peak]) => [name, page.rate(peak), `${page.digits(peak / device.bytes_per_second)} FLOP/B`])]);
  const pointTable = page.plainTable('Steps under the roofs', ['Step', 'Operations a byte', 'Reached', 'Roof', 'Part of it'], points.map((point) => {
    const roof = Math.min(point.x * device.bytes_per_second, (roofs.find(([name]) => name === point.roof) || ['', Infinity])[1]);
    return [`${page.stepNumber(point.step)} ${point.step.name}`, page.digits(point.x), `${page.rate(point.y)} ${point.kind}`, point.roof || '\u2013', page.percent(point.y / roof)];
  }));
  if (page.plotsPossible() && points.length > 0) {
    body.append(page.plot(`Roofline of ${page.count(points.length, 'step', 'steps')} on ${device.name}; the tables below say the same.`, 420,
      () => page.rooflinePlot(points, roofs, device)));
  }
  body.append(page.element('details', {open: !page.plotsPossible()}, [page.element('summary', {}, 'The same as tables'), pointTable, roofTable]));
  if (without.length > 0) {
    body.append(page.element('p', {class: 'hint'}, `Not in the plot, since they compute nothing and only move data: ${without.map((step) => `${page.stepNumber(step)} ${step.name}`).join(', ')}.`));
  }
};

page.rooflinePlot = (points, roofs, device) => {
  const left = Math.min(1, ...points.map((point) => point.x)) / 2;
  const ridge = Math.max(...roofs.map(([, peak]) => peak)) / device.bytes_per_second;
  const right = Math.max(ridge * 4, ...points.map((point) => point.x * 2));
  const low = Math.min(...points.map((point) => point.y)) / 3;
  const high = Math.max(...roofs.map(([, peak]) => peak)) * 2;
  const roofColours = ['movement', 'pointwise', 'reduction', 'product'];
  const labels = {
    id: 'roofs',
    afterDatasetsDraw: (chart) => {
      const {ctx, scales, chartArea} = chart;
      ctx.save();
      ctx.font = `12px ${getComputedStyle(document.body).fontFamily}`;
      ctx.textAlign = 'right';
      roofs.forEach(([name, peak], index) => {
        ctx.fillStyle = page.colour(roofColours[index]);
        ctx.fillText(`${name}  ${name === 'lanes' ? `${page.digits(peak / 1e12)}\u202fTop/s` : page.rate(peak)}`, chartArea.right - 6, scales.y.getPixelForValue(peak) + (name === 'lanes' ? 14 : -6));
      });
      ctx.fillStyle = page.colour('muted');
      ctx.textAlign = 'left';
      const taken = [];
      points.forEach((point) => {
        const [x, y] = [scales.x.getPixelForValue(point.x) + 8, scales.y.getPixelForValue(point.y) + 4];
        if (!taken.some((other) => Math.abs(other.x - x) < 26 && Math.abs(other.y - y) < 12)) {
          taken.push({x, y});
          ctx.fillText(page.stepNumber(point.step), x, y);
        }
      });
      ctx.restore();
    },
  };
  const line = (index) => ({
    type: 'line', label: roofs[index][0], pointRadius: 0, borderWidth: 1.5, borderColor: page.colour(roofColours[index]), tension: 0,
    data: [{x: left, y: left * device.bytes_per_second}, {x: roofs[index][1] / device.bytes_per_second, y: roofs[index][1]}, {x: right, y: roofs[index][1]}],
  });
  const shapes = {measured: 'circle', modelled: 'rectRot'};
  const dots = [...new Set(points.map((point) => point.kind))].map((kind) => ({
    label: `steps, ${kind}`, pointStyle: shapes[kind], pointRadius: 6, pointHoverRadius: 8, borderWidth: 1.5,
    backgroundColor: page.colour('accent-soft'), borderColor: page.colour('accent'), data: points.filter((point) => point.kind === kind),
  }));
  const axis = (text, show, min, max) => ({type: 'logarithmic', min, max, title: {display: true, text}, grid: {color: (context) => (page.isPowerOfTen(context.tick.value) ? page.colour('line') : 'transparent')},
    ticks: {callback: page.powersOfTen(show), autoSkip: false, maxRotation: 0}});
  return {
    type: 'scatter', plugins: [labels],
    data: {datasets: [...dots, ...roofs.map((roof, index) => line(index))]},
    options: {
      maintainAspectRatio: false, interaction: {mode: 'nearest', intersect: true},
      scales: {x: axis('operations per byte', (value) => String(Number(value.toPrecision(1))), left, right), y: axis('operations per second', (value) => page.rate(value).replace('.00', '').replace('.0', ''), low, high)},
      plugins: {
        legend: {labels: {usePointStyle: true, filter: (item) => item.text.startsWith('steps')}},
        tooltip: {filter: (item) => Boolean(item.raw.step), callbacks: {label: (item) => [
          `${page.stepNumber(item.raw.step)} ${item.raw.step.name}`, `${page.digits(item.raw.x)} a byte, ${page.rate(item.raw.y)} ${item.raw.kind}`, `bound by ${item.raw.step.bound}`]}},
      },
    },
  };
};
