// SPDX-License-Identifier: Apache-2.0
// Draws the page, section by section: one that cannot be drawn says so and takes no other with it.
'use strict';

for (const [section, draw] of [
  ['figures', page.showFigures], ['notes', page.showNotes],
  ...['rewards', 'answers', 'policy', 'critic', 'updates'].map((section) => [section, page.showSection(section)]),
  ['stages', page.showStages], ['about', page.showAbout],
]) {
  try {
    draw();
  } catch (error) {
    (page.body(section) || document.getElementById(section)).append(page.element('p', {class: 'note'}, `This part could not be drawn: ${error.message}. Some file of the run was altered, or this is a bug of stitchcuda.`));
  }
}
page.followReading();
