// SPDX-License-Identifier: Apache-2.0
// Each step's CUDA beside the lines of the program that it computes; drawn when it is opened.
'use strict';

page.showCode = () => {
  const kAround = 2; // lines shown before and after one that a step computes
  const {steps} = page.data;
  const program = page.object(page.data.evidence.program);
  const body = page.body('code');

  const linesOf = (step) => {
    const files = new Map();
    page.placesOf(step).forEach((place) => {
      const colon = place.lastIndexOf(':');
      const [file, line] = [place.slice(0, colon), Number(place.slice(colon + 1))];
      files.set(file, (files.get(file) || new Set()).add(line));
    });
    return files;
  };

  const sourceSide = (step) => {
    const files = [...linesOf(step)];
    const parts = files.map(([file, marked]) => {
      const where = `${file}, ${marked.size === 1 ? 'line' : 'lines'} ${[...marked].sort((a, b) => a - b).join(', ')}`;
      if (typeof program[file] !== 'string') {
        return page.element('p', {class: 'hint'}, `${where} (the file is not in this page)`);
      }
      const shown = new Set([...marked].flatMap((line) => Array.from({length: 2 * kAround + 1}, (unused, i) => line - kAround + i)));
      return page.element('div', {}, [page.element('p', {class: 'file'}, where), page.listing(`Program, ${where}`, program[file], 'python', {marked, shown})]);
    });
    return page.element('div', {class: 'side'}, parts.length ? parts : page.element('p', {class: 'hint'}, 'No line of the program is known for this step.'));
  };

  const choices = (step) => (step.alternatives.length === 0 ? '' : page.element('details', {class: 'inner'}, [
    page.element('summary', {}, `${page.count(step.alternatives_total, 'other setting', 'other settings')} that could have been taken`),
    page.plainTable('Settings not taken, best first', ['Setting', 'Estimated', 'Measured'], step.alternatives.map((other) =>
      [page.element('code', {}, other.setting), page.isNumber(other.estimated_us) ? page.time(other.estimated_us) : '\u2013', page.isNumber(other.measured_us) ? page.time(other.measured_us) : 'not measured'])),
  ]));

  const draw = (step, inside) => {
    const emitted = typeof step.code === 'string'
      ? page.element('div', {class: 'side'}, [page.element('p', {class: 'file'}, [step.file, page.copyButton(step.code, step.file)]), page.listing(`CUDA of step ${step.index}`, step.code, 'cpp')])
      : page.element('p', {class: 'hint'}, `${step.file} is not in this page.`);
    inside.replaceChildren(page.element('div', {class: 'sides'}, [emitted, sourceSide(step)]), choices(step));
  };

  const panels = steps.map((step) => {
    const inside = page.element('div', {class: 'inside'});
    const time = page.stepTime(step);
    const panel = page.element('details', {id: `step-${step.index}`, class: 'step'}, [
      page.element('summary', {}, [
        page.element('span', {class: 'step-number'}, page.stepNumber(step)), page.element('strong', {}, step.name),
        page.element('span', {class: 'more'}, [`${step.skeleton} \u00b7 `, page.element('code', {}, step.setting)]),
        page.element('span', {class: 'spring'}), page.element('span', {class: 'more'}, [page.time(time.us), page.tag(time.kind), step.author === 'edited by hand' ? ' edited by hand' : ''])]),
      inside]);
    panel.addEventListener('toggle', () => panel.open && inside.childElementCount === 0 && draw(step, inside));
    return panel;
  });

  const all = page.element('button', {type: 'button', class: 'quiet', 'aria-pressed': 'false'}, 'Open all');
  all.addEventListener('click', () => {
    const open = all.getAttribute('aria-pressed') === 'false';
    panels.forEach((panel) => {
      panel.open = open;
    });
    all.setAttribute('aria-pressed', String(open));
    all.textContent = open ? 'Close all' : 'Open all';
  });
  body.append(page.element('div', {class: 'tools'}, all), ...panels);
  Object.entries(program).filter(([, text]) => typeof text === 'string').forEach(([file, text]) => {
    const inside = page.element('div', {class: 'inside'});
    const whole = page.element('details', {class: 'step program'}, [page.element('summary', {}, [page.element('strong', {}, file), page.element('span', {class: 'more'}, 'the program, as it was judged')]), inside]);
    whole.addEventListener('toggle', () => whole.open && inside.childElementCount === 0 && inside.append(page.copyButton(text, file), page.listing(file, text, 'python')));
    body.append(whole);
  });
};

// A link to a step opens it.
page.followLinks = () => {
  const open = () => {
    const target = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    if (target instanceof HTMLDetailsElement) {
      target.open = true;
      target.scrollIntoView();
      target.querySelector('summary').focus({preventScroll: true});
    }
  };
  addEventListener('hashchange', open);
  open();
};
