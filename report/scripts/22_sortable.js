// SPDX-License-Identifier: Apache-2.0
// A table whose columns sort by a press of their heading.
'use strict';

// columns: [{title, kind, value: row -> number or text, show: row -> node or text, number: bool, heading: bool}]
page.sortableTable = (caption, columns, rows) => {
  const body = page.element('tbody');
  const heads = columns.map((column, index) =>
    page.element('th', {scope: 'col', class: column.number ? 'number' : null, 'aria-sort': 'none'},
      [page.element('button', {type: 'button', onclick: () => sort(index)}, column.title), column.kind ? page.tag(column.kind) : '']));
  // Made once, so that what a reader has unfolded stays so when the table is sorted.
  const lines = new Map(rows.map((row) => [row, page.element('tr', {}, columns.map((column) =>
    page.element(column.heading ? 'th' : 'td', {scope: column.heading ? 'row' : null, class: column.number ? 'number' : null},
      column.show(row))))]));
  const draw = (ordered) => body.replaceChildren(...ordered.map((row) => lines.get(row)));
  const sort = (index) => {
    const column = columns[index];
    const down = heads[index].getAttribute('aria-sort') === (column.number ? 'none' : 'ascending') ||
      (column.number && heads[index].getAttribute('aria-sort') === 'ascending');
    heads.forEach((head) => head.setAttribute('aria-sort', 'none'));
    heads[index].setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const key = (row) => column.value(row);
    const compare = (a, b) => {
      const [left, right] = [key(a), key(b)];
      if (left === null || right === null) {
        return left === right ? 0 : left === null ? 1 : -1; // what has no value stays below
      }
      const order = column.number ? left - right : String(left).localeCompare(String(right));
      return down ? -order : order;
    };
    draw([...rows].sort(compare));
  };
  draw(rows);
  const table = page.element('table', {}, [
    page.element('caption', {}, caption), page.element('thead', {}, page.element('tr', {}, heads)), body]);
  return page.scroller(table, caption);
};

// A wide thing in a box that scrolls by itself, also by the keyboard.
page.scroller = (content, label) =>
  page.element('div', {class: 'scroller', tabindex: '0', role: 'region', 'aria-label': label}, content);

// columns: titles; rows: lists of text or nodes.
page.plainTable = (caption, columns, rows) => page.scroller(page.element('table', {}, [
  page.element('caption', {}, caption),
  page.element('thead', {}, page.element('tr', {}, columns.map((title) => page.element('th', {scope: 'col'}, title)))),
  page.element('tbody', {}, rows.map((row) => page.element('tr', {}, row.map((cell, index) =>
    page.element(index === 0 ? 'th' : 'td', {scope: index === 0 ? 'row' : null}, cell))))),
]), caption);
