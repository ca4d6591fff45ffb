// SPDX-License-Identifier: Apache-2.0
// The list of sections marks the one being read.
'use strict';

page.followReading = () => {
  const links = new Map([...document.querySelectorAll('nav.sections a')].map((link) => [link.hash.slice(1), link]));
  const visible = new Set();
  const watcher = new IntersectionObserver((entries) => {
    entries.forEach((entry) => (entry.isIntersecting ? visible.add(entry.target.id) : visible.delete(entry.target.id)));
    const current = [...links.keys()].find((id) => visible.has(id));
    links.forEach((link, id) => (id === current ? link.setAttribute('aria-current', 'true') : link.removeAttribute('aria-current')));
  }, {rootMargin: '-20% 0px -60% 0px'});
  links.forEach((link, id) => watcher.observe(document.getElementById(id)));
};
