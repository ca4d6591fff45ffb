// SPDX-License-Identifier: Apache-2.0
// Figures as people read them: three digits and a unit.
'use strict';

page.digits = (value) => {
  const size = Math.abs(value);
  return size === 0 ? '0' : size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toPrecision(3);
};

page.scaled = (value, base, units) => {
  let power = 0;
  while (Math.abs(value) >= base && power < units.length - 1) {
    value /= base;
    power += 1;
  }
  return `${power === 0 && Number.isInteger(value) ? value : page.digits(value)}\u202f${units[power]}`;
};

page.time = (us) => (us >= 1e6 ? `${page.digits(us / 1e6)}\u202fs` : us >= 1e4 ? `${page.digits(us / 1e3)}\u202fms` : `${page.digits(us)}\u202f\u00b5s`);
page.bytes = (bytes) => page.scaled(bytes, 1000, ['B', 'kB', 'MB', 'GB', 'TB']);
page.flops = (flops) => page.scaled(flops, 1000, ['FLOP', 'kFLOP', 'MFLOP', 'GFLOP', 'TFLOP', 'PFLOP']);
page.operationsText = (operations) => page.scaled(operations, 1000, ['op', 'kop', 'Mop', 'Gop', 'Top', 'Pop']);
page.rate = (flops) => page.scaled(flops, 1000, ['FLOP/s', 'kFLOP/s', 'MFLOP/s', 'GFLOP/s', 'TFLOP/s', 'PFLOP/s']);
page.percent = (part) => `${page.digits(100 * part)}\u202f%`;
page.count = (number, one, many) => `${number} ${number === 1 ? one : many}`;
page.stepNumber = (step) => String(step.index).padStart(2, '0');
