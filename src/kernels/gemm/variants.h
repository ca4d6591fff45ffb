// SPDX-License-Identifier: Apache-2.0
// The compiled-in choices of the GEMM and convolution skeletons: arithmetic and tile.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "artifact/task/math_mode.h"
#include "kernels/template/kernel_template.h"
#include "kernels/template/tensor_math.h"

namespace stitch::kernels {

struct GemmVariant {
  const char* name;  // of the setting: "ffma_128x128"
  const char* tile;  // of the skeleton: "FfmaTileLarge"
  TensorMath math;
  int m;
  int n;
  int k;
  int threads;
  int blocks_per_multiprocessor;
  int shared_bytes;
  Pipe pipe;
  int products;  // multiplications per product of the model: 3 for split precision
  double peak_share;
  double convolution_share;
};

// Whether a math mode lets the fp32 operands of products be rounded to TF32. The baseline of mode `kernelbench` leaves
// them as they are.
bool products_may_round(MathMode math);

// The variants for fp32 operands on a device with these limits: of fp32's class, and where it may, those that round to
// TF32.
std::vector<GemmVariant> gemm_variants(bool may_round_to_tf32, const DeviceLimits& limits);
// The same for operands stored in 16 bits: no mode asks for less than their exact products summed in fp32.
std::vector<GemmVariant> sixteen_bit_gemm_variants(const DeviceLimits& limits);
// Also those that only a convolution can use.
std::vector<GemmVariant> conv_variants(bool may_round_to_tf32, const DeviceLimits& limits);
const GemmVariant& gemm_variant(std::string_view name);

// A setting of the GEMM or convolution skeleton: a variant, and how many blocks share the depth of a tile; 0 where the
// kernel is the one that does not split.
struct GemmSetting {
  const GemmVariant* variant = nullptr;
  int64_t splits_of_depth = 0;
};
// As plan.json has it: "tf32x3_64x64_split_k" and 4.
Setting to_setting(const GemmSetting& setting);
// Returns nothing for a setting of other skeletons.
std::optional<GemmSetting> gemm_setting(const Setting& setting);

// Of a tile.
double results_of_thread(const GemmVariant& variant);

// The share of what such work's tiles multiply that hangs over an edge; 0 where there is nothing to multiply.
double overhanging_part(const Work& work);

// Adds the cost of `batch` products of m x n x k with this variant.
void add_gemm_work(const GemmVariant& variant, int64_t batch, int64_t m, int64_t n, int64_t k, int64_t splits,
                   Work& work);

}  // namespace stitch::kernels
