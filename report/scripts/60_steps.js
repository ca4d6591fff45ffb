// SPDX-License-Identifier: Apache-2.0
// The steps with all their figures, sortable.
'use strict';

page.showSteps = () => {
  const {steps} = page.data;
  const time = page.stepTime;
  const kinds = [...new Set(steps.map((step) => time(step).kind))];
  const columns = [
    {title: '#', number: true, value: (step) => step.index, show: (step) => page.stepNumber(step)},
    {title: 'Step', heading: true, value: (step) => step.name, show: (step) => page.element('a', {href: `#step-${step.index}`}, step.name)},
    {title: 'Operators', number: true, value: (step) => step.nodes.length, show: (step) => String(step.nodes.length)},
    {title: 'Bytes', number: true, value: (step) => step.bytes, show: (step) => page.bytes(step.bytes)},
    {title: 'FLOPs', number: true, value: (step) => step.flops, show: (step) => (step.flops > 0 ? page.flops(step.flops) : '\u2013')},
    {title: 'Lane ops', number: true, value: (step) => step.lane_operations || 0, show: (step) => (step.lane_operations > 0 ? page.operationsText(step.lane_operations) : '\u2013')},
    {title: 'Floor', number: true, value: (step) => step.floor_us, show: (step) => (step.floor_us === null ? '\u2013' : page.time(step.floor_us))},
    {title: 'Time', kind: kinds.length === 1 ? kinds[0] : null, number: true, value: (step) => time(step).us,
      show: (step) => page.element('span', {class: 'with-tag'}, [page.time(time(step).us), kinds.length === 1 ? '' : page.tag(time(step).kind)])},
    {title: 'Bound', value: (step) => step.bound || '', show: (step) => (step.bound ? page.element('span', {class: `key bound-${step.bound}`}, step.bound) : '\u2013')},
    {title: 'Kernel and setting', value: (step) => `${step.skeleton} ${step.setting}`, show: (step) => [`${step.skeleton} `, page.element('code', {}, step.setting)]},
    {title: 'Written by', value: (step) => step.author, show: (step) => step.author},
  ];
  const prepares = steps.filter((step) => step.phase === 'prepare').length;
  page.body('steps').append(
    page.element('p', {class: 'lead'}, ['Bytes that must move at least, FLOPs of products and operations on lanes (additions, comparisons, conversions) are ', page.tag('counted'), '; the floor is the longest of the three over ', page.tag('datasheet'),
      ` peaks of ${page.data.device_name}. A press on a heading sorts.`]),
    page.sortableTable('Steps of the program', columns, steps),
    prepares > 0 ? page.element('p', {class: 'hint'}, `${page.count(prepares, 'step runs', 'steps run')} once, in prepare, after any change of the parameters; no run pays for ${prepares === 1 ? 'it' : 'them'}.`) : '');
};
