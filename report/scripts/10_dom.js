// SPDX-License-Identifier: Apache-2.0
// Elements. Text always goes in as text, never as HTML: much of it was written by strangers.
'use strict';

page.fill = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : value);
    }
  }
  for (const child of [].concat(children === undefined ? [] : children)) {
    if (child !== null && child !== undefined && child !== '') {
      element.append(child instanceof Node ? child : String(child));
    }
  }
  return element;
};

page.element = (tag, attributes, children) => page.fill(document.createElement(tag), attributes, children);

page.svg = (tag, attributes, children) =>
  page.fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

page.body = (section) => document.querySelector(`#${section} .body`);

// "counted", "modelled", "estimated", "measured", "datasheet": what kind of figure stands beside it.
page.tag = (kind) => page.element('span', {class: `tag tag-${kind}`}, kind);
