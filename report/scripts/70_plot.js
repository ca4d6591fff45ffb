// SPDX-License-Identifier: Apache-2.0
// What the plots have in common: colours of the page, redrawn when these change or when the page is printed.
'use strict';

page.plotsPossible = () => typeof Chart !== 'undefined';

// configure() is called again for each change of colours: a configuration for Chart.js. `summary` says the plot in words.
page.plot = (summary, height, configure) => {
  const canvas = page.element('canvas', {role: 'img', 'aria-label': summary});
  const box = page.element('div', {class: 'plot', style: `height:${height}px`}, canvas);
  let chart = null;
  const draw = () => {
    if (chart) {
      chart.destroy();
    }
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    Chart.defaults.color = page.colour('muted');
    Chart.defaults.borderColor = page.colour('line');
    Chart.defaults.animation = false;
    chart = new Chart(canvas, configure());
  };
  requestAnimationFrame(draw);
  page.onTheme(draw);
  addEventListener('beforeprint', () => chart && chart.resize());
  addEventListener('afterprint', () => chart && chart.resize());
  return box;
};

// Ticks of a logarithmic axis: powers of ten alone.
page.powersOfTen = (show) => (value) => (Math.abs(Math.log10(value) % 1) < 1e-9 ? show(value) : '');
