// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/moment_setting.h"

#include <fmt/format.h>

#include "ir/graph/op.h"
#include "kernels/conv/launch.h"
#include "kernels/conv/slots.h"
#include "kernels/conv/turning.h"
#include "kernels/lowering/functor_builder.h"

namespace stitch::kernels {
namespace {

constexpr int64_t kMomentBytes = 12;  // mean, squared deviations and count

// Of what the convolution needs itself.
int64_t bytes_before_parts(const ConvolutionProblem& problem, const MomentSetting& own) {
  constexpr int64_t kAlignment = 16;
  int64_t bytes = 0;
  if (own.patch.has_value()) {
    bytes = patch_scratch_bytes(problem, *own.patch);
  } else if (own.groups.has_value()) {
    bytes = patch_wgmma_scratch_bytes(problem, *own.groups);
  }
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

int64_t moment_part_bytes(const ConvolutionProblem& problem, const MomentSetting& own, bool by_image) {
  int64_t parts = 0;
  if (own.patch.has_value()) {
    parts = patch_parts(problem, *own.patch);
  } else if (own.groups.has_value()) {
    parts = patch_wgmma_parts(problem, *own.groups);
  } else {
    parts = (by_image ? problem.batch : 1) * (own.rows.has_value() ? direct_rows_parts(problem, *own.rows, by_image)
                                                                   : direct_fp16_parts(problem, *own.halves, by_image));
  }
  return problem.out_channels * parts * kMomentBytes;
}

void add_summing_work(const Group& group, const ConvolutionProblem& problem, const MomentSetting& own, Work& work) {
  const ConvolutionLayout layout = convolution_layout(group);
  if (own.groups.has_value()) {
    add_patch_wgmma_work(problem, *own.groups, work);
    add_patch_wgmma_epilogue_work(group, problem, *own.groups, layout, work);
    return;
  }
  if (own.patch.has_value()) {
    add_patch_work(problem, *own.patch, work);
    add_patch_epilogue_work(group, problem, *own.patch, layout, work);
  } else if (own.rows.has_value()) {
    add_direct_rows_work(problem, *own.rows, work);
  } else {
    add_direct_fp16_work(problem, *own.halves, work);
  }
  add_slots_of_epilogue(work);
}

// Two passes over what a lane has of a patch: some seven issue slots an output, that tensor cores and memory wait for.
// As bytes that memory would read meanwhile.
void add_parts_work(const ConvolutionProblem& problem, const MomentSetting& own, bool by_image, Work& work) {
  constexpr double kBytesOfLong = 1.5;   // parts of rows or of tiles
  constexpr double kBytesOfShort = 2.0;  // which are joined more often
  const double of_output = own.patch.has_value() || own.halves.has_value() ? kBytesOfShort : kBytesOfLong;
  const auto parts = static_cast<double>(moment_part_bytes(problem, own, by_image));
  work.serial_bytes += of_output * static_cast<double>(problem.outputs()) + parts;
  work.extra_bytes += parts;
  work.launches += 1;
}

}  // namespace

std::optional<MomentSetting> moment_setting(const Setting& setting) {
  const MomentSetting own{direct_rows_setting(setting), patch_setting(setting), patch_wgmma_setting(setting),
                          direct_fp16_setting(setting)};
  const bool is_own = own.rows.has_value() || own.patch.has_value() || own.groups.has_value() || own.halves.has_value();
  return is_own ? std::optional(own) : std::nullopt;
}

std::vector<Setting> moment_settings(const ConvolutionProblem& problem, OperandRounding rounding,
                                     const DeviceLimits& limits) {
  std::vector<Setting> settings;
  if (rounding != OperandRounding::kRequired) {
    settings = direct_rows_settings(problem, limits);
    const std::vector<Setting> halves = direct_fp16_settings(problem, limits);
    settings.insert(settings.end(), halves.begin(), halves.end());
  }
  const std::vector<Setting> patch = patch_settings(problem, rounding, limits);
  settings.insert(settings.end(), patch.begin(), patch.end());
  const std::vector<Setting> groups = patch_wgmma_settings(problem, rounding, limits);
  settings.insert(settings.end(), groups.begin(), groups.end());
  return settings;
}

bool allows_moments(const ConvolutionProblem& problem, const MomentSetting& setting) {
  if (setting.groups.has_value()) {
    return allows_patch_wgmma(problem, *setting.groups);
  }
  if (setting.halves.has_value()) {
    return allows_direct_fp16(problem, *setting.halves);
  }
  return setting.patch.has_value() ? allows_patch(problem, *setting.patch) : allows_direct_rows(problem, *setting.rows);
}

int64_t moments_scratch_bytes(const ConvolutionProblem& problem, const MomentSetting& setting, bool by_image) {
  return bytes_before_parts(problem, setting) + moment_part_bytes(problem, setting, by_image);
}

void add_moments_work(const Group& group, const ConvolutionProblem& problem, const MomentSetting& setting,
                      bool by_image, Work& work) {
  add_summing_work(group, problem, setting, work);
  add_turning_work(problem, convolution_layout(group), work);
  add_parts_work(problem, setting, by_image, work);
}

Result<LoweredFunctor> make_moment_element(StepBuilder& step, ir::ValueId reduced) {
  const ir::Graph& graph = *step.group().graph;
  const ir::Node& root = step.group().root_node();
  const Domain domain(graph.type(root.outputs[0]).shape);
  FunctorBuilder builder(step, pascal_case(graph.value(reduced).name) + "Element", domain,
                         numbered_pixel_coordinates(domain.shape().size()));
  const IndexMap map = domain.anchor_map();
  if (root.operands.size() > 2 && ir::is_tensor(root.operands[2])) {
    STITCH_ASSIGN(Expr bias, builder.value(ir::tensor_operand(root, 2), {map[1]}));
    builder.bind_computation(root.outputs[0], map, sum(bound("accumulator"), std::move(bias)));
  } else {
    builder.bind(root.outputs[0], map, bound("accumulator"));
  }
  STITCH_ASSIGN(Expr element, builder.value(reduced, map));
  return builder.finish({.comment = "What is stored, and reduced, of one output pixel of one channel.",
                         .extra_parameters = "float accumulator",
                         .returns = std::move(element)});
}

void describe_moments(StepBuilder& step, const ConvolutionProblem& problem, const MomentSetting& own) {
  if (own.rows.has_value()) {
    step.include("kernels/conv/direct_rows_moments.cuh");
    describe_direct_rows(step);
  } else if (own.halves.has_value()) {
    step.include("kernels/conv/direct_fp16_moments.cuh");
    describe_direct_fp16(step);
  } else if (own.patch.has_value()) {
    step.include("kernels/conv/patch_moments.cuh");
    describe_patch(step, problem, *own.patch);
  } else {
    step.include("kernels/conv/patch_group_moments.cuh");
    describe_patch_wgmma(step, problem, *own.groups);
  }
  if (own.patch.has_value() || own.groups.has_value()) {
    step.describe("Bound: arithmetic, or writing the outputs where channels are few.");
  }
  step.describe("A lane takes mean and squared deviations of what it has of a channel; a second launch joins these.");
}

// The launch's name and template arguments.
std::string moments_launch(const ConvolutionProblem& problem, const MomentSetting& own) {
  if (own.rows.has_value()) {
    return fmt::format("launch_conv_direct_rows_moments<{}>", direct_rows_arguments(problem, *own.rows));
  }
  if (own.halves.has_value()) {
    return fmt::format("launch_conv_direct_fp16_moments<{}>", direct_fp16_arguments(problem, *own.halves));
  }
  return own.patch.has_value()
             ? fmt::format("launch_conv_patch_moments<{}>", patch_arguments(problem, *own.patch))
             : fmt::format("launch_conv_patch_group_moments<{}>", patch_wgmma_arguments(problem, *own.groups));
}

}  // namespace stitch::kernels
