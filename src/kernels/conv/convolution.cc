// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/convolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "kernels/conv/depthwise.h"
#include "kernels/conv/direct.h"
#include "kernels/conv/direct_fp16.h"
#include "kernels/conv/direct_mma.h"
#include "kernels/conv/direct_rows.h"
#include "kernels/conv/epilogue.h"
#include "kernels/conv/launch.h"
#include "kernels/conv/layout.h"
#include "kernels/conv/library.h"
#include "kernels/conv/method.h"
#include "kernels/conv/patch.h"
#include "kernels/conv/patch_wgmma.h"
#include "kernels/conv/pointwise.h"
#include "kernels/conv/problem.h"
#include "kernels/conv/rounding.h"
#include "kernels/conv/slots.h"
#include "kernels/conv/turning.h"
#include "kernels/gemm/variants.h"
#include "kernels/lowering/functor_builder.h"
#include "kernels/lowering/launch_text.h"
#include "kernels/template/epilogue.h"

namespace stitch::kernels {
namespace {

constexpr int64_t kMaxSplits = 16;
constexpr int64_t kMinDepthOfSplit = 256;  // shorter parts do not repay their partial sums

// All phases of a transposed convolution are multiplied as deep as the deepest: the share of that with taps behind it,
// which is gathered.
double share_of_taps(const ConvolutionProblem& problem) {
  double share = 1;
  for (size_t axis = 0; axis < problem.window.axes(); ++axis) {
    const int64_t stride = problem.window.stride[axis];
    const int64_t step = stride / std::gcd(stride, problem.window.dilation[axis]);
    const int64_t kernel = problem.window.kernel[axis];
    share *= static_cast<double>(kernel) / static_cast<double>((kernel + step - 1) / step * stride);
  }
  return share;
}

// Of what tiles reach in a product, by how windows are gathered, where each operand that was gathered is multiplied
// once: the times of bench/results/kernelbench-h200.md over estimates without it, and in volumes and rows those of an
// H100.
double gathering_share_of_one(const ConvolutionProblem& problem) {
  constexpr double kForward = 0.7, kAlongOneAxis = 0.6, kTransposed = 0.5, kOfFewChannels = 0.53;
  constexpr double kStridedTransposed = 0.33, kWhereNoTapIs = 0.37;
  constexpr int64_t kFewChannels = 8;
  const auto is_one = [](int64_t number) { return number == 1; };
  if (problem.transposed) {
    const std::vector<int64_t>& stride = problem.window.stride;
    return std::all_of(stride.begin(), stride.end(), is_one)
               ? kTransposed
               : kStridedTransposed + kWhereNoTapIs * (1 - share_of_taps(problem));
  }
  const bool is_row = problem.in[0] == 1 && problem.window.kernel[0] == 1;
  if (is_row) {
    return kAlongOneAxis;
  }
  return problem.in_channels <= kFewChannels ? kOfFewChannels : kForward;
}

// Gathering is slow where channels are few and, transposed, between strides; an operand that is multiplied three times
// is gathered once for all of them. (An H100 took 0.43 to 0.67 of what was expected of exact settings without that.)
// The ordinary pipes take longer for their one product, too.
double gathering_share(const ConvolutionProblem& problem, const GemmVariant& tile) {
  constexpr double kSlow = 0.55, kLikeProducts = 2;
  const double of_one = gathering_share_of_one(problem);
  const bool is_ordinary = tile.math == TensorMath::kNone;
  const double products = is_ordinary ? kLikeProducts : tile.products;
  return is_ordinary || (tile.products > 1 && of_one < kSlow) ? 1 / (1 + (1 / of_one - 1) / products) : of_one;
}

// Rows of a tile that hang over are multiplied, but nothing of them is loaded or stored.
double overhanging_share(const Work& work) {
  constexpr double kOfLoads = 0.15;
  return 1 / (1 - kOfLoads * overhanging_part(work));
}

// As our own kernels take it.
ConvolutionProblem own_problem(const Group& group) { return with_last_axis_joined(convolution_problem(group)); }

// What is left of that where tiles are summed over few steps of K: filling the pipeline and storing the tile take about
// three steps more, or with three products a step most of one (level1/59, of one step: 3309 us on an H100). The shares
// above were measured at 18 steps and more.
double depth_share(const ConvolutionProblem& problem, const GemmVariant& tile) {
  constexpr double kStepsBesides = 3, kOfThreeProducts = 0.7, kStepsWhereMeasured = 18;
  const bool is_one_product = tile.products == 1 && tile.math != TensorMath::kNone;
  const double besides = is_one_product ? kStepsBesides : kOfThreeProducts;
  const auto steps = static_cast<double>((problem.depth() + tile.k - 1) / tile.k);
  const double share = steps / (steps + besides);
  return std::min(1.0, share * (kStepsWhereMeasured + besides) / kStepsWhereMeasured);
}

bool is_sixteen_bit(DataType dtype) { return dtype == DataType::kFloat16 || dtype == DataType::kBfloat16; }

// What input, weight and result are stored in.
DataType storage(const Group& group) { return group.graph->type(group.root_node().outputs[0]).dtype; }

// The weights of a transposed convolution are gathered, every thread staying with one output channel.
bool suits(const GemmVariant& variant, const ConvolutionProblem& problem) {
  return !problem.transposed || variant.threads % variant.m == 0;
}

class Convolution final : public KernelTemplate {
 public:
  const char* name() const override { return "convolution"; }

  bool is_root(const ir::Graph& graph, const ir::Node& node) const override {
    const DataType dtype = graph.type(node.outputs[0]).dtype;
    return is_convolution(node) && (dtype == DataType::kFloat32 || is_sixteen_bit(dtype));
  }

  std::vector<ir::ValueId> store_first(const Group& group) const override {
    const auto kept = kept_weight(*group.graph, group.root_node());
    if (kept.has_value() && group.computes(*kept) && !convolution_layout(group).weight_last) {
      return {*kept};
    }
    const ConvolutionLayout layout = convolution_layout(group);
    const bool takes_last = storage(group) == DataType::kFloat32;  // as cuDNN does
    const bool is_weight_known = layout.weight_first || (takes_last && layout.weight_last);
    const bool is_input_known = layout.input_first || (takes_last && layout.weight_last && layout.input_last);
    std::vector<ir::ValueId> missing;
    for (const auto& [operand, is_known] :
         {std::pair{size_t{0}, is_input_known}, std::pair{size_t{1}, is_weight_known}}) {
      if (!is_known) {
        missing.push_back(ir::tensor_operand(group.root_node(), operand));
      }
    }
    return missing;
  }

  std::vector<Setting> space(const Group& group, const DeviceLimits& limits, MathMode math) const override {
    const ConvolutionProblem problem = own_problem(group);
    std::vector<Setting> settings;
    if (problem.is_depthwise()) {
      settings.push_back(depthwise_setting());
    }
    const bool in_float = storage(group) == DataType::kFloat32;
    const OperandRounding rounding = operand_rounding(convolution_problem(group), math);
    if (in_float && rounding != OperandRounding::kRequired) {
      const std::vector<Setting> direct = direct_settings(problem);
      settings.insert(settings.end(), direct.begin(), direct.end());
      const std::vector<Setting> direct_mma = direct_mma_settings(problem, limits);
      settings.insert(settings.end(), direct_mma.begin(), direct_mma.end());
      const std::vector<Setting> direct_fp16 = direct_fp16_settings(problem, limits);
      settings.insert(settings.end(), direct_fp16.begin(), direct_fp16.end());
      const std::vector<Setting> direct_rows = direct_rows_settings(problem, limits);
      settings.insert(settings.end(), direct_rows.begin(), direct_rows.end());
    }
    if (in_float) {
      const std::vector<Setting> pointwise = pointwise_settings(problem, rounding, limits, keeps_weights(group));
      settings.insert(settings.end(), pointwise.begin(), pointwise.end());
      if (keeps_weights(group)) {
        const std::vector<Setting> window = window_wgmma_settings(problem, rounding, limits);
        settings.insert(settings.end(), window.begin(), window.end());
      }
      const std::vector<Setting> patch = patch_settings(problem, rounding, limits);
      settings.insert(settings.end(), patch.begin(), patch.end());
      const std::vector<Setting> by_groups = patch_wgmma_settings(problem, rounding, limits);
      settings.insert(settings.end(), by_groups.begin(), by_groups.end());
    }
    for (const GemmVariant& variant :
         in_float ? conv_variants(rounding != OperandRounding::kNone, limits) : sixteen_bit_gemm_variants(limits)) {
      const bool is_too_fine = in_float && rounding == OperandRounding::kRequired && variant.math != TensorMath::kTf32;
      if (is_too_fine || !suits(variant, problem)) {
        continue;
      }
      settings.push_back(to_setting({&variant}));
      for (const int64_t splits : {2, 4, 8, 16}) {
        if (problem.depth() / splits >= kMinDepthOfSplit) {
          settings.push_back(to_setting({&variant, splits}));
        }
      }
    }
    return settings;
  }

  std::vector<Setting> library_space(const Group& group, const DeviceLimits&, MathMode math) const override {
    // What is handed to cuDNN is float: operands of 16 bits stay with the tensor cores of our own.
    return storage(group) == DataType::kFloat32
               ? convolution_library_space(convolution_problem(group), convolution_layout(group), math)
               : std::vector<Setting>{};
  }

  bool allows(const Group& group, const Setting& setting) const override {
    if (is_cudnn_setting(setting)) {
      return allows_library(group, setting);
    }
    const std::optional<ConvolutionSetting> own = convolution_setting(setting);
    if (!own.has_value()) {
      return false;
    }
    if (own->method == ConvolutionMethod::kDirect) {
      // Fewer channels, as at reduced sizes, are computed by the same code.
      return storage(group) == DataType::kFloat32 && allows_direct(own_problem(group), own->channels);
    }
    if (own->is_direct_mma()) {
      return storage(group) == DataType::kFloat32 && allows_direct_mma(own_problem(group), own->direct_mma);
    }
    if (own->method == ConvolutionMethod::kDirectFp16) {
      return storage(group) == DataType::kFloat32 && allows_direct_fp16(own_problem(group), own->direct_fp16);
    }
    if (own->method == ConvolutionMethod::kDirectRows) {
      return storage(group) == DataType::kFloat32 && allows_direct_rows(own_problem(group), own->direct_rows);
    }
    if (own->is_patch()) {
      const ConvolutionProblem problem = own_problem(group);
      return storage(group) == DataType::kFloat32 &&
             (own->method == ConvolutionMethod::kPatch ? allows_patch(problem, own->patch)
                                                       : allows_patch_wgmma(problem, own->patch_wgmma));
    }
    if (own->method == ConvolutionMethod::kWindow) {
      return storage(group) == DataType::kFloat32 && keeps_weights(group) &&
             allows_window_wgmma(own_problem(group), own->window);
    }
    if (own->method == ConvolutionMethod::kPointwise) {
      return storage(group) == DataType::kFloat32 &&
             allows_pointwise(own_problem(group), own->pointwise, keeps_weights(group));
    }
    const Setting unsplit = own->is_tiled() ? to_setting({own->tiles.variant}) : setting;
    return own->tiles.splits_of_depth <= kMaxSplits && KernelTemplate::allows(group, unsplit);
  }

  Work work(const Group& group, const Setting& setting) const override {
    if (is_cudnn_setting(setting)) {
      return convolution_library_work(group, convolution_problem(group), setting);
    }
    const ConvolutionProblem problem = own_problem(group);
    Work work;
    work.bytes = min_bytes(group);
    work.lane_operations = pointwise_operations(group);
    const ConvolutionSetting own = *convolution_setting(setting);
    if (own.method == ConvolutionMethod::kDirect) {
      add_direct_work(problem, own.channels, work);
      add_slots_of_epilogue(work);
      add_turning_work(problem, convolution_layout(group), work);
      return work;
    }
    if (own.is_direct_mma() || own.method == ConvolutionMethod::kDirectFp16) {
      if (own.is_direct_mma()) {
        add_direct_mma_work(problem, own.direct_mma, work);
      } else {
        add_direct_fp16_work(problem, own.direct_fp16, work);
      }
      add_slots_of_epilogue(work);
      add_turning_work(problem, convolution_layout(group), work);
      return work;
    }
    if (own.method == ConvolutionMethod::kDirectRows) {
      add_direct_rows_work(problem, own.direct_rows, work);
      add_slots_of_epilogue(work);
      add_turning_work(problem, convolution_layout(group), work);
      return work;
    }
    if (own.method == ConvolutionMethod::kPatch) {
      const ConvolutionLayout layout = convolution_layout(group);
      add_patch_work(problem, own.patch, work);
      add_patch_epilogue_work(group, problem, own.patch, layout, work);
      if (!stores_by_four(problem, layout)) {
        add_slots_of_epilogue(work);
      }
      add_turning_work(problem, convolution_layout(group), work);
      return work;
    }
    if (own.method == ConvolutionMethod::kPatchWgmma) {
      add_patch_wgmma_work(problem, own.patch_wgmma, work);
      add_patch_wgmma_epilogue_work(group, problem, own.patch_wgmma, convolution_layout(group), work);
      add_turning_work(problem, convolution_layout(group), work);
      return work;
    }
    if (own.method == ConvolutionMethod::kWindow) {
      add_window_wgmma_work(group, problem, own.window, convolution_layout(group), work);
      add_turning_work(problem, convolution_layout(group), work);
      return work;
    }
    if (own.method == ConvolutionMethod::kPointwise) {
      add_pointwise_work(group, problem, own.pointwise, convolution_layout(group), work);
      add_turning_work(problem, convolution_layout(group), work);
      return work;
    }
    if (own.method == ConvolutionMethod::kDepthwise) {
      add_depthwise_work(problem, work);
      add_turning_work(problem, convolution_layout(group), work);
      return work;
    }
    add_gemm_work(*own.tiles.variant, problem.matrices(), problem.rows(), problem.columns(), problem.depth(),
                  setting.splits, work);
    const GemmVariant& tile = *own.tiles.variant;
    work.peak_share =
        tile.convolution_share * gathering_share(problem, tile) * depth_share(problem, tile) * overhanging_share(work);
    if (setting.splits == 1) {
      add_waiting_work(group, results_of_thread(tile), work);
    }
    const ConvolutionLayout layout = convolution_layout(group);
    if (layout.sums_last) {
      // A warp's neighbouring pixels are a channel's: each element that it stores is a sector by itself. 1.1 to 2.6 ms
      // more for each GB on an H100.
      constexpr double kSectorOfElement = 8;
      work.serial_bytes += kSectorOfElement * sizeof(float) * static_cast<double>(problem.outputs());
    }
    if (problem.transposed && !layout.sums_last) {
      // A phase has every third element of a row or fewer: of each sector that it stores, the rest is another's. Two
      // phases still meet in the cache.
      constexpr int64_t kSector = 8, kMeet = 2;
      const int64_t apart = std::clamp(problem.window.stride.back(), kMeet, kSector) - kMeet;
      work.serial_bytes += static_cast<double>(apart * problem.outputs()) * sizeof(float);
    }
    if (setting.splits > 1) {
      // The launch that adds the parts finds each element's place by itself: 6 us a million of them on an H200, 50
      // where it stores them with channels last.
      constexpr double kOfPlace = 7, kOfPlaceApart = 55;
      work.serial_bytes +=
          (layout.sums_last ? kOfPlaceApart : kOfPlace) * sizeof(float) * static_cast<double>(problem.outputs());
    }
    add_turning_work(problem, layout, work);
    return work;
  }

  Result<StepDraft> draft(const Group& group, const Setting& setting) const override;
};

// Of a step whose sums cuDNN leaves in memory: what takes them on stores neighbouring pixels together. Our own kernel
// names each by its axes.
Result<LibraryFinish> add_finish(StepBuilder& step, const ConvolutionProblem& problem) {
  STITCH_ASSIGN(const LoweredFunctor finish, make_epilogue(step, problem.window.axes(), PixelNames::kNumber));
  construct(step, finish, "finish");
  add_problem(step, problem);
  const Expr vectorised = prove_pixel_lanes(step, problem, {&finish, "finish"});
  step.launch("const stitch::PixelEpilogue<{}> epilogue{{finish, shape.out_height, shape.out_width}};",
              finish.tree.name);
  return LibraryFinish{"finish", vectorised};
}

void describe(StepBuilder& step, const ConvolutionSetting& chosen, const ConvolutionProblem& problem) {
  const ConvolutionMethod method = chosen.method;
  if (chosen.is_patch()) {
    if (method == ConvolutionMethod::kPatch) {
      describe_patch(step, problem, chosen.patch);
    } else {
      describe_patch_wgmma(step, problem, chosen.patch_wgmma);
    }
    step.describe("Bound: arithmetic, or writing the outputs where channels are few.");
    return;
  }
  if (method == ConvolutionMethod::kWindow) {
    describe_window_wgmma(step, chosen.window);
    return;
  }
  if (method == ConvolutionMethod::kPointwise) {
    describe_pointwise(step, chosen.pointwise);
    return;
  }
  if (method == ConvolutionMethod::kDirect) {
    step.describe(
        "Access: a block takes a patch of the input and its channels' weights into shared memory; each thread sums up "
        "eight outputs, one below the other, of eight channels.");
    step.describe("Bound: arithmetic on the ordinary pipes, in fp32.");
    return;
  }
  if (chosen.is_direct_mma()) {
    describe_direct_mma(step, chosen.direct_mma);
    step.describe("Bound: three TF32 products for each of fp32, or writing the outputs where channels are few.");
    return;
  }
  if (method == ConvolutionMethod::kDirectFp16) {
    describe_direct_fp16(step);
    return;
  }
  if (method == ConvolutionMethod::kDirectRows) {
    describe_direct_rows(step);
    return;
  }
  if (method == ConvolutionMethod::kDepthwise) {
    describe_depthwise(step);
    return;
  }
  step.describe(
      "Access: an implicit GEMM, output channels by output pixels; windows are gathered into shared memory "
      "tile by tile and never written out.");
  if (problem.transposed) {
    step.describe(
        "Output pixels are taken by phase (their place modulo the stride): those of one phase share their taps, and "
        "no tap between inputs is multiplied.");
  }
  step.describe("Bound: arithmetic, but for few channels, where reading the images is dearer.");
}

void include_skeleton(StepBuilder& step, const ConvolutionSetting& chosen) {
  if (!chosen.is_tiled()) {
    step.include(fmt::format("kernels/conv/{}.cuh", family_of(chosen)));
  } else if (chosen.math() == TensorMath::kSixteenBit) {
    step.include("kernels/conv/implicit_gemm_16bit.cuh");
    step.describe("Arithmetic: 16-bit operands as they are on the tensor cores, sums in fp32.");
  } else {
    step.include(fmt::format("kernels/conv/implicit_gemm_{}.cuh", family_of(chosen)));
  }
  if (is_sixteen_bit(storage(step.group()))) {
    step.include("kernels/common/half.cuh");
  }
}

// Of the launch.
std::string template_arguments(const ConvolutionProblem& problem, const ConvolutionSetting& chosen) {
  if (chosen.method == ConvolutionMethod::kDirect) {
    return direct_tile(problem, chosen.channels) + ", Window";
  }
  if (chosen.is_direct_mma()) {
    return direct_mma_arguments(chosen.direct_mma);
  }
  if (chosen.method == ConvolutionMethod::kDirectFp16) {
    return direct_fp16_arguments(problem, chosen.direct_fp16);
  }
  if (chosen.method == ConvolutionMethod::kDirectRows) {
    return direct_rows_arguments(problem, chosen.direct_rows);
  }
  if (chosen.method == ConvolutionMethod::kPatch) {
    return patch_arguments(problem, chosen.patch);
  }
  if (chosen.method == ConvolutionMethod::kPatchWgmma) {
    return patch_wgmma_arguments(problem, chosen.patch_wgmma);
  }
  if (chosen.method == ConvolutionMethod::kWindow) {
    return window_wgmma_arguments(chosen.window);
  }
  if (chosen.method == ConvolutionMethod::kPointwise) {
    return pointwise_arguments(chosen.pointwise);
  }
  if (!chosen.is_tiled()) {
    return "Window";
  }
  const std::string tiles = fmt::format("stitch::{}, Window", chosen.tiles.variant->tile);
  const char* const policy = policy_type(chosen.math());
  return *policy == '\0' ? tiles : fmt::format("stitch::{}, {}", policy, tiles);
}

Result<StepDraft> Convolution::draft(const Group& group, const Setting& setting) const {
  const bool by_library = is_cudnn_setting(setting);
  const ConvolutionProblem problem = by_library ? convolution_problem(group) : own_problem(group);
  const ConvolutionSetting chosen = *convolution_setting(by_library ? Setting{own_setting_for(setting), 1} : setting);
  const GemmSetting& own = chosen.tiles;
  StepBuilder step(group);
  include_skeleton(step, chosen);
  describe(step, chosen, problem);
  if (problem.window.axes() + 2 < group.graph->type(group.root_node().outputs[0]).shape.size()) {
    step.describe("The window is one element along the last axis, which is laid out along the one before: x is both.");
  }
  const ConvolutionLayout layout = convolution_layout(group);
  std::optional<Expr> vectorised;  // where pixels are named by one number
  if (by_library && has_finish(group, setting)) {
    STITCH_ASSIGN(const LibraryFinish epilogue, add_finish(step, problem));
    add_library_call(step, problem, setting, epilogue);
  } else {
    const PixelNames names = chosen.takes_lanes() ? PixelNames::kNumber : PixelNames::kAxes;
    STITCH_ASSIGN(const LoweredFunctor epilogue, make_epilogue(step, problem.window.axes(), names));
    construct(step, epilogue, "epilogue");
    add_problem(step, problem);
    if (names == PixelNames::kNumber) {
      vectorised = prove_pixel_lanes(step, problem, {&epilogue, "epilogue"});
    }
    if (by_library) {
      add_library_call(step, problem, setting, {"epilogue", literal_expr({false, ScalarType::kBool})});
    }
  }
  const std::string arguments = template_arguments(problem, chosen);
  const bool splits = own.splits_of_depth > 0;
  const bool keeps = chosen.may_keep_weights() && keeps_weights(group);
  constexpr int64_t kFloatBytes = 4;
  const int64_t partial_bytes =
      splits ? setting.splits * problem.matrices() * problem.rows() * problem.columns() * kFloatBytes
             : (keeps ? 0 : arranged_bytes(problem, chosen));
  if (keeps) {
    add_keeping(step, problem, chosen);
  }
  const OwnOperands operands = add_turning(step, problem, layout, partial_bytes);
  // All in one sum, which lies on a line through the batch: cuDNN's own need and, in its place, ours.
  step.set_scratch_bytes((by_library ? convolution_library_scratch_bytes(group, problem, setting) : partial_bytes) +
                         turning_bytes(problem, layout));
  step.launch("return stitch::launch_conv_{}{}{}<{}>(", keeps ? "kept_" : "", family_of(chosen),
              splits ? "_split_k" : "", arguments);
  if (splits) {
    step.launch("    shape, {}, {}, epilogue, {}, args->scratch, stream);", operands.input, operands.weight,
                step.extent("splits", setting.splits, "blocks that share the depth of one tile"));
  } else if (chosen.arranges_weights()) {
    step.launch("    shape, {}, {}, epilogue, {}, args->{}, stream);", operands.input, operands.weight, *vectorised,
                keeps ? "kept" : "scratch");
  } else if (vectorised.has_value()) {
    step.launch("    shape, {}, {}, epilogue, {}, stream);", operands.input, operands.weight, *vectorised);
  } else {
    step.launch("    shape, {}, {}, epilogue, stream);", operands.input, operands.weight);
  }
  return step.take();
}

}  // namespace

std::unique_ptr<KernelTemplate> make_convolution() { return std::make_unique<Convolution>(); }

}  // namespace stitch::kernels
