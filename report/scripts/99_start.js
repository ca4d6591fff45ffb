// SPDX-License-Identifier: Apache-2.0
// Draws the page, section by section: one that cannot be drawn says so and takes no other with it.
'use strict';

for (const [section, draw] of [
  ['figures', page.showFigures], ['notes', page.showNotes], ['graph', page.showGraphs], ['plan', page.showPlan], ['steps', page.showSteps],
  ['roofline', page.showRoofline], ['errors', page.showErrors], ['code', page.showCode], ['agents', page.showAgents],
  ['reproduce', page.showReproduce], ['about', page.showAbout],
]) {
  try {
    draw();
  } catch (error) {
    const holder = page.body(section) || document.getElementById(section);
    holder.append(page.element('p', {class: 'note'}, `This part could not be drawn: ${error.message}. Some file of the folder was altered, or this is a bug of stitchcuda.`));
  }
}
page.followReading();
page.followLinks();
