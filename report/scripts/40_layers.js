// SPDX-License-Identifier: Apache-2.0
// Places the nodes of a directed acyclic graph in layers, after Sugiyama, Tagawa and Toda (1981): longest paths give the
// layers, barycentres the order in them, and least squares with the order kept (pooled adjacent violators) the columns.
'use strict';

page.layers = (() => {
  const kLayerGap = 26;
  const kNodeGap = 18;
  const kBendWidth = 8; // of an edge on its way through a layer
  const kSweeps = 16;
  const kBendWeight = 6; // how much straighter an edge is kept than a box is centred

  // Layer of each node; a source stands right above the first that needs it.
  const rank = (nodes) => {
    const ranks = nodes.map(() => 0);
    nodes.forEach((node, index) => node.in.forEach((from) => {
      ranks[index] = Math.max(ranks[index], ranks[from] + 1);
    }));
    const nearest = nodes.map(() => Infinity);
    nodes.forEach((node, index) => node.in.forEach((from) => {
      nearest[from] = Math.min(nearest[from], ranks[index]);
    }));
    return ranks.map((own, index) =>
      nodes[index].in.length === 0 && nearest[index] < Infinity ? nearest[index] - 1 : own);
  };

  // Cells are nodes and the bends of edges that pass a layer; each edge becomes a chain of cells.
  const makeCells = (nodes, ranks) => {
    const cells = nodes.map((node, index) => ({node: index, rank: ranks[index], width: node.width, up: [], down: []}));
    const chains = [];
    const join = (above, below) => {
      cells[above].down.push(below);
      cells[below].up.push(above);
    };
    nodes.forEach((node, index) => node.in.forEach((from) => {
      const chain = [from];
      for (let layer = ranks[from] + 1; layer < ranks[index]; layer += 1) {
        cells.push({node: -1, rank: layer, width: kBendWidth, up: [], down: []});
        join(chain[chain.length - 1], cells.length - 1);
        chain.push(cells.length - 1);
      }
      join(chain[chain.length - 1], index);
      chain.push(index);
      chains.push(chain);
    }));
    return {cells, chains};
  };

  const order = (cells) => {
    const layers = [];
    cells.forEach((cell, index) => {
      (layers[cell.rank] = layers[cell.rank] || []).push(index);
    });
    const position = new Array(cells.length).fill(0);
    const number = (layer) => layer.forEach((cell, index) => {
      position[cell] = index;
    });
    layers.forEach(number);
    for (let sweep = 0; sweep < kSweeps; sweep += 1) {
      const side = sweep % 2 === 0 ? 'up' : 'down';
      const sequence = side === 'up' ? layers : [...layers].reverse();
      sequence.forEach((layer) => {
        const centre = new Map(layer.map((cell) => {
          const near = cells[cell][side];
          return [cell, near.length ? near.reduce((sum, other) => sum + position[other], 0) / near.length : position[cell]];
        }));
        layer.sort((a, b) => centre.get(a) - centre.get(b) || position[a] - position[b]);
        number(layer);
      });
    }
    return layers;
  };

  // The x nearest to `wanted` that keep neighbours `apart`: blocks that would overlap are pooled into one.
  const settle = (wanted, apart, weights) => {
    const blocks = [];
    wanted.forEach((x, index) => {
      let block = {sum: (x - apart[index]) * weights[index], weight: weights[index], count: 1};
      while (blocks.length && blocks[blocks.length - 1].sum / blocks[blocks.length - 1].weight >= block.sum / block.weight) {
        const before = blocks.pop();
        block = {sum: before.sum + block.sum, weight: before.weight + block.weight, count: before.count + block.count};
      }
      blocks.push(block);
    });
    const settled = [];
    blocks.forEach((block) => {
      for (let i = 0; i < block.count; i += 1) {
        settled.push(block.sum / block.weight + apart[settled.length]);
      }
    });
    return settled;
  };

  const columns = (cells, layers) => {
    const x = new Array(cells.length).fill(0);
    const apartOf = layers.map((layer) => {
      let reach = 0;
      return layer.map((cell, index) => {
        reach += index === 0 ? 0 : (cells[layer[index - 1]].width + cells[cell].width) / 2 + kNodeGap;
        return reach;
      });
    });
    layers.forEach((layer, rankOf) => layer.forEach((cell, index) => {
      x[cell] = apartOf[rankOf][index] - apartOf[rankOf][layer.length - 1] / 2;
    }));
    for (let sweep = 0; sweep < kSweeps; sweep += 1) {
      const sequence = layers.map((layer, rankOf) => rankOf);
      (sweep % 2 === 0 ? sequence : sequence.reverse()).forEach((rankOf) => {
        const layer = layers[rankOf];
        const wanted = layer.map((cell) => {
          const near = sweep >= kSweeps / 2 || cells[cell].node < 0 ? [...cells[cell].up, ...cells[cell].down]
            : sweep % 2 === 0 ? cells[cell].up : cells[cell].down;
          return near.length ? near.reduce((sum, other) => sum + x[other], 0) / near.length : x[cell];
        });
        settle(wanted, apartOf[rankOf], layer.map((cell) => (cells[cell].node < 0 ? kBendWeight : 1))).forEach((value, index) => {
          x[layer[index]] = value;
        });
      });
    }
    return x;
  };

  // nodes: [{width, height, in: [indexes of earlier nodes]}] -> {places: [{x, y}] of centres, edges: [{from, to, points}],
  // width, height}
  return (nodes) => {
    if (nodes.length === 0) {
      return {places: [], edges: [], ranks: [], width: 0, height: 0};
    }
    const ranks = rank(nodes);
    const {cells, chains} = makeCells(nodes, ranks);
    const layers = order(cells);
    const x = columns(cells, layers);
    let y = 0;
    const middle = layers.map((layer) => {
      const tall = Math.max(0, ...layer.map((cell) => (cells[cell].node < 0 ? 0 : nodes[cell].height)));
      y += tall + kLayerGap;
      return y - kLayerGap - tall / 2;
    });
    const left = Math.min(...cells.map((cell, index) => x[index] - cell.width / 2));
    const right = Math.max(...cells.map((cell, index) => x[index] + cell.width / 2));
    const point = (cell) => ({x: x[cell] - left, y: middle[cells[cell].rank]});
    return {
      places: nodes.map((node, index) => point(index)),
      edges: chains.map((chain) => ({from: chain[0], to: chain[chain.length - 1], points: chain.map(point)})),
      ranks,
      width: right - left,
      height: Math.max(0, y - kLayerGap),
    };
  };
})();
