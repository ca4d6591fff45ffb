// SPDX-License-Identifier: Apache-2.0
// Reads one tile of an output's reference, runs and candidate as doubles into buffers that are used again for the next.
#pragma once

#include <vector>

#include "verify/compare/float_rule.h"
#include "verify/compare/output_reference.h"
#include "verify/compare/tiling.h"

namespace stitch::verify {

class TileReader {
 public:
  // `got` may be null when only the reference is measured. Both outlive the reader.
  TileReader(const OutputReference& reference, const HostTensor* got);

  void read(int64_t tile, TileRange range);

  // Runs are the native, the perturbed, then the disturbed ones.
  const TileData& data() const { return data_; }
  std::span<const double> native() const { return native_; }
  // The native run that KernelBench's own rule compares with.
  std::span<const double> native_in_mode() const { return native_in_mode_; }
  const std::vector<std::span<const double>>& perturbed() const { return perturbed_; }
  // Mode kernelbench: the native run in that mode, then those with operands rounded to TF32.
  const std::vector<std::span<const double>>& tf32_runs() const { return tf32_runs_; }

 private:
  std::span<const double> load(const HostTensor& tensor, TileRange range, std::vector<double>& buffer) const;
  std::span<const double> load_truth(const HostTensor& tensor, TileRange range, std::vector<double>& buffer) const;
  void look_up_indices(TileRange range, std::vector<double>& buffer) const;

  const OutputReference& reference_;
  const HostTensor* got_;
  std::vector<std::vector<double>> buffers_;
  TileData data_;
  std::span<const double> native_;
  std::span<const double> native_in_mode_;
  std::vector<std::span<const double>> perturbed_;
  std::vector<std::span<const double>> tf32_runs_;
};

}  // namespace stitch::verify
