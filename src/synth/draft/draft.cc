// SPDX-License-Identifier: Apache-2.0
#include "synth/draft/draft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/seed/seed.h"

namespace stitch::synth {
namespace {

constexpr uint64_t kSplitSeed = 1;  // fixed for ever: a family stays where it is
constexpr uint64_t kTrainTenths = 8;

std::string block(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += "        " + line + "\n";
  }
  return text;
}

std::string after_self(const std::vector<std::string>& names) {
  std::string text = "self";
  for (const std::string& name : names) {
    text += ", " + name;
  }
  return text;
}

}  // namespace

std::string write_source(const Draft& draft) {
  std::string text =
      fmt::format("\"\"\"{}.\"\"\"\n\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n",
                  fmt::join(draft.operators, ", "));
  for (const std::string& line : draft.imports) {
    text += line + "\n";
  }
  text += "\n";
  for (const SizeConstant& size : draft.sizes) {
    text += fmt::format("{} = {}\n", size.name, size.full);
  }
  text += fmt::format("\n\nclass Model(nn.Module):\n    def __init__({}):\n        super().__init__()\n{}",
                      after_self(draft.arguments), block(draft.layers));
  text += fmt::format("\n    def forward({}):\n{}        return {}\n", after_self(draft.input_names),
                      block(draft.lines), draft.result);
  text += fmt::format("\n\ndef get_inputs():\n    return [{}]\n", fmt::join(draft.inputs, ", "));
  return text + fmt::format("\n\ndef get_init_inputs():\n    return [{}]\n", fmt::join(draft.arguments, ", "));
}

std::string family_of(const Draft& draft) { return fmt::format("{}", fmt::join(draft.groups, "+")); }

std::string split_of(const std::string& family) {
  const uint64_t tenth = derived_seed(kSplitSeed, "family:" + family, 0) % 10;
  return tenth < kTrainTenths ? "train" : tenth == kTrainTenths ? "validation" : "test";
}

std::vector<std::pair<std::string, int64_t>> reduced_sizes(const Draft& draft) {
  std::vector<std::pair<std::string, int64_t>> sizes;
  for (const SizeConstant& size : draft.sizes) {
    sizes.emplace_back(size.name, size.reduced);
  }
  return sizes;
}

}  // namespace stitch::synth
