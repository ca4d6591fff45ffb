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

// A logarithmic axis marks powers of ten alone.
page.isPowerOfTen = (value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;
page.powersOfTen = (show) => (value) => (page.isPowerOfTen(value) ? show(value) : '');
