// SPDX-License-Identifier: Apache-2.0
// Code with line numbers and, where highlight.js is in the page, colours.
'use strict';

page.listing = (() => {
  // highlight.js answers with HTML in which it escaped the code; without it the code is escaped here.
  const plain = (code) => code.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  // Version 9, which Debian has, says to the console that there is a newer one; the reader of a report cannot act on it.
  if (typeof hljs !== 'undefined') {
    hljs.configure({hideUpgradeWarningAcceptNoSupportOrSecurityUpdates: true});
  }
  const coloured = (code, language) => {
    if (typeof hljs === 'undefined') {
      return plain(code);
    }
    try {
      return hljs.highlight(language, code, true).value;
    } catch (error) {
      return plain(code);
    }
  };

  // A span that goes over a line's end is closed there and opened again, so that each line stands alone.
  const lines = (html) => {
    const open = [];
    return html.split('\n').map((line) => {
      const before = open.join('');
      for (const [tag] of line.matchAll(/<\/?span[^>]*>/g)) {
        if (tag[1] === '/') {
          open.pop();
        } else {
          open.push(tag);
        }
      }
      return before + line + '</span>'.repeat(open.length);
    });
  };

  // marked: a set of line numbers that stand out. shown: the lines to show, all of them when absent; gaps are marked.
  return (label, code, language, {marked = new Set(), shown = null, id = ''} = {}) => {
    const all = lines(coloured(code.replace(/\n$/, ''), language));
    const table = page.element('table', {class: 'listing', role: 'presentation'});
    // An excerpt stands as far left as it can.
    const indents = code.split('\n').filter((line, index) => shown && shown.has(index + 1) && line.trim() !== '').map((line) => line.search(/\S/));
    const indent = ' '.repeat(Math.min(...indents, indents.length ? Infinity : 0));
    let last = 0;
    all.forEach((html, index) => {
      const number = index + 1;
      if (shown && !shown.has(number)) {
        return;
      }
      if (number > last + 1) {
        table.append(page.element('tr', {class: 'gap'}, [page.element('td', {class: 'line-number'}), page.element('td', {}, '\u22ef')]));
      }
      last = number;
      const cell = page.element('td', {class: 'line'});
      cell.innerHTML = html === '' ? ' ' : html.startsWith(indent) ? html.slice(indent.length) : html;
      table.append(page.element('tr', {class: marked.has(number) ? 'marked' : null, id: id ? `${id}-${number}` : null}, [
        page.element('td', {class: 'line-number', 'data-number': number}), cell]));
    });
    if (shown && last < all.length) {
      table.append(page.element('tr', {class: 'gap'}, [page.element('td', {class: 'line-number'}), page.element('td', {}, '\u22ef')]));
    }
    return page.element('div', {class: 'code', tabindex: '0', role: 'region', 'aria-label': label}, table);
  };
})();

page.copyButton = (text, label) => {
  const button = page.element('button', {type: 'button', class: 'quiet copy', 'aria-label': `Copy ${label}`}, 'Copy');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch (error) {
      button.textContent = 'Not allowed here';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  return button;
};
