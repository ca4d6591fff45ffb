// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm/variants.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/error/check.h"

namespace stitch::kernels {
namespace {

constexpr std::array kVariants = {
#define STITCH_GEMM(name, tile, math, m, n, k, threads, blocks, shared, pipe, products, share, convolution) \
  GemmVariant{name, tile, TensorMath::math, m, n, k, threads, blocks, shared, Pipe::pipe, products, share, convolution},
#include "kernels/gemm/variants.def"
};

constexpr std::array kConvVariants = {
#include "kernels/gemm/conv_variants.def"
#undef STITCH_GEMM
};

constexpr const char* kSplitK = "_split_k";  // marks names of settings

const GemmVariant* find_variant(std::string_view name) {
  const auto is_called = [&](const GemmVariant& variant) { return name == variant.name; };
  const auto* found = std::find_if(kVariants.begin(), kVariants.end(), is_called);
  if (found != kVariants.end()) {
    return found;
  }
  const auto* of_conv = std::find_if(kConvVariants.begin(), kConvVariants.end(), is_called);
  return of_conv == kConvVariants.end() ? nullptr : of_conv;
}

int64_t ceil_divide(int64_t value, int64_t divisor) { return (value + divisor - 1) / divisor; }

bool allowed(const GemmVariant& variant, bool may_round_to_tf32) {
  switch (variant.math) {
    case TensorMath::kNone:
    case TensorMath::kTf32x3:
      return true;
    case TensorMath::kTf32:
      return may_round_to_tf32;
    case TensorMath::kBf16:
      // Operands in bfloat16 lose three bits more than in float16, which is what `reduced` accepts wherever float16's
      // range suffices; TF32 has float16's precision and float32's range.
    case TensorMath::kSixteenBit:
      return false;
  }
  return false;
}

template <typename Variants>
void add_usable(const Variants& variants, bool may_round_to_tf32, const DeviceLimits& limits,
                std::vector<GemmVariant>& result) {
  std::copy_if(variants.begin(), variants.end(), std::back_inserter(result), [&](const GemmVariant& variant) {
    return allowed(variant, may_round_to_tf32) && variant.shared_bytes <= limits.shared_bytes_per_block;
  });
}

}  // namespace

bool products_may_round(MathMode math) { return math == MathMode::kTf32 || math == MathMode::kReduced; }

std::vector<GemmVariant> gemm_variants(bool may_round_to_tf32, const DeviceLimits& limits) {
  std::vector<GemmVariant> result;
  add_usable(kVariants, may_round_to_tf32, limits, result);
  return result;
}

std::vector<GemmVariant> sixteen_bit_gemm_variants(const DeviceLimits& limits) {
  std::vector<GemmVariant> result;
  std::copy_if(kVariants.begin(), kVariants.end(), std::back_inserter(result), [&](const GemmVariant& variant) {
    const bool takes = variant.math == TensorMath::kNone || variant.math == TensorMath::kSixteenBit;
    return takes && variant.shared_bytes <= limits.shared_bytes_per_block;
  });
  return result;
}

std::vector<GemmVariant> conv_variants(bool may_round_to_tf32, const DeviceLimits& limits) {
  std::vector<GemmVariant> result = gemm_variants(may_round_to_tf32, limits);
  add_usable(kConvVariants, may_round_to_tf32, limits, result);
  return result;
}

const GemmVariant& gemm_variant(std::string_view name) {
  const GemmVariant* found = find_variant(name);
  STITCH_CHECK(found != nullptr) << "no GEMM setting is called " << name;
  return *found;
}

Setting to_setting(const GemmSetting& setting) {
  const bool splits = setting.splits_of_depth > 0;
  return {std::string(setting.variant->name) + (splits ? kSplitK : ""), splits ? setting.splits_of_depth : 1};
}

std::optional<GemmSetting> gemm_setting(const Setting& setting) {
  std::string_view name = setting.variant;
  const bool splits = name.ends_with(kSplitK);
  name.remove_suffix(splits ? std::string_view(kSplitK).size() : 0);
  const GemmVariant* variant = find_variant(name);
  const bool is_whole = splits ? setting.splits >= 1 : setting.splits == 1;
  if (variant == nullptr || !is_whole) {
    return std::nullopt;
  }
  return GemmSetting{variant, splits ? setting.splits : 0};
}

double results_of_thread(const GemmVariant& variant) {
  return static_cast<double>(variant.m) * variant.n / variant.threads;
}

double overhanging_part(const Work& work) { return work.padded_flops > 0 ? 1 - work.flops / work.padded_flops : 0; }

void add_gemm_work(const GemmVariant& variant, int64_t batch, int64_t m, int64_t n, int64_t k, int64_t splits,
                   Work& work) {
  const auto product = [&](int64_t rows, int64_t columns, int64_t depth) {
    return 2.0 * variant.products * static_cast<double>(batch) * static_cast<double>(rows) *
           static_cast<double>(columns) * static_cast<double>(depth);
  };
  const int64_t row_tiles = ceil_divide(m, variant.m);
  const int64_t column_tiles = ceil_divide(n, variant.n);
  const int64_t depth = ceil_divide(ceil_divide(k, splits), variant.k) * variant.k * splits;
  work.pipe = variant.pipe;
  work.flops += product(m, n, k);
  work.padded_flops += product(row_tiles * variant.m, column_tiles * variant.n, depth);
  work.blocks = batch * row_tiles * column_tiles * splits;
  work.blocks_per_multiprocessor = variant.blocks_per_multiprocessor;
  work.threads_per_block = variant.threads;
  work.peak_share = variant.peak_share;
  if (splits > 1) {
    constexpr int kFloatBytes = 4;
    const double partial_bytes =
        kFloatBytes * static_cast<double>(splits * batch) * static_cast<double>(m) * static_cast<double>(n);
    work.launches += 1;
    work.extra_bytes += partial_bytes;
    work.serial_bytes += partial_bytes;
  }
}

}  // namespace stitch::kernels
