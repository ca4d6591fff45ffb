// SPDX-License-Identifier: Apache-2.0
// Tabs after the ARIA practices: one stop for Tab, arrows and Home and End move between them.
'use strict';

// tabs: [{id, title, panel}]. `shown` hears the id of a tab that came forward.
page.tabs = (label, tabs, shown) => {
  const list = page.element('div', {role: 'tablist', 'aria-label': label, class: 'tabs'});
  const holder = page.element('div', {class: 'panels'});
  const buttons = tabs.map((tab) => {
    tab.panel.setAttribute('role', 'tabpanel');
    tab.panel.id = `${tab.id}-panel`;
    tab.panel.setAttribute('aria-labelledby', `${tab.id}-tab`);
    holder.append(tab.panel);
    const button = page.element(
      'button', {type: 'button', role: 'tab', id: `${tab.id}-tab`, 'aria-controls': `${tab.id}-panel`}, tab.title);
    list.append(button);
    return button;
  });
  const choose = (chosen) => {
    tabs.forEach((tab, index) => {
      buttons[index].setAttribute('aria-selected', String(index === chosen));
      buttons[index].tabIndex = index === chosen ? 0 : -1;
      tab.panel.hidden = index !== chosen;
    });
    if (shown) {
      shown(tabs[chosen].id);
    }
  };
  buttons.forEach((button, index) => button.addEventListener('click', () => choose(index)));
  list.addEventListener('keydown', (event) => {
    const now = buttons.indexOf(document.activeElement);
    const to = {ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: buttons.length - 1}[event.key];
    if (now >= 0 && to !== undefined) {
      event.preventDefault();
      const next = (to + buttons.length) % buttons.length;
      choose(next);
      buttons[next].focus();
    }
  });
  choose(0);
  return {element: page.element('div', {}, [list, holder]), choose: (id) => choose(tabs.findIndex((tab) => tab.id === id))};
};
