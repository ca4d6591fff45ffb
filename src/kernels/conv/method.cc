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
  if (may_keep_weights()) {
    return method == ConvolutionMethod::kPointwise && pointwise.is_exact() ? TensorMath::kTf32x3 : TensorMath::kTf32;
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
  if (const std::optional<WindowWgmmaSetting> window = window_wgmma_setting(setting); window.has_value()) {
    return ConvolutionSetting{.method = ConvolutionMethod::kWindow, .window = *window};
  }
  const std::optional<GemmSetting> tiles = gemm_setting(setting);
  return tiles.has_value() ? std::optional(ConvolutionSetting{ConvolutionMethod::kTiles, *tiles}) : std::nullopt;
}

const char* family_of(const ConvolutionSetting& chosen) {
  switch (chosen.method) {
    case ConvolutionMethod::kDepthwise:
      return "depthwise";
    case ConvolutionMethod::kDirect:
      return "direct";
    case ConvolutionMethod::kDirectMma:
      return "direct_mma";
    case ConvolutionMethod::kDirectWgmma:
      return "direct_wgmma";
    case ConvolutionMethod::kDirectFp16:
      return "direct_fp16";
    case ConvolutionMethod::kDirectRows:
      return "direct_rows";
    case ConvolutionMethod::kPatch:
      return "patch_mma";
    case ConvolutionMethod::kPatchWgmma:
      return "patch_wgmma";
    case ConvolutionMethod::kPointwise:
      return chosen.pointwise.is_exact() ? "pointwise_tf32x3"
                                         : (chosen.pointwise.blocks > 1 ? "pointwise_cluster" : "pointwise_wgmma");
    case ConvolutionMethod::kWindow:
      return "window_wgmma";
    case ConvolutionMethod::kTiles:
      break;
  }
  const TensorMath math = chosen.math();
  return math == TensorMath::kSixteenBit ? "mma_16bit" : (math == TensorMath::kNone ? "ffma" : "mma");
}

int64_t arranged_bytes(const ConvolutionProblem& problem, const ConvolutionSetting& chosen) {
  switch (chosen.method) {
    case ConvolutionMethod::kPatch:
      return patch_scratch_bytes(problem, chosen.patch);
    case ConvolutionMethod::kPatchWgmma:
      return patch_wgmma_scratch_bytes(problem, chosen.patch_wgmma);
    case ConvolutionMethod::kPointwise:
      return pointwise_weight_bytes(problem, chosen.pointwise);
    case ConvolutionMethod::kWindow:
      return window_wgmma_weight_bytes(problem, chosen.window);
    default:
      return 0;
  }
}

void add_keeping(StepBuilder& step, const ConvolutionProblem& problem, const ConvolutionSetting& chosen) {
  step.set_kept_bytes(arranged_bytes(problem, chosen));
  step.launch("if (args->fills_kept) {");
  step.launch("  return {}(shape, weight, args->kept, stream);", chosen.method == ConvolutionMethod::kWindow
                                                                     ? window_wgmma_arranging(chosen.window)
                                                                     : pointwise_arranging(chosen.pointwise));
  step.launch("}");
}

}  // namespace stitch::kernels
