// SPDX-License-Identifier: Apache-2.0
#include "synth/recipes/recipe.h"

#include <fmt/format.h>

#include "base/seed/seed.h"
#include "synth/recipes/blocks.h"

namespace stitch::synth {
namespace {

constexpr double kExpressionShare = 0.10;
constexpr double kMinedShare = 0.10;      // where there are any
constexpr double kBlockShare = 0.35;      // of the steps of a chain
constexpr double kPointwiseShare = 0.34;  // of those that are no blocks
constexpr int kTries = 12;                // of operators until one fits

// Of one to five steps the middle lengths come most often: published sets of chains of two teach little.
size_t drawn_length(Random& random) {
  static const std::vector<size_t> lengths = {1, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5};
  return random.pick(lengths);
}

Layout drawn_layout(Random& random) {
  static const std::vector<Layout> layouts = {Layout::kFeatures, Layout::kFeatures, Layout::kTokens, Layout::kTokens,
                                              Layout::kTokens,   Layout::kImage,    Layout::kImage,  Layout::kImage,
                                              Layout::kSignal,   Layout::kVolume};
  return random.pick(layouts);
}

Extent drawn_size(Writer& writer, const char* name, const std::vector<int64_t>& full,
                  const std::vector<int64_t>& reduced) {
  return writer.size(name, writer.random().pick(full), writer.random().pick(reduced));
}

void add_extents(Writer& writer, Tensor& value) {
  std::vector<Extent>& shape = value.shape;
  switch (value.layout) {
    case Layout::kFeatures:
      shape.push_back(drawn_size(writer, "features", {512, 1024, 2048, 4096, 8192}, {16, 24, 32}));
      return;
    case Layout::kTokens:
      shape.push_back(drawn_size(writer, "sequence", {128, 196, 256, 512, 1024}, {12, 16, 20}));
      shape.push_back(drawn_size(writer, "width", {256, 384, 512, 768, 1024}, {16, 24, 32}));
      return;
    case Layout::kSignal:
      shape.push_back(drawn_size(writer, "channels", {16, 32, 64, 128}, {8, 16}));
      shape.push_back(drawn_size(writer, "length", {1024, 4096, 8192, 16384}, {32, 40}));
      return;
    case Layout::kImage:
      shape.push_back(drawn_size(writer, "channels", {16, 32, 64, 96, 128}, {8, 16}));
      shape.push_back(drawn_size(writer, "height", {32, 56, 64, 112, 128}, {16, 18}));
      shape.push_back(drawn_size(writer, "width", {32, 56, 64, 112, 128}, {16, 20}));
      return;
    case Layout::kVolume:
      shape.push_back(drawn_size(writer, "channels", {8, 16, 32, 64}, {8}));
      shape.push_back(drawn_size(writer, "depth", {8, 16, 24}, {8}));
      shape.push_back(drawn_size(writer, "height", {24, 32, 48}, {8, 10}));
      shape.push_back(drawn_size(writer, "width", {24, 32, 48}, {8, 10}));
  }
}

bool is_last(Writer& writer, const char* name) {
  return !writer.draft().operators.empty() && writer.draft().operators.back() == name;
}

bool add_from(Writer& writer, Tensor& value, std::span<const Operator> table, const char* seed) {
  const Operator& op = table[writer.random().below(table.size())];
  const bool fits = (op.layouts & bit(value.layout)) != 0 && !is_last(writer, op.name) && op.apply(writer, value);
  if (fits) {
    writer.took(seed, op.name, op.group);
  }
  return fits;
}

bool add_operator(Writer& writer, Tensor& value) {
  Random& random = writer.random();
  if (random.chance(kPointwiseShare)) {
    const std::span<const PointwiseOperator> table = pointwise_operators();
    const PointwiseOperator& op = table[random.below(table.size())];
    apply_pointwise(op, writer, value);
    writer.took("torch", op.name, op.group);
    return true;
  }
  static const std::vector<std::span<const Operator>> parts = {contractions(), contractions(), contractions(),
                                                               norms(),        norms(),        reductions(),
                                                               reductions(),   movements(),    windows()};
  return add_from(writer, value, random.pick(parts), "torch");
}

bool add_step(Writer& writer, Tensor& value) {
  for (int left = kTries; left > 0; --left) {
    const bool is_block = writer.random().chance(kBlockShare);
    const std::span<const Operator> blocks = value.has_channels() ? channel_blocks() : row_blocks();
    if (is_block ? add_from(writer, value, blocks, "block") : add_operator(writer, value)) {
      return true;
    }
  }
  return false;
}

}  // namespace

Tensor first_value(Writer& writer, std::optional<Layout> layout) {
  Tensor value;
  value.layout = layout.has_value() ? *layout : drawn_layout(writer.random());
  const int64_t batch = value.layout == Layout::kFeatures ? 16384 : 32;
  value.shape.push_back(writer.size("batch_size", batch, value.layout == Layout::kFeatures ? 6 : 3));
  writer.draft().batch = value.shape[0].text;
  add_extents(writer, value);
  const char* drawn = writer.random().chance(0.7) ? "randn" : "rand";
  value.name = writer.input("x", fmt::format("torch.{}({})", drawn, shape_text(value.shape)));
  return value;
}

std::set<std::string> step_kinds() {
  std::set<std::string> kinds = {kExpressionKind, kMinedKind};
  for (const auto table :
       {contractions(), norms(), windows(), reductions(), movements(), row_blocks(), channel_blocks()}) {
    for (const Operator& each : table) {
      kinds.insert(each.group);
    }
  }
  for (const PointwiseOperator& each : pointwise_operators()) {
    kinds.insert(each.group);
  }
  return kinds;
}

std::optional<Draft> make_draft(uint64_t seed, uint64_t number, const std::vector<MinedModule>& mined) {
  Random random(derived_seed(seed, "synth", number));
  Writer writer(random);
  const double kind = random.unit();
  Tensor value;
  size_t steps = drawn_length(random);
  if (kind < kExpressionShare) {
    value = write_expression(writer);
    steps = random.below(3);
  } else if (!mined.empty() && kind < kExpressionShare + kMinedShare) {
    value = write_mined(writer, random.pick(mined));
    steps = random.below(4);
  } else {
    value = first_value(writer, std::nullopt);
  }
  for (size_t step = 0; step < steps; ++step) {
    if (!add_step(writer, value)) {
      return std::nullopt;
    }
  }
  Draft draft = std::move(writer.draft());
  draft.result = value.name;
  return draft.operators.empty() ? std::nullopt : std::optional(std::move(draft));
}

}  // namespace stitch::synth
