// SPDX-License-Identifier: Apache-2.0
// The two graphs behind their tabs, each with its tools: search, granularity, weights, zoom.
'use strict';

page.showGraphs = () => {
  const kManyOperators = 40; // more are drawn line by line at first

  const panelOf = (id, graph, boxesOf, choices) => {
    const state = {byLine: choices.byLine && graph.nodes.length > kManyOperators, weights: false};
    const panel = page.element('div', {class: 'graph-panel'});
    const holder = page.element('div', {class: 'graph-holder'});
    const hits = page.element('span', {class: 'hits', role: 'status'});
    const box = page.element('input', {type: 'search', id: `${id}-search`, placeholder: 'linear, model.py:14 \u2026', autocomplete: 'off', spellcheck: 'false'});
    let view = null;
    let found = [];
    let at = -1;

    const look = () => {
      found = view.search(box.value);
      at = -1;
      hits.textContent = box.value.trim() === '' ? '' : found.length === 0 ? 'nothing found' : `${found.length} found; Enter goes through them`;
    };
    const draw = () => {
      view = page.graphView(choices.label, boxesOf(graph, state));
      holder.replaceChildren(view.scroller, view.inspector);
      requestAnimationFrame(view.open);
      look();
    };
    box.addEventListener('input', look);
    box.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && found.length > 0) {
        event.preventDefault();
        at = (at + (event.shiftKey ? found.length - 1 : 1)) % found.length;
        view.select(found[at], true);
        box.focus({preventScroll: true});
        hits.textContent = `${at + 1} of ${found.length}`;
      }
    });
    const toggle = (name, text) => {
      const button = page.element('button', {type: 'button', class: 'quiet', 'aria-pressed': String(state[name])}, text);
      button.addEventListener('click', () => {
        state[name] = !state[name];
        button.setAttribute('aria-pressed', String(state[name]));
        draw();
      });
      return button;
    };
    const press = (text, label, action) => page.element('button', {type: 'button', class: 'quiet', 'aria-label': label, onclick: action}, text);
    panel.append(
      page.element('div', {class: 'tools'}, [
        page.element('label', {for: `${id}-search`}, 'Find'), box, hits,
        page.element('span', {class: 'spring'}),
        choices.byLine ? toggle('byLine', 'By source line') : '', toggle('weights', 'Weights'),
        press('\u2212', 'Smaller', () => view.zoom(0.8)), press('+', 'Larger', () => view.zoom(1.25)),
        press('Fit', 'Fit the drawing to its box', () => view.fit()), press('1:1', 'Actual size', () => view.actual()),
      ]), holder);
    draw();
    return {panel, open: () => requestAnimationFrame(() => view.open())};
  };

  const body = page.body('graph');
  const {before, after} = page.data;
  const tabs = [];
  if (before) {
    tabs.push({id: 'before', title: `Before: ${page.count(before.nodes.length, 'operator', 'operators')}`,
      ...panelOf('before', before, page.graphBoxes.before, {label: 'Imported operators', byLine: true})});
  }
  if (after) {
    tabs.push({id: 'after', title: `After: ${page.count(page.data.steps.length, 'step', 'steps')}`,
      ...panelOf('after', after, page.graphBoxes.after, {label: 'Planned steps', byLine: false})});
  }
  if (tabs.length === 0) {
    body.append(page.element('p', {}, 'No graph is in this page; the notes above say why.'));
    return;
  }
  body.append(
    page.svg('svg', {class: 'hidden-defs', 'aria-hidden': 'true', width: 0, height: 0}, page.svg('defs', {},
      page.svg('marker', {id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: 'auto'},
        page.svg('path', {d: 'M0,0.8 L7,4 L0,7.2 z', class: 'arrow'})))),
    page.tabs('Graph', tabs, (id) => tabs.find((tab) => tab.id === id).open()).element,
    page.element('p', {class: 'legend', 'aria-hidden': 'true'}, [
      ...[['product', 'products: linear, convolution, attention, recurrent'], ['reduction', 'reductions, norms, pools'],
        ['pointwise', 'pointwise'], ['movement', 'movement and views']].map(([family, text]) =>
        page.element('span', {class: `key family-${family}`}, text))]));
};
