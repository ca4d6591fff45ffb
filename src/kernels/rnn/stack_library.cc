// SPDX-License-Identifier: Apache-2.0
#include "kernels/rnn/stack_library.h"

#include <algorithm>
#include <array>

#include "kernels/template/named_setting.h"

namespace stitch::kernels {
namespace {

struct StackLibrary {
  bool rounds_to_tf32;
  bool is_persistent;
};
constexpr std::array kLibrarySettings = {
    NamedSetting<StackLibrary>{"cudnn_tf32", {true, false}},
    NamedSetting<StackLibrary>{"cudnn_tf32_2", {true, true}},
    NamedSetting<StackLibrary>{"cudnn_fp32", {false, false}},
    NamedSetting<StackLibrary>{"cudnn_fp32_2", {false, true}},
};

constexpr int64_t kFloatOfLibrary = 4;
constexpr int64_t kSpareBytes = int64_t{33} << 20;

int64_t features_of(const Group& group, const Stack& stack) { return group.graph->type(stack.layers[0].x).shape[2]; }

// Of all layers, for one unit of the state.
int64_t depth_of(const Group& group, const Stack& stack) {
  return features_of(group, stack) + (2 * stack.count() - 1) * stack.top().units;
}

// cuDNN has both biases or none, in every layer.
bool has_library(const Stack& stack) {
  const bool has_biases = stack.top().directions[0].bias.has_value();
  return std::all_of(stack.layers.begin(), stack.layers.end(), [&](const StackedLayer& layer) {
    return layer.input_bias.has_value() == has_biases && layer.problem.directions[0].bias.has_value() == has_biases;
  });
}

const char* library_cell(const RecurrentProblem& layer) {
  if (layer.has_cell) {
    return "kLstm";
  }
  return layer.gates > 1 ? "kGru" : (layer.cell == "stitch::RnnTanhCell" ? "kTanh" : "kRelu");
}

// What lies behind the states: x with time first, the last layer's output, last cell states, the weights, and room for
// what cuDNN keeps of every step of every layer.
int64_t library_bytes(const Group& group, const Stack& stack) {
  const RecurrentProblem& top = stack.top();
  const int64_t rows = top.steps * top.batch;
  const int64_t weights = top.gates * top.units * (depth_of(group, stack) + 2 * stack.count());
  const int64_t kept = stack.count() * rows * (top.gates + 2) * top.units;
  const int64_t handed = rows * (features_of(group, stack) + top.units) + stack.count() * top.batch * top.units;
  return kFloatOfLibrary * (weights + kept + handed) + kSpareBytes;
}

}  // namespace

bool is_stack_library(const Setting& setting) { return is_named(kLibrarySettings, setting.variant); }

std::vector<Setting> stack_library_space(const Stack& stack, MathMode math) {
  if (!has_library(stack)) {
    return {};
  }
  const bool rounds = math == MathMode::kTf32 || math == MathMode::kReduced;
  return settings_where(kLibrarySettings, [&](const StackLibrary& each) { return each.rounds_to_tf32 == rounds; });
}

Work stack_library_work(const Group& group, const Stack& stack, const Setting& setting) {
  // Six layers of 256 units and 10 samples took cuDNN 2.6 us a step of a layer on an H200, under a CUDA graph
  // (bench/results/kernelbench-h200.md): as long as 1.3 launches, and steps of different layers overlap there already.
  constexpr double kLaunchesOfStep = 1.3;
  constexpr double kOperationsOfUnit = 60;
  const RecurrentProblem& top = stack.top();
  const auto steps = static_cast<double>(top.steps);
  const auto layers = static_cast<double>(stack.count());
  const auto states = static_cast<double>(top.batch * top.units);
  Work work;
  // Nobody measured the persistent kernels: the algorithm that PyTorch calls comes first.
  constexpr double kUnknown = 1.2;
  const StackLibrary library = meaning_of(kLibrarySettings, setting);
  work.launches = static_cast<int>((library.is_persistent ? kUnknown : 1.0) * kLaunchesOfStep * steps * layers) + 2;
  work.pipe = library.rounds_to_tf32 ? Pipe::kTf32 : Pipe::kFp32;
  work.flops = 2.0 * steps * static_cast<double>(top.gates) * states * static_cast<double>(depth_of(group, stack));
  work.lane_operations = kOperationsOfUnit * steps * layers * states + pointwise_operations(group);
  work.bytes = min_bytes(group);
  constexpr int64_t kTile = 64;
  work.blocks = (top.batch + kTile - 1) / kTile * ((top.gates * top.units + kTile - 1) / kTile);
  work.peak_share = 0.5;
  return work;
}

void add_stack_library_call(StepBuilder& step, const Stack& stack, const Setting& setting, int64_t own_scratch_bytes) {
  const StackLibrary library = meaning_of(kLibrarySettings, setting);
  step.include("kernels/rnn/library.cuh");
  step.launch("// cuDNN where it is installed; elsewhere it answers cudaErrorNotSupported and our own kernels run.");
  step.launch("const stitch::StackLibraryCall library{");
  step.launch("    .args = args,");
  step.launch("    .may_use_tf32 = {},", library.rounds_to_tf32);
  step.launch("    .is_persistent = {},", library.is_persistent);
  step.launch("    .cell = stitch::LibraryCell::{},", library_cell(stack.top()));
  step.launch("};");
  step.launch("const cudaError_t by_library =");
  step.launch("    stitch::launch_stack_library(library, shape, operands, state, store, stream);");
  step.launch("if (by_library != cudaErrorNotSupported) {");
  step.launch("  return by_library;");
  step.launch("}");
  step.set_scratch_bytes(own_scratch_bytes + library_bytes(step.group(), stack));
}

}  // namespace stitch::kernels
