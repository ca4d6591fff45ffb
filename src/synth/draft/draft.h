// SPDX-License-Identifier: Apache-2.0
// A task before its sizes are final: the parts of a file in KernelBench's form.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace stitch::synth {

// A module-level integer of the file. The reduced value is what its program is tried at on a processor.
struct SizeConstant {
  std::string name{};
  int64_t full = 0;
  int64_t reduced = 0;
};

// An extent of a tensor: an expression in the file's constants, and what it comes to.
struct Extent {
  std::string text{};
  int64_t full = 0;
  int64_t reduced = 0;
  std::vector<std::string> constants{};  // that stand in the text
  bool operator==(const Extent& other) const { return text == other.text && full == other.full; }
};

enum class Layout { kFeatures, kTokens, kSignal, kImage, kVolume };

// A value of forward.
struct Tensor {
  std::string name{};
  Layout layout = Layout::kFeatures;
  std::vector<Extent> shape{};  // batch first; channels second where there are any

  int rank() const { return static_cast<int>(shape.size()); }
  bool has_channels() const { return layout >= Layout::kSignal; }
  int spatial_axes() const { return has_channels() ? rank() - 2 : 0; }
  // The axis that layers work along: channels of an image, else the last one.
  size_t feature_axis() const { return has_channels() ? 1 : shape.size() - 1; }
  const Extent& features() const { return shape[feature_axis()]; }
};

struct Draft {
  std::vector<SizeConstant> sizes{};
  std::string batch{};                     // the constant that grows and shrinks with the eager time
  std::vector<std::string> imports{};      // beside torch's
  std::vector<std::string> layers{};       // lines of __init__
  std::vector<std::string> arguments{};    // constants that __init__ takes
  std::vector<std::string> lines{};        // of forward
  std::vector<std::string> input_names{};  // forward's arguments
  std::vector<std::string> inputs{};       // what get_inputs() makes of each
  std::string result = "x";
  std::vector<std::string> operators{};  // in the order in which they were taken
  std::vector<std::string> seeds{};      // "torch:conv2d", "block:attention", "ir:atan", "transformers:llama.LlamaMLP"
  std::set<std::string> groups{};        // "contraction", "norm" ...: what the family is made of
};

// The file. Its text follows from the draft alone.
std::string write_source(const Draft& draft);
// "contraction+norm": by which tasks are split. Tasks that share a family share operators of the same kinds.
std::string family_of(const Draft& draft);
// "train", "validation" or "test", from the family's name alone: no task decides about another, and nothing that is
// harvested later moves a family.
std::string split_of(const std::string& family);
// {name, value} of each constant, at reduced sizes.
std::vector<std::pair<std::string, int64_t>> reduced_sizes(const Draft& draft);

}  // namespace stitch::synth
