// SPDX-License-Identifier: Apache-2.0
// A laid-out graph as a drawing that scrolls, zooms, is searched, and is walked through with the arrow keys.
'use strict';

page.graphView = (() => {
  const kMargin = 16;
  const kCharacter = 7.3; // pixels of one letter of the drawing's text
  const kWidest = 300;
  const kTall = 42;

  const cut = (text, pixels) => {
    const most = Math.floor(pixels / kCharacter);
    return text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1))}\u2026`;
  };
  const widthOf = (box) =>
    Math.min(kWidest, Math.max(84, 26 + kCharacter * Math.max(box.title.length, box.subtitle.length)));

  const path = (points, boxes, edge) => {
    const ends = points.map((point) => ({...point}));
    ends[0].y += boxes[edge.from].height / 2;
    ends[ends.length - 1].y -= boxes[edge.to].height / 2;
    let line = `M${ends[0].x.toFixed(1)},${ends[0].y.toFixed(1)}`;
    for (let i = 1; i < ends.length; i += 1) {
      const half = ((ends[i - 1].y + ends[i].y) / 2).toFixed(1);
      line += `C${ends[i - 1].x.toFixed(1)},${half} ${ends[i].x.toFixed(1)},${half} ${ends[i].x.toFixed(1)},${ends[i].y.toFixed(1)}`;
    }
    return line;
  };

  const drawBox = (box, place) => {
    const group = page.svg('g', {
      class: `box family-${box.family}`, role: 'button', tabindex: '-1', 'aria-label': `${box.title}, ${box.subtitle}`,
      transform: `translate(${(place.x - box.width / 2).toFixed(1)},${(place.y - box.height / 2).toFixed(1)})`,
    });
    group.append(
      page.svg('rect', {class: 'back', width: box.width, height: box.height, rx: box.round ? box.height / 2 : 5}),
      box.round ? '' : page.svg('rect', {class: 'stripe', width: 4, height: box.height - 10, x: 5, y: 5, rx: 2}),
      page.svg('text', {x: 16, y: 17, class: 'title'}, cut(box.title, box.width - 22)),
      page.svg('text', {x: 16, y: 32, class: 'subtitle'}, cut(box.subtitle, box.width - 22)),
      page.svg('title', {}, `${box.title}\n${box.subtitle}`));
    return group;
  };

  // boxes: [{title, subtitle, family, round, in, words, inspect: () => nodes}]. `label` names the drawing.
  return (label, boxes) => {
    boxes.forEach((box) => {
      box.width = widthOf(box);
      box.height = kTall;
    });
    const plan = page.layers(boxes);
    const width = plan.width + 2 * kMargin;
    const height = plan.height + 2 * kMargin;
    const drawing = page.svg('g', {transform: `translate(${kMargin},${kMargin})`});
    const edges = plan.edges.map((edge) => page.svg('path', {class: 'edge', d: path(edge.points, boxes, edge), 'marker-end': 'url(#arrow)'}));
    const groups = boxes.map((box, index) => drawBox(box, plan.places[index]));
    drawing.append(...edges, ...groups);
    const svg = page.svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': `${label}: ${page.count(boxes.length, 'box', 'boxes')}. Arrow keys go from box to box.`}, drawing);
    const scroller = page.element('div', {class: 'graph-scroll'}, svg);
    const inspector = page.element('aside', {class: 'inspector', 'aria-live': 'polite', 'aria-label': 'Selected'});
    let selected = -1;
    let scale = 1;

    const zoom = (to) => {
      scale = Math.min(2, Math.max(0.1, to));
      svg.setAttribute('width', width * scale);
      svg.setAttribute('height', height * scale);
    };
    // At first no smaller than can be read: the box scrolls. On request the whole of it.
    const kReadable = 0.8;
    const fit = (least) => zoom(Math.max(least, Math.min(1, (scroller.clientWidth - 4) / width, (scroller.clientHeight - 4) / height)));
    const open = () => {
      fit(kReadable);
      scroller.scrollLeft = (scroller.scrollWidth - scroller.clientWidth) / 2;
    };
    const reveal = (index) => {
      const place = plan.places[index];
      scroller.scrollTo({left: (place.x + kMargin) * scale - scroller.clientWidth / 2, top: (place.y + kMargin) * scale - scroller.clientHeight / 2});
    };
    const select = (index, focus) => {
      if (selected >= 0) {
        groups[selected].classList.remove('selected');
      }
      groups.forEach((group, other) => group.setAttribute('tabindex', other === index ? '0' : '-1'));
      selected = index;
      groups[index].classList.add('selected');
      edges.forEach((edge, number) => {
        const {from, to} = plan.edges[number];
        edge.classList.toggle('near', from === index || to === index);
      });
      inspector.replaceChildren(...boxes[index].inspect());
      if (focus) {
        groups[index].focus({preventScroll: true});
        reveal(index);
      }
    };
    // The nearest box in a direction: along an edge up or down, along the layer left or right.
    const step = (key) => {
      const near = (list) => list.sort((a, b) => Math.abs(plan.places[a].x - plan.places[selected].x) - Math.abs(plan.places[b].x - plan.places[selected].x))[0];
      const all = boxes.map((box, index) => index);
      if (key === 'ArrowUp') {
        return near([...boxes[selected].in]);
      }
      if (key === 'ArrowDown') {
        return near(all.filter((index) => boxes[index].in.includes(selected)));
      }
      const layer = all.filter((index) => plan.ranks[index] === plan.ranks[selected]).sort((a, b) => plan.places[a].x - plan.places[b].x);
      return layer[layer.indexOf(selected) + (key === 'ArrowRight' ? 1 : -1)];
    };
    groups.forEach((group, index) => {
      group.addEventListener('click', () => {
        select(index, false); // where the pointer is need not be brought into view
        group.focus({preventScroll: true});
      });
      group.addEventListener('focus', () => selected !== index && select(index, false));
    });
    svg.addEventListener('keydown', (event) => {
      if (!event.key.startsWith('Arrow') || selected < 0) {
        return;
      }
      event.preventDefault();
      const next = step(event.key);
      if (next !== undefined) {
        select(next, true);
      }
    });
    const search = (text) => {
      const wanted = text.trim().toLowerCase();
      const hits = wanted === '' ? [] : boxes.flatMap((box, index) => (box.words.toLowerCase().includes(wanted) ? [index] : []));
      groups.forEach((group, index) => group.classList.toggle('dim', wanted !== '' && !hits.includes(index)));
      return hits;
    };
    if (groups.length > 0) {
      groups[0].setAttribute('tabindex', '0');
      inspector.append(page.element('p', {class: 'hint'}, 'Choose a box to see what it computes.'));
    }
    return {scroller, inspector, search, select, zoom: (by) => zoom(scale * by), open, fit: () => fit(0), actual: () => zoom(1)};
  };
})();
