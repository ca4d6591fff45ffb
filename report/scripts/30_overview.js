// SPDX-License-Identifier: Apache-2.0
// The figures under the headline, and what this page cannot show.
'use strict';

page.showFigures = () => {
  const {data} = page;
  const result = page.object(data.evidence.result);
  const verify = page.object(data.evidence.verify);
  const measured = page.object(result.measured);
  const runs = data.steps.filter((step) => step.phase === 'run');
  const floor = runs.reduce((sum, step) => sum + (step.floor_us || 0), 0);
  const figures = [];
  const add = (name, value, kind, more) => figures.push(page.element('div', {}, [
    page.element('dt', {}, name),
    page.element('dd', {}, [page.element('strong', {}, value), kind ? page.tag(kind) : '', more ? page.element('span', {class: 'more'}, more) : '']),
  ]));
  const best = [measured.graph_us, measured.plain_us].filter(page.isNumber);
  if (best.length > 0) {
    add('Time', page.time(Math.min(...best)), 'measured', measured.faster === 'graph' ? 'with a CUDA graph' : 'plain launches');
  }
  const baseline = measured.baseline;
  if (best.length > 0 && baseline && page.isNumber(baseline.speedup)) {
    add(`PyTorch ${baseline.name}`, page.time(baseline.us), 'measured',
        `${page.digits(baseline.speedup)} times as long (${page.digits(baseline.low)} to ${page.digits(baseline.high)})`);
  }
  add('Time', page.time(data.modelled_us), 'modelled', `on ${data.device_name}`);
  if (floor > 0) {
    add('Floor', page.time(floor), 'modelled', 'bytes and FLOPs over datasheet peaks, no launches');
  }
  add('Steps', `${runs.length}`, null, data.before ? `from ${page.count(data.before.nodes.length, 'operator', 'operators')}` : '');
  if (page.isNumber(verify.error_ratio)) {
    add('Largest error', `${page.digits(verify.error_ratio)}\u202f\u00d7`, 'measured', 'the reference\u2019s own; 4 is accepted');
  }
  add('Arithmetic', data.math, null, data.after ? `${data.after.mode} mode` : '');
  add('Arena', page.bytes(data.memory.arena_bytes), 'counted', data.memory.prepared_bytes > 0 ? `and ${page.bytes(data.memory.prepared_bytes)} prepared once` : '');
  document.getElementById('figures').append(...figures);
};

page.showNotes = () => {
  const notes = page.list(page.data.notes);
  const verify = page.object(page.data.evidence.verify);
  const said = page.list(verify.notes).map(String);
  const left = page.list(verify.left_out).map(page.object).map((out) => `Left out: ${out.regime} at ${out.shape}: ${out.reason}`);
  const box = (title, lines) => page.element('div', {class: 'note'}, [
    page.element('h2', {}, title), page.element('ul', {}, lines.map((line) => page.element('li', {}, line)))]);
  const holder = document.getElementById('notes');
  if (said.length + left.length > 0) {
    holder.append(box('What the verdict leaves out', [...left, ...said]));
  }
  if (notes.length > 0) {
    holder.append(box('What this page does not show', notes));
  }
};
