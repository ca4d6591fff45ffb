// SPDX-License-Identifier: Apache-2.0
// The one name that the scripts of the page share: data and what each file adds to it.
'use strict';

const page = {
  data: JSON.parse(document.getElementById('data').textContent),
};

// Members of evidence may be missing or of the wrong kind: somebody may have altered the files.
page.object = (value) => (value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {});
page.list = (value) => (Array.isArray(value) ? value : []);
page.isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

// A step's time, and of which kind it is.
page.stepTime = (step) =>
  page.isNumber(step.measured_us) ? {us: step.measured_us, kind: 'measured'} : {us: step.modelled_us, kind: 'modelled'};

// Arithmetic of a step: the FLOPs of its products where it has any, else its operations on lanes.
page.operations = (step) => (step.flops > 0 ? step.flops : step.lane_operations || 0);

// model.py:14 of every operator of a step, each once.
page.placesOf = (step) => {
  const nodes = page.data.after ? page.data.after.nodes : [];
  return [...new Set(step.nodes.map((index) => (nodes[index] ? nodes[index].place : '')).filter(Boolean))];
};
