// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: the block, tiles of 4 to 32 lanes, their shuffles, votes and reductions.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

template <int kTile>
__global__ void row_sums(const float* in, float* out, int columns) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<kTile>(block);
  const int row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
  float sum = 0;
  for (int i = tile.thread_rank(); i < columns; i += tile.size()) sum += in[row * columns + i];
  for (int step = tile.size() / 2; step > 0; step /= 2) sum += tile.shfl_down(sum, step);
  if (tile.thread_rank() == 0) out[row] = sum;
}

__global__ void mixed(int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const int rank = tile.thread_rank();
  const int total = cg::reduce(tile, static_cast<int>(block.thread_rank()), cg::plus<int>());
  const int largest = cg::reduce(tile, rank * 3 % 7, cg::greater<int>());
  const unsigned int odd = tile.ballot(rank % 2);
  const int from_neighbour = tile.shfl_xor(rank, 1);
  const int first = tile.shfl(total, 0);
  block.sync();
  out[block.thread_rank()] = total + first + largest + odd + from_neighbour + tile.any(rank == 5) + tile.all(rank < 8);
}

int main() {
  const int rows = 24, columns = 50;
  const std::vector<float> in = ramp(rows * columns);
  DeviceArray<float> a(in), b(rows);
  std::vector<double> expected(rows, 0.0);
  for (int i = 0; i < rows * columns; ++i) expected[i / columns] += in[i];
  row_sums<32><<<rows / 4, 128>>>(a.data, b.data, columns);
  expect_near(b.get(), expected, 1e-5, "tile 32");
  row_sums<4><<<rows / 8, 32>>>(a.data, b.data, columns);
  expect_near(b.get(), expected, 1e-5, "tile 4");

  DeviceArray<int> c(64);
  mixed<<<1, 64>>>(c.data);
  std::vector<int> sums(64);
  for (int i = 0; i < 64; ++i) {
    const int total = (i / 8 * 8) * 8 + 28;
    sums[i] = 2 * total + 6 + 0xaa + ((i % 8) ^ 1) + 1 + 1;
  }
  expect_equal(c.get(), sums, "mixed");
  return pass();
}
