// SPDX-License-Identifier: Apache-2.0
// Where the time goes: the steps in order, each as wide as it takes.
'use strict';

page.timeline = () => {
  const runs = page.data.steps.filter((step) => step.phase === 'run');
  const times = runs.map(page.stepTime);
  const total = times.reduce((sum, time) => sum + time.us, 0);
  const kinds = [...new Set(times.map((time) => time.kind))];
  const bar = page.element('div', {class: 'timeline'}, runs.map((step, index) => {
    const part = total > 0 ? times[index].us / total : 0;
    const label = `${page.stepNumber(step)} ${step.name}: ${page.time(times[index].us)} ${times[index].kind}, ${page.percent(part)} of all steps`;
    return page.element('a', {href: `#step-${step.index}`, class: `bound-${step.bound || 'unknown'}`, style: `flex-grow:${Math.max(part * 1000, 1).toFixed(2)}`, title: label, 'aria-label': label},
      part > 0.03 ? page.stepNumber(step) : '');
  }));
  return [
    page.element('h3', {}, ['Where the time goes ', ...kinds.map(page.tag)]),
    page.element('p', {class: 'hint'}, `${page.count(runs.length, 'step', 'steps')}, ${page.time(total)} one after the other; each is a link to its code.`),
    bar,
    page.element('p', {class: 'legend'}, [['memory', 'bound by memory'], ['compute', 'bound by products'], ['lanes', 'bound by other arithmetic']].map(([bound, text]) =>
      page.element('span', {class: `key bound-${bound}`}, text))),
  ];
};
