// SPDX-License-Identifier: Apache-2.0
// The command lines that make the same again, the seeds, and the machine it was made on.
'use strict';

page.showReproduce = () => {
  const body = page.body('reproduce');
  const {command, task, result, seeds, environment} = Object.fromEntries(
    ['command', 'task', 'result', 'seeds', 'environment'].map((name) => [name, page.object(page.data.evidence[name])]));
  const quote = (word) => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
  const folder = quote(String(result.out || `out/${page.data.name}`));
  const given = page.list(command.arguments).map(String);
  // Without the command line itself, what its effects tell of it.
  const told = ['optimize', `${task.file || 'FILE.py'}${task.target ? `:${task.target}` : ''}`, '--math', String(task.math || page.data.math),
    '--seed', String(seeds.seed || 0), ...(result.device ? ['--device', result.device === 'cuda' ? 'gpu' : String(result.device)] : []),
    ...(task.mode === 'train' || task.mode === 'eval' ? [`--${task.mode}`] : []), ...(task.weights ? ['--weights', String(task.weights)] : [])];
  const block = (title, lines) => [page.element('h3', {}, title), page.element('div', {class: 'commands'}, [
    page.element('pre', {tabindex: '0'}, lines.join('\n')), page.copyButton(lines.join('\n'), title)])];
  const line = ['stitchcuda', ...(given.length > 0 ? given : told)].map(quote).join(' ');
  body.append(
    ...block(given.length > 0 ? 'The same run' : 'The same run, as its evidence tells it', given.length > 0 && command.folder ? [`cd ${quote(String(command.folder))}`, line] : [line]),
    ...block('Judge it again', [`stitchcuda verify ${folder}`, `stitchcuda verify ${folder} --step ${page.data.steps.length > 0 ? page.data.steps[page.data.steps.length - 1].index : 0}    # one step alone`]),
    ...block('Build and run it, without Python', [`cmake -S ${folder} -B ${folder}/build`, `cmake --build ${folder}/build`, `${folder}/build/${page.data.name}_host ${folder}/weights.safetensors`]),
    ...block('This page again', [`stitchcuda report ${folder}`]));
  const subjects = page.list(seeds.subjects).map(page.object);
  if (subjects.length > 0) {
    body.append(page.element('h3', {}, `Seed ${seeds.seed}`), page.plainTable('Sizes it was judged at', ['Sizes', 'Input shapes'], subjects.map((subject) => {
      const sizes = page.object(subject.task);
      return [String(subject.shape), sizes.input_shapes ? JSON.stringify(sizes.input_shapes) : 'the file\u2019s own'];
    })));
  }
  const machine = Object.entries({...environment, ...(command.torch_version ? {torch: command.torch_version} : {})}).filter(([name, value]) => name !== 'schema' && typeof value === 'string' && value !== '');
  if (machine.length > 0) {
    body.append(page.element('h3', {}, 'Made with'), page.plainTable('Environment', ['What', 'Which'], machine.map(([name, value]) =>
      [name.replaceAll('_', ' '), page.element('span', {class: 'wrap-anywhere'}, value.split('\n').find((part) => /release/.test(part)) || value.trim().split('\n')[0])])));
  }
};

page.showAbout = () => {
  const kinds = [
    ['counted', 'Follows from the program and its sizes: bytes that must move at least, FLOPs, memory.'],
    ['datasheet', 'What the device\u2019s maker says it can reach at best.'],
    ['modelled', 'Counted work over datasheet peaks and 2\u202f\u00b5s a launch. Nobody ran it; never a claim of speed.'],
    ['estimated', 'Modelled, with tiles, waves and rates that kernels of this kind reach: only for choosing between settings.'],
    ['measured', 'Seen: times on a GPU as a median, errors against fp64 on the device that the headline names.'],
  ];
  page.body('about').append(page.element('dl', {class: 'kinds'}, kinds.flatMap(([kind, text]) => [page.element('dt', {}, page.tag(kind)), page.element('dd', {}, text)])),
    page.element('p', {class: 'hint'}, 'Emulated rounding is not a GPU\u2019s; the error budget covers both. This page is one file and asks no network for anything.'));
};
