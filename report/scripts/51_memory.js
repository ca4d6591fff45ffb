// SPDX-License-Identifier: Apache-2.0
// The arena over the steps: each buffer stands where it lies, for as long as some step needs it.
'use strict';

page.memory = () => {
  const kLeft = 64;
  const kTop = 8;
  const kBottom = 26;
  const kColumn = 34; // least pixels a step
  const kHeight = 240;
  const {memory, steps} = page.data;
  const pieces = [
    ...memory.buffers.filter((buffer) => buffer.kind === 'arena' && buffer.first !== null),
    ...memory.scratch.filter((scratch) => scratch.phase === 'run').map((scratch) => ({
      name: `scratch of step ${scratch.step}`, kind: 'scratch', type: '', bytes: scratch.bytes, offset: scratch.offset, first: scratch.step, last: scratch.step})),
  ];
  const title = page.element('h3', {}, ['Memory ', page.tag('counted')]);
  const others = ['input', 'parameter', 'constant', 'state', 'output', 'state_out', 'prepared'].flatMap((kind) => {
    const list = memory.buffers.filter((buffer) => buffer.kind === kind);
    return list.length ? [`${page.bytes(list.reduce((sum, buffer) => sum + buffer.bytes, 0))} in ${page.count(list.length, kind.replace('_', ' '), `${kind.replace('_', ' ')}s`)}`] : [];
  });
  const rest = page.element('p', {class: 'hint'}, `Not in the arena: ${others.join(', ')}.`);
  if (pieces.length === 0 || memory.arena_bytes === 0) {
    return [title, page.element('p', {}, 'No intermediate value goes through memory: the arena is empty.'), rest];
  }
  const first = steps.findIndex((step) => step.phase === 'run');
  const count = steps.length - first;
  const width = Math.max(page.body('plan').clientWidth - 26, kLeft + 12 + count * kColumn);
  const column = (width - kLeft - 12) / count;
  const x = (step) => kLeft + (step - first) * column;
  const y = (bytes) => kTop + kHeight * (1 - bytes / memory.arena_bytes);
  const svg = page.svg('svg', {class: 'memory', viewBox: `0 0 ${width} ${kTop + kHeight + kBottom}`, width, height: kTop + kHeight + kBottom, role: 'img', 'aria-label': 'Buffers in the arena over the steps; the table below has the same.'});
  for (let quarter = 0; quarter <= 4; quarter += 1) {
    const bytes = memory.arena_bytes * quarter / 4;
    svg.append(page.svg('line', {class: 'grid', x1: kLeft, x2: width - 12, y1: y(bytes), y2: y(bytes)}),
      page.svg('text', {class: 'axis', x: kLeft - 8, y: y(bytes) + 4, 'text-anchor': 'end'}, quarter === 0 ? '0' : page.bytes(bytes)));
  }
  const every = Math.ceil(22 / column);
  steps.slice(first).forEach((step, index) => index % every === 0 && svg.append(
    page.svg('text', {class: 'axis', x: x(step.index) + column / 2, y: kTop + kHeight + 17, 'text-anchor': 'middle'}, [page.stepNumber(step), page.svg('title', {}, step.name)])));
  pieces.forEach((piece) => {
    const wide = (piece.last - piece.first + 1) * column - 2;
    const tall = Math.max(1.5, kHeight * piece.bytes / memory.arena_bytes - 1);
    const top = y(piece.offset) - tall - 0.5;
    svg.append(page.svg('rect', {class: `piece ${piece.kind}`, x: x(piece.first) + 1, y: top, width: wide, height: tall, rx: 2},
      page.svg('title', {}, `${piece.name} ${piece.type}\n${page.bytes(piece.bytes)} at ${piece.offset}\nsteps ${piece.first} to ${piece.last}`)));
    const letters = Math.floor((wide - 8) / 6.2);
    if (tall > 14 && letters > 3) {
      svg.append(page.svg('text', {class: 'piece-name', x: x(piece.first) + 6, y: top + Math.min(tall / 2 + 4, 16)}, piece.name.length > letters ? `${piece.name.slice(0, letters - 1)}\u2026` : piece.name));
    }
  });
  const table = page.plainTable('Buffers in the arena', ['Buffer', 'Type', 'Bytes', 'Offset', 'Steps'], pieces.map((piece) =>
    [piece.name, piece.type, page.bytes(piece.bytes), String(piece.offset), piece.first === piece.last ? `${piece.first}` : `${piece.first} to ${piece.last}`]));
  const sum = pieces.reduce((all, piece) => all + piece.bytes, 0);
  return [title,
    page.element('p', {class: 'hint'}, `${page.count(pieces.length, 'buffer', 'buffers')} of ${page.bytes(sum)} together share an arena of ${page.bytes(memory.arena_bytes)}. Across: steps. Up: addresses.`),
    page.scroller(svg, 'The arena over the steps'), rest,
    page.element('details', {}, [page.element('summary', {}, 'The same as a table'), table])];
};

page.showPlan = () => {
  const {batch} = page.data;
  const sentence = !batch ? '' : batch.fixed_because ? `The batch is fixed: ${batch.fixed_because}.`
    : `The batch is an argument of each call: ${batch.least} to ${batch.greatest} on one binary; declared as ${batch.declared}.${
      batch.planned === batch.declared ? '' : ` Figures of single steps are for a batch of ${batch.planned}, for which it was planned.`}`;
  page.body('plan').append(...page.timeline(), ...page.memory(), sentence ? page.element('p', {}, sentence) : '');
};
