// SPDX-License-Identifier: Apache-2.0
// Which output tile and which part of K a block computes. Tiles are walked in bands of 8 tile rows, so that blocks that
// run at the same time share rows of lhs and columns of rhs in L2.
#pragma once

#include "kernels/gemm/operands.cuh"

namespace stitch {

struct BlockPlace {
  int64_t batch;
  int64_t split;
  int64_t row;     // first output row of the tile
  int64_t column;  // first output column of the tile
  int64_t k_begin;
  int64_t k_end;
};

class BlockRaster {
 public:
  __host__ BlockRaster(const GemmShape& shape, int tile_m, int tile_n, int tile_k, int64_t splits)
      : tile_m_(tile_m),
        tile_n_(tile_n),
        tiles_m_(static_cast<uint32_t>(ceil_divide(shape.m, tile_m))),
        tiles_n_(static_cast<uint32_t>(ceil_divide(shape.n, tile_n))),
        batch_(static_cast<uint32_t>(shape.batch)),
        splits_(static_cast<uint32_t>(splits)),
        k_(shape.k),
        split_length_(round_up(ceil_divide(shape.k, splits), tile_k)),
        kept_(shape.kept) {}

  __host__ int64_t blocks() const { return int64_t{tiles_m_} * tiles_n_ * batch_ * splits_; }

  // Nothing of K of a tile whose sums nobody takes.
  __device__ BlockPlace place() const {
    constexpr uint32_t kBand = 8;
    const uint32_t tiles = tiles_m_ * tiles_n_;
    const uint32_t matrix = blockIdx.x / tiles;
    const uint32_t tile = blockIdx.x % tiles;
    const uint32_t band = tile / (kBand * tiles_n_);
    const uint32_t in_band = tile % (kBand * tiles_n_);
    const uint32_t rest = tiles_m_ - band * kBand;
    const uint32_t band_rows = rest < kBand ? rest : kBand;
    const int64_t split = matrix / batch_;
    const int64_t k_begin = split * split_length_;
    const int64_t k_end = k_begin + split_length_ < k_ ? k_begin + split_length_ : k_;
    const int64_t row = static_cast<int64_t>(band * kBand + in_band % band_rows) * tile_m_;
    const int64_t column = static_cast<int64_t>(in_band / band_rows) * tile_n_;
    const bool is_taken = kept_.any(row, row + tile_m_ - 1, column, column + tile_n_ - 1);
    return {matrix % batch_, split, row, column, k_begin, is_taken ? k_end : k_begin};
  }

 private:
  int tile_m_;
  int tile_n_;
  uint32_t tiles_m_;
  uint32_t tiles_n_;
  uint32_t batch_;
  uint32_t splits_;
  int64_t k_;
  int64_t split_length_;
  KeptDiagonals kept_;
};

}  // namespace stitch
