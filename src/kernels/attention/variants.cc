// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/variants.h"

#include <algorithm>

#include "kernels/attention/limits.h"
#include "kernels/gemm/variants.h"

namespace stitch::kernels {
namespace {

// The first of a width is portable and keeps infinities; the others come where their cost is lower.
constexpr AttentionVariant kVariants[] = {
    {"flash_32", TensorMath::kNone, 32, Pipe::kFp32, 1, 0.2, 0},
    {"flash_64", TensorMath::kNone, 64, Pipe::kFp32, 1, 0.25, 0},
    {"flash_128", TensorMath::kNone, 128, Pipe::kFp32, 1, 0.25, 0},
    {"flash_tf32x3_32", TensorMath::kTf32x3, 32, Pipe::kTf32, 3, 0.165, 0},
    {"flash_tf32x3_64", TensorMath::kTf32x3, 64, Pipe::kTf32, 3, 0.19, 0},
    {"flash_tf32x3_128", TensorMath::kTf32x3, 128, Pipe::kTf32, 3, 0.19, 0},
    {"flash_tf32_32", TensorMath::kTf32, 32, Pipe::kTf32, 1, 0.08, 0},
    {"flash_tf32_64", TensorMath::kTf32, 64, Pipe::kTf32, 1, 0.09, 0},
    {"flash_tf32_128", TensorMath::kTf32, 128, Pipe::kTf32, 1, 0.09, 0},
    {"flash_fp16x3_32", TensorMath::kNone, 32, Pipe::kFp16, 3, 0.51, 0, 256},
    {"flash_fp16x3_64", TensorMath::kNone, 64, Pipe::kFp16, 3, 0.59, 0, 192},
    {"flash_fp16x3_96", TensorMath::kNone, 96, Pipe::kFp16, 3, 0.53, 0, 128},
    {"flash_fp16x3_128", TensorMath::kNone, 128, Pipe::kFp16, 3, 0.65, 0, 128},
    {"flash_fp16_32", TensorMath::kNone, 32, Pipe::kFp16, 1, 0.25, 0, 192},
    {"flash_fp16_64", TensorMath::kNone, 64, Pipe::kFp16, 1, 0.28, 0, 128},
    {"flash_fp16_96", TensorMath::kNone, 96, Pipe::kFp16, 1, 0.22, 0, 128},
    {"flash_fp16_128", TensorMath::kNone, 128, Pipe::kFp16, 1, 0.33, 0, 128},
    {"split_keys_32x1", TensorMath::kNone, 32, Pipe::kFp32, 1, 0.25, 1},
    {"split_keys_32x2", TensorMath::kNone, 32, Pipe::kFp32, 1, 0.25, 2},
    {"split_keys_32x4", TensorMath::kNone, 32, Pipe::kFp32, 1, 0.25, 4},
    {"split_keys_32x8", TensorMath::kNone, 32, Pipe::kFp32, 1, 0.25, 8},
    {"split_keys_64x1", TensorMath::kNone, 64, Pipe::kFp32, 1, 0.25, 1},
    {"split_keys_64x2", TensorMath::kNone, 64, Pipe::kFp32, 1, 0.25, 2},
    {"split_keys_64x4", TensorMath::kNone, 64, Pipe::kFp32, 1, 0.25, 4},
    {"split_keys_64x8", TensorMath::kNone, 64, Pipe::kFp32, 1, 0.25, 8},
    {"split_keys_128x1", TensorMath::kNone, 128, Pipe::kFp32, 1, 0.25, 1},
    {"split_keys_128x2", TensorMath::kNone, 128, Pipe::kFp32, 1, 0.25, 2},
    {"split_keys_128x4", TensorMath::kNone, 128, Pipe::kFp32, 1, 0.25, 4},
    {"split_keys_128x8", TensorMath::kNone, 128, Pipe::kFp32, 1, 0.25, 8},
};

constexpr int64_t kMaxRows = 8;          // of a block for few queries
constexpr int64_t kMinKeysOfSplit = 64;  // fewer are not worth a launch that joins them
constexpr int64_t kQueriesOfFlash = 64;  // a block of the other kernels
constexpr int64_t kFewTiles = 4;         // reading the keys more often than this is dear

double as_double(int64_t value) { return static_cast<double>(value); }

int64_t from_end(const std::vector<int64_t>& shape, size_t axis) {
  return axis <= shape.size() ? shape[shape.size() - axis] : 1;
}

// The narrowest compiled head that holds the group's.
int64_t width_of(const AttentionExtents& extents, bool by_groups) {
  const int64_t features = std::max(extents.features, extents.value_features);
  const int64_t middle = by_groups && features <= 96 ? 96 : kMaxHeadDimension;
  return features <= 32 ? 32 : (features <= 64 ? 64 : middle);
}

bool is_by_groups(const AttentionVariant& variant) { return variant.group_queries > 0; }

bool rounds(const AttentionVariant& variant) {
  return variant.math == TensorMath::kTf32 || (is_by_groups(variant) && variant.products == 1);
}

int64_t tiles_of(const AttentionExtents& extents, const AttentionVariant& variant) {
  return (extents.rows() + variant.rows - 1) / variant.rows;
}

bool has_few_rows(const AttentionExtents& extents) { return extents.rows() <= kFewTiles * kMaxRows; }

// Splits double until the device is full several times over.
std::vector<int64_t> useful_splits(const AttentionExtents& extents, const AttentionVariant& variant,
                                   const DeviceLimits& limits) {
  constexpr int64_t kBlocksPerMultiprocessor = 32;
  const int64_t blocks = extents.batch * extents.key_heads * tiles_of(extents, variant);
  std::vector<int64_t> result = {1};
  for (int64_t splits = 2; splits <= kMaxKeySplits && extents.keys / splits >= kMinKeysOfSplit &&
                           blocks * splits <= kBlocksPerMultiprocessor * limits.multiprocessors;
       splits *= 2) {
    result.push_back(splits);
  }
  return result;
}

// The number of rows that wastes least: a block that holds them all, or the largest there is.
bool has_fitting_rows(const AttentionExtents& extents, const AttentionVariant& variant) {
  return variant.rows == kMaxRows ? extents.rows() > kMaxRows / 2
                                  : extents.rows() <= variant.rows && 2 * extents.rows() > variant.rows;
}

// As registers allow, by what ptxas reports for sm_90a.
int resident_blocks(const AttentionExtents& extents, const AttentionVariant& variant) {
  const bool in_float = extents.element_bytes == 4;
  switch (variant.rows) {
    case 1:
      return in_float ? 6 : 4;
    case 2:
      return in_float ? 5 : 3;
    default:
      return in_float ? 4 : 2;
  }
}

// A launch splits keys and values, which are read once then and written once; a block fills its ring before it
// multiplies and stores after that, which takes as long as some more keys.
void add_group_work(const AttentionExtents& extents, const AttentionVariant& variant, double keys, Work& work) {
  constexpr double kFillAndStore = 160;
  constexpr double kSplit = 2.7;
  constexpr int kThreadsOfWhole = 683;  // one thread asks for as many bytes as the ring has room for
  const int64_t tiles = (extents.queries + variant.group_queries - 1) / variant.group_queries;
  const double features = 2.0 * as_double(variant.width);
  work.padded_flops = 2.0 * variant.products * as_double(extents.batch * extents.heads) *
                      as_double(tiles * variant.group_queries) * (keys + kFillAndStore) * features;
  work.blocks = extents.batch * extents.heads * tiles;
  work.threads_per_block = kThreadsOfWhole;
  work.launches += 1;
  work.serial_bytes = kSplit * as_double(attention_scratch_bytes(extents, variant, 1));
}

}  // namespace

AttentionExtents attention_extents(const Group& group) {
  const ir::Node& node = group.root_node();
  const TensorType& query = group.graph->type(ir::tensor_operand(node, 0));
  const std::vector<int64_t>& key = group.graph->type(ir::tensor_operand(node, 1)).shape;
  AttentionExtents extents;
  extents.batch = from_end(query.shape, 4);
  extents.heads = from_end(query.shape, 3);
  extents.key_heads = from_end(key, 3);
  extents.queries = from_end(query.shape, 2);
  extents.keys = from_end(key, 2);
  extents.features = query.shape.back();
  extents.value_features = group.graph->type(node.outputs[0]).shape.back();
  extents.element_bytes = element_bytes(query.dtype);
  return extents;
}

const AttentionVariant* attention_variant(const std::string& name) {
  const auto* found = std::find_if(std::begin(kVariants), std::end(kVariants),
                                   [&](const AttentionVariant& variant) { return name == variant.name; });
  return found == std::end(kVariants) ? nullptr : found;
}

std::vector<Setting> attention_settings(const Group& group, const DeviceLimits& limits, MathMode math) {
  const AttentionExtents extents = attention_extents(group);
  // Of 16-bit operands TF32 loses nothing, and splitting them gains nothing.
  const bool in_float = group.graph->type(ir::tensor_operand(group.root_node(), 0)).dtype == DataType::kFloat32;
  const bool may_round = !in_float || products_may_round(math);
  std::vector<Setting> settings;
  for (const AttentionVariant& variant : kVariants) {
    if (variant.width != width_of(extents, is_by_groups(variant)) || (rounds(variant) && !may_round) ||
        (variant.math == TensorMath::kTf32x3 && !in_float)) {
      continue;
    }
    if (is_by_groups(variant) && (!has_group_attention(limits.architecture) || !in_float)) {
      continue;
    }
    if (variant.rows == 0) {
      settings.push_back({variant.name, 1});
    } else if (has_few_rows(extents) && has_fitting_rows(extents, variant)) {
      for (const int64_t splits : useful_splits(extents, variant, limits)) {
        settings.push_back({variant.name, splits});
      }
    }
  }
  return settings;
}

void add_attention_work(const AttentionExtents& extents, const AttentionVariant& variant, int64_t splits,
                        bool is_causal, Work& work) {
  const double keys = as_double(extents.keys) * (is_causal ? 0.5 : 1.0);
  const double planes = as_double(extents.batch * extents.heads);
  const double features = as_double(extents.features + extents.value_features);
  const double pairs = planes * as_double(extents.queries) * keys;
  constexpr double kLaneOperationsPerPair = 12;
  work.pipe = variant.pipe;
  work.peak_share = variant.peak_share;
  work.flops = 2.0 * variant.products * pairs * features;
  if (is_by_groups(variant)) {  // a warpgroup weighs scores while others multiply: peak_share has that in it
    add_group_work(extents, variant, keys, work);
    return;
  }
  work.lane_operations += kLaneOperationsPerPair * pairs;
  if (variant.rows == 0) {
    const int64_t tiles = (extents.queries + kQueriesOfFlash - 1) / kQueriesOfFlash;
    work.padded_flops = 2.0 * variant.products * planes * as_double(tiles * kQueriesOfFlash) * keys * features;
    work.blocks = extents.batch * extents.heads * tiles;
    work.blocks_per_multiprocessor = 2;
    return;
  }
  const int64_t tiles = tiles_of(extents, variant);
  const double key_heads = as_double(extents.batch * extents.key_heads);
  // The threads that share a key reduce and weigh each score alike.
  constexpr double kLaneOperationsPerThread = 20;
  const double threads = as_double(variant.width * extents.element_bytes) / 16;
  const double padded_pairs = key_heads * as_double(tiles * variant.rows) * keys;
  work.lane_operations += kLaneOperationsPerThread * threads * padded_pairs;
  work.padded_flops = 2.0 * padded_pairs * features;
  work.extra_bytes = as_double(tiles - 1) * key_heads * keys * features * as_double(extents.element_bytes);
  work.blocks = extents.batch * extents.key_heads * tiles * splits;
  // Each of its 128 threads has at least twice the bytes on their way that one of most kernels has.
  work.threads_per_block = 2 * 128;
  work.blocks_per_multiprocessor = resident_blocks(extents, variant);
  work.bandwidth_share = 0.9;
  if (splits > 1) {
    const double partial_bytes = as_double(attention_scratch_bytes(extents, variant, splits));
    work.launches += 1;
    work.extra_bytes += partial_bytes;
    work.serial_bytes += partial_bytes;
  }
}

int64_t attention_scratch_bytes(const AttentionExtents& extents, const AttentionVariant& variant, int64_t splits) {
  constexpr int64_t kFloat = sizeof(float);
  if (is_by_groups(variant)) {
    constexpr int64_t kKeysOfTile = 64, kBetweenTiles = 128;
    const int64_t tiles = (extents.keys + kKeysOfTile - 1) / kKeysOfTile;
    return extents.batch * extents.key_heads * tiles * 2 * (kKeysOfTile * variant.width * kFloat + kBetweenTiles);
  }
  constexpr int64_t kSoftmaxFloats = 2;
  return splits > 1 ? kFloat * splits * extents.batch * extents.heads * extents.queries *
                          (extents.value_features + kSoftmaxFloats)
                    : 0;
}

}  // namespace stitch::kernels
