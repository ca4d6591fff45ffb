// SPDX-License-Identifier: Apache-2.0
// What a setting of a convolution means, whichever of our skeletons it is of.
#pragma once

#include <optional>

#include "kernels/conv/direct_fp16.h"
#include "kernels/conv/direct_mma.h"
#include "kernels/conv/direct_rows.h"
#include "kernels/conv/patch.h"
#include "kernels/conv/patch_wgmma.h"
#include "kernels/conv/pointwise.h"
#include "kernels/conv/window_wgmma.h"
#include "kernels/gemm/variants.h"
#include "kernels/template/kernel_template.h"

namespace stitch::kernels {

// How our own kernels compute it: each thread outputs of one channel by itself, threads outputs of some channels from
// a patch they share, or blocks tiles of a product.
enum class ConvolutionMethod {
  kDepthwise,
  kDirect,
  kDirectMma,
  kDirectWgmma,
  kDirectFp16,
  kDirectRows,
  kPatch,
  kPatchWgmma,
  kPointwise,
  kWindow,
  kTiles
};

struct ConvolutionSetting {
  ConvolutionMethod method = ConvolutionMethod::kTiles;
  GemmSetting tiles{};
  int64_t channels = 0;  // of a block, where it is direct
  DirectMmaSetting direct_mma{};
  DirectFp16Setting direct_fp16{};
  DirectRowsSetting direct_rows{};
  PatchSetting patch{};
  PatchWgmmaSetting patch_wgmma{};
  PointwiseSetting pointwise{};
  WindowWgmmaSetting window{};

  bool is_tiled() const { return method == ConvolutionMethod::kTiles; }
  bool is_direct_mma() const {
    return method == ConvolutionMethod::kDirectMma || method == ConvolutionMethod::kDirectWgmma;
  }
  // By pixels that are numbered, neighbouring ones together where they lie so.
  bool takes_lanes() const {
    return method == ConvolutionMethod::kDirectWgmma || method == ConvolutionMethod::kDirectRows || arranges_weights();
  }
  bool is_patch() const { return method == ConvolutionMethod::kPatch || method == ConvolutionMethod::kPatchWgmma; }
  // Before it is computed, in scratch memory.
  bool arranges_weights() const { return is_patch() || may_keep_weights(); }
  // As they are arranged, from prepare() on.
  bool may_keep_weights() const {
    return method == ConvolutionMethod::kPointwise || method == ConvolutionMethod::kWindow;
  }
  TensorMath math() const;
};

Setting depthwise_setting();
// nullopt for a setting of other skeletons.
std::optional<ConvolutionSetting> convolution_setting(const Setting& setting);
// As its launches and its header are called: "patch_mma".
const char* family_of(const ConvolutionSetting& chosen);
// Of operands as the skeleton reads them, in scratch memory or in what a step keeps; 0: it reads them as they lie.
int64_t arranged_bytes(const ConvolutionProblem& problem, const ConvolutionSetting& chosen);
// What prepare() does for a step that keeps its weights so.
void add_keeping(StepBuilder& step, const ConvolutionProblem& problem, const ConvolutionSetting& chosen);

}  // namespace stitch::kernels
