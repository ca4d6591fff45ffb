// SPDX-License-Identifier: Apache-2.0
// What the boxes of the two graphs are: operators or lines of the program before, steps after.
'use strict';

page.graphBoxes = (() => {
  const fact = (name, value) => [page.element('dt', {}, name), page.element('dd', {}, value)];
  const facts = (pairs) => page.element('dl', {class: 'facts'}, pairs.flatMap(([name, value]) => fact(name, value)));
  const code = (text) => page.element('code', {}, text);
  const between = (nodes) => nodes.flatMap((node, index) => (index === 0 ? [node] : [', ', node]));

  const stepLink = (step) => page.element('a', {href: `#step-${step.index}`}, `${page.stepNumber(step)} ${step.name}`);

  // What costs most gives a group its colour.
  const mainFamily = (nodes) =>
    ['product', 'reduction', 'pointwise', 'movement'].find((family) => nodes.some((node) => node.family === family)) || 'other';

  // Steps by the name of each value they compute: rewrites keep the names of what they leave.
  const stepsByName = () => {
    const found = new Map();
    page.data.steps.forEach((step) => step.nodes.forEach((index) => {
      const node = page.data.after ? page.data.after.nodes[index] : null;
      if (node) {
        found.set(node.name, [...(found.get(node.name) || []), step]);
      }
    }));
    return found;
  };

  const inputBox = (input) => ({
    title: input.name, subtitle: `${input.role} ${input.type}`, family: 'input', round: true, in: [],
    words: `${input.name} ${input.binding} ${input.role} ${input.type}`,
    inspect: () => [page.element('h3', {}, input.name), facts([['Role', input.role], ['Called', code(input.binding)], ['Type', code(input.type)], ['Size', page.bytes(input.bytes)]])],
  });
  const outputBox = (output, from) => ({
    title: output.role === 'output' ? `output ${output.binding}` : `new ${output.binding}`, subtitle: output.name, family: 'output', round: true, in: from,
    words: `${output.binding} ${output.name} ${output.role}`,
    inspect: () => [page.element('h3', {}, `${output.role} ${output.binding}`), facts([['Value', code(output.name)]])],
  });

  const operatorInspect = (nodes, steps) => {
    const made = [...new Set(nodes.flatMap((node) => steps.get(node.name) || []))];
    return [
      page.element('h3', {}, nodes.length === 1 ? nodes[0].op : page.count(nodes.length, 'operator', 'operators')),
      facts([
        ['From', code(nodes[0].place || 'no place known')],
        ['Computed by', made.length > 0 ? between(made.map(stepLink)) : 'no step of its own: simplified or looked through'],
        ...(nodes.length === 1 ? [['Type', code(nodes[0].type)]] : []),
      ]),
      page.element('pre', {class: 'lines', tabindex: '0'}, nodes.map((node) => node.text || `${node.name} = ${node.op}`).join('\n')),
    ];
  };

  // Runs of neighbouring operators of one line are one group: an interval of a topological order makes no cycle.
  const groupsOf = (nodes, byLine) => {
    const groups = [];
    nodes.forEach((node, index) => {
      const last = groups[groups.length - 1];
      if (byLine && last && node.place !== '' && nodes[last[0]].place === node.place) {
        last.push(index);
      } else {
        groups.push([index]);
      }
    });
    return groups;
  };

  const visibleInputs = (graph, weights) =>
    graph.inputs.flatMap((input, index) => (weights || input.role === 'input' || input.role === 'state' ? [index] : []));

  const before = (graph, {byLine, weights}) => {
    const steps = stepsByName();
    const shown = visibleInputs(graph, weights);
    const inputAt = new Map(shown.map((input, place) => [-1 - input, place]));
    const groups = groupsOf(graph.nodes, byLine);
    const boxOf = new Map(groups.flatMap((group, place) => group.map((node) => [node, place + shown.length])));
    const at = (from) => (from < 0 ? inputAt.get(from) : boxOf.get(from));
    const groupBox = (group, own) => {
      const nodes = group.map((index) => graph.nodes[index]);
      const many = nodes.length > 1;
      return {
        title: many ? nodes.map((node) => node.op).join(' \u00b7 ') : nodes[0].op,
        subtitle: many ? `${nodes[0].place}, ${page.count(nodes.length, 'operator', 'operators')}` : nodes[0].type,
        family: mainFamily(nodes),
        in: [...new Set(nodes.flatMap((node) => node.in.map(at)))].filter((from) => from !== undefined && from !== own),
        words: nodes.map((node) => `${node.op} ${node.name} ${node.place} ${node.type}`).join(' '),
        inspect: () => operatorInspect(nodes, steps),
      };
    };
    return [
      ...shown.map((index) => inputBox(graph.inputs[index])),
      ...groups.map((group, place) => groupBox(group, place + shown.length)),
      ...graph.outputs.map((output) => outputBox(output, [at(output.from)].filter((from) => from !== undefined))),
    ];
  };

  const stepBox = (step, from) => {
    const time = page.stepTime(step);
    const nodes = step.nodes.map((index) => page.data.after && page.data.after.nodes[index]).filter(Boolean);
    return {
      title: `${page.stepNumber(step)} ${step.name}`, subtitle: `${step.skeleton} \u00b7 ${page.time(time.us)}${step.phase === 'prepare' ? ' \u00b7 prepare' : ''}`,
      family: mainFamily(nodes),
      in: from, words: `${step.name} ${step.skeleton} ${step.setting} ${nodes.map((node) => `${node.op} ${node.name} ${node.place}`).join(' ')}`,
      inspect: () => [
        page.element('h3', {}, `${page.stepNumber(step)} ${step.name}`),
        facts([['Time', [page.time(time.us), page.tag(time.kind)]], ['Skeleton', code(step.skeleton)], ['Setting', code(step.setting)],
          ['Bound', step.bound || 'not known'], ['Moves', page.bytes(step.bytes)], ['From', between(page.placesOf(step).map(code))],
          ['Code', page.element('a', {href: `#step-${step.index}`}, step.file)]]),
        page.element('pre', {class: 'lines', tabindex: '0'}, nodes.map((node) => node.text || `${node.name} = ${node.op}`).join('\n')),
      ],
    };
  };

  // Edges are buffers: each step reads what the last step wrote under that name.
  const after = (graph, {weights}) => {
    const shown = visibleInputs(graph, weights);
    const maker = new Map(shown.map((index, place) => [graph.inputs[index].name, place]));
    const boxes = shown.map((index) => inputBox(graph.inputs[index]));
    page.data.steps.forEach((step) => {
      const from = [...new Set(step.operands.map((name) => maker.get(name)))].filter((index) => index !== undefined);
      boxes.push(stepBox(step, from));
      step.results.forEach((name) => maker.set(name, boxes.length - 1));
    });
    return [...boxes, ...graph.outputs.map((output) => outputBox(output, [maker.get(output.name)].filter((from) => from !== undefined)))];
  };

  return {before, after};
})();
