// SPDX-License-Identifier: Apache-2.0
// The compiled forms of attention: which kernel, for heads of up to how many features, on which pipe.
#pragma once

#include <string>
#include <vector>

#include "kernels/template/kernel_template.h"
#include "kernels/template/tensor_math.h"

namespace stitch::kernels {

constexpr int64_t kMaxKeySplits = 64;  // of the keys of a row

struct AttentionVariant {
  const char* name;
  TensorMath math;
  int64_t width;  // features of a head, rounded up
  Pipe pipe;
  int products;  // multiplications per product of the model
  double peak_share;
  int64_t rows;               // that a block of the kernel for few queries works on; 0 for the other kernels
  int64_t group_queries = 0;  // that a block of the kernel by wgmma works on; 0 for the other kernels
};

// Extents of attention as its kernels see them.
struct AttentionExtents {
  int64_t batch = 1;
  int64_t heads = 1;
  int64_t key_heads = 1;
  int64_t queries = 1;
  int64_t keys = 1;
  int64_t features = 1;        // of a query and a key
  int64_t value_features = 1;  // of a value and the result
  int64_t element_bytes = 4;

  // Rows that read the same keys: queries of the heads that share them.
  int64_t rows() const { return heads / key_heads * queries; }
};

AttentionExtents attention_extents(const Group& group);
// nullptr when there is none of this name.
const AttentionVariant* attention_variant(const std::string& name);
// What is worth trying, best guess first.
std::vector<Setting> attention_settings(const Group& group, const DeviceLimits& limits, MathMode math);
// Blocks, partial results and what is read more than once.
void add_attention_work(const AttentionExtents& extents, const AttentionVariant& variant, int64_t splits,
                        bool is_causal, Work& work);
// Bytes of scratch that a kernel needs: partial results, or keys and values in planes.
int64_t attention_scratch_bytes(const AttentionExtents& extents, const AttentionVariant& variant, int64_t splits);

}  // namespace stitch::kernels
