// SPDX-License-Identifier: Apache-2.0
// Light, dark, or as the system is. Plots are canvases: they are told when colours change.
'use strict';

(() => {
  const order = ['auto', 'light', 'dark'];
  const names = {auto: 'as the system', light: 'light', dark: 'dark'};
  const button = document.getElementById('theme');
  const root = document.documentElement;
  const listeners = [];
  page.onTheme = (listener) => listeners.push(listener);
  page.colour = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();

  // Some browsers keep nothing for files; the page then starts as the system is.
  const remembered = () => {
    try {
      return localStorage.getItem('stitchcuda-theme');
    } catch (error) {
      return null;
    }
  };
  const remember = (theme) => {
    try {
      localStorage.setItem('stitchcuda-theme', theme);
    } catch (error) {
      // nothing to do: the choice lasts as long as the page
    }
  };

  const show = (theme) => {
    root.dataset.theme = theme;
    button.textContent = theme[0].toUpperCase() + theme.slice(1);
    button.setAttribute('aria-label', `Colours: ${names[theme]}. Change`);
    listeners.forEach((listener) => listener());
  };
  button.addEventListener('click', () => {
    const next = order[(order.indexOf(root.dataset.theme) + 1) % order.length];
    remember(next);
    show(next);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => listeners.forEach((listener) => listener()));
  show(order.includes(remembered()) ? remembered() : 'auto');
})();
