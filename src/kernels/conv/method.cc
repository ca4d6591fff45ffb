// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/method.h"

#include "kernels/conv/direct.h"

namespace stitch::kernels {
namespace {

constexpr const char* kDepthwise = "depthwise";

}  // namespace

TensorMath ConvolutionSetting::math() const {
  if (is_patch()) {
    return method == ConvolutionMethod::kPatch && patch.math == PatchMath::kTf32x3 ? TensorMath::kTf32x3
                                                                                   : TensorMath::kTf32;
  }
  if (method == ConvolutionMethod::kPointwise) {
    return TensorMath::kTf32;
  }
  return is_tiled() ? tiles.variant->math : (is_direct_mma() ? TensorMath::kTf32x3 : TensorMath::kNone);
}

Setting depthwise_setting() { return {kDepthwise, 1}; }

std::optional<ConvolutionSetting> convolution_setting(const Setting& setting) {
  if (setting.variant == kDepthwise) {
    return setting.splits == 1 ? std::optional(ConvolutionSetting{ConvolutionMethod::kDepthwise}) : std::nullopt;
  }
  if (const std::optional<int64_t> channels = direct_channels(setting); channels.has_value()) {
    return ConvolutionSetting{.method = ConvolutionMethod::kDirect, .channels = *channels};
  }
  if (const std::optional<DirectMmaSetting> direct = direct_mma_setting(setting); direct.has_value()) {
    return ConvolutionSetting{
        .method = direct->by_groups ? ConvolutionMethod::kDirectWgmma : ConvolutionMethod::kDirectMma,
        .direct_mma = *direct};
  }
  if (const std::optional<DirectFp16Setting> direct = direct_fp16_setting(setting); direct.has_value()) {
    return ConvolutionSetting{.method = ConvolutionMethod::kDirectFp16, .direct_fp16 = *direct};
  }
  if (const std::optional<DirectRowsSetting> direct = direct_rows_setting(setting); direct.has_value()) {
    return ConvolutionSetting{.method = ConvolutionMethod::kDirectRows, .direct_rows = *direct};
  }
  if (const std::optional<PatchSetting> patch = patch_setting(setting); patch.has_value()) {
    return ConvolutionSetting{.method = ConvolutionMethod::kPatch, .patch = *patch};
  }
  if (const std::optional<PatchWgmmaSetting> patch = patch_wgmma_setting(setting); patch.has_value()) {
    return ConvolutionSetting{.method = ConvolutionMethod::kPatchWgmma, .patch_wgmma = *patch};
  }
  if (const std::optional<PointwiseSetting> pointwise = pointwise_setting(setting); pointwise.has_value()) {
    return ConvolutionSetting{.method = ConvolutionMethod::kPointwise, .pointwise = *pointwise};
  }
  const std::optional<GemmSetting> tiles = gemm_setting(setting);
  return tiles.has_value() ? std::optional(ConvolutionSetting{ConvolutionMethod::kTiles, *tiles}) : std::nullopt;
}

int64_t arranged_bytes(const ConvolutionProblem& problem, const ConvolutionSetting& chosen) {
  switch (chosen.method) {
    case ConvolutionMethod::kPatch:
      return patch_scratch_bytes(problem, chosen.patch);
    case ConvolutionMethod::kPatchWgmma:
      return patch_wgmma_scratch_bytes(problem, chosen.patch_wgmma);
    case ConvolutionMethod::kPointwise:
      return pointwise_weight_bytes(problem, chosen.pointwise);
    default:
      return 0;
  }
}

}  // namespace stitch::kernels
