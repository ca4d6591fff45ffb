// SPDX-License-Identifier: Apache-2.0
// The head of the page, its notes, and what each stage took.
'use strict';

page.showFigures = () => {
  const stages = page.stages;
  const add = (name, value, more) => document.getElementById('figures').append(page.element('div', {}, [
    page.element('dt', {}, name), page.element('dd', {}, [page.element('strong', {}, value), more ? page.element('span', {class: 'more'}, more) : ''])]));
  page.list(page.data.figures).forEach((figure) => add(figure.name, figure.value, figure.more));
  const seconds = stages.flatMap((stage) => Object.values(page.object(page.object(stage.costs).seconds))).reduce((sum, value) => sum + value, 0);
  if (seconds > 0) {
    add('Took', page.time(1e6 * seconds), stages.length > 1 ? 'all stages together' : 'by what was booked');
  }
};

page.showNotes = () => {
  const notes = page.list(page.data.notes);
  if (notes.length > 0) {
    document.getElementById('notes').append(page.element('div', {class: 'note'}, page.element('ul', {}, notes.map((note) => page.element('li', {}, note)))));
  }
};

page.showStages = () => {
  const seconds = (stage) => page.object(page.object(stage.costs).seconds);
  const parts = [...new Set(page.stages.flatMap((stage) => Object.keys(seconds(stage))))];
  const number = (value) => (page.isNumber(value) ? value.toLocaleString('en') : '\u2013');
  page.body('stages').append(page.plainTable('What was done, and what it took', ['Stage', 'Verb', 'Steps', 'Began with', ...parts.map((part) => `Seconds of ${part}`), 'Tokens drawn', 'Tokens of steps'],
    page.stages.map((stage) => [stage.name, stage.verb || '\u2013', stage.steps, stage.began_with || '\u2013',
      ...parts.map((part) => (page.isNumber(seconds(stage)[part]) ? page.digits(seconds(stage)[part]) : '\u2013')), number(stage.costs.drawn_tokens), number(stage.costs.step_tokens)])));
};

page.showAbout = () => {
  page.body('about').append(page.element('p', {class: 'lead'}, 'Made from config.json, metrics.jsonl and costs.jsonl in the folder of the run, and of the stages of a chain before it. It is made again at each checkpoint, and by `stitchcuda train report FOLDER`. What each curve means is in docs/training.md.'));
};
