// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "synth/recipes/operators.h"

namespace stitch::synth {
namespace {

// An extent that stands for itself in the file: an input of the same shape can be drawn.
bool has_names(const Tensor& value) {
  for (const Extent& extent : value.shape) {
    if (extent.text.empty()) {
      return false;
    }
  }
  return true;
}

bool along_features(Writer& writer, Tensor& value, const char* text) {
  writer.step(value, fmt::format(fmt::runtime(text), value.name, value.feature_axis()));
  return true;
}

bool flip(Writer& w, Tensor& v) { return along_features(w, v, "torch.flip({}, dims=({},))"); }
bool roll(Writer& w, Tensor& v) { return along_features(w, v, "torch.roll({}, shifts=1, dims={})"); }
bool repeat_sum(Writer& w, Tensor& v) { return along_features(w, v, "{0} + torch.roll({0}, shifts=3, dims={1})"); }

bool gated_linear_unit(Writer& writer, Tensor& value) {
  if (value.features().full % 2 != 0 || value.features().reduced % 2 != 0 || value.features().reduced < 4) {
    return false;
  }
  writer.step(value, fmt::format("F.glu({}, dim={})", value.name, value.feature_axis()));
  value.shape[value.feature_axis()] = divided(value.features(), 2);
  return true;
}

bool halves_exchanged(Writer& writer, Tensor& value) {
  if (value.features().full % 2 != 0 || value.features().reduced % 2 != 0) {
    return false;
  }
  const std::string halves =
      writer.assign("halves", fmt::format("{}.chunk(2, dim={})", value.name, value.feature_axis()));
  writer.step(value, fmt::format("torch.cat([{0}[1], torch.tanh({0}[0])], dim={1})", halves, value.feature_axis()));
  return true;
}

bool both_signs(Writer& writer, Tensor& value) {
  writer.step(value,
              fmt::format("torch.cat([torch.relu({0}), torch.relu(-{0})], dim={1})", value.name, value.feature_axis()));
  value.shape[value.feature_axis()] = times(2, value.features());
  return true;
}

bool shuffle_channels(Writer& writer, Tensor& value) {
  if (value.features().full % 4 != 0 || value.features().reduced % 4 != 0) {
    return false;
  }
  writer.step(value, fmt::format("{0}.unflatten(1, (4, -1)).transpose(1, 2).flatten(1, 2)", value.name));
  return true;
}

bool mask_lower(Writer& writer, Tensor& value) {
  writer.step(value, fmt::format("torch.tril({})", value.name));
  return true;
}

// What joins a second input.
bool join(Writer& writer, Tensor& value, const char* text) {
  if (!has_names(value)) {
    return false;
  }
  const std::string other = writer.input("other", fmt::format("torch.randn({})", shape_text(value.shape)));
  writer.step(value, fmt::format(fmt::runtime(text), value.name, other));
  return true;
}

bool add_other(Writer& w, Tensor& v) { return join(w, v, "{0} + {1}"); }
bool multiply_other(Writer& w, Tensor& v) { return join(w, v, "{0} * {1}"); }
bool gate_other(Writer& w, Tensor& v) { return join(w, v, "{0} * torch.sigmoid({1})"); }
bool distance(Writer& w, Tensor& v) { return join(w, v, "torch.square({0} - {1})"); }
bool huber(Writer& w, Tensor& v) { return join(w, v, "F.smooth_l1_loss({0}, {1}, reduction=\"none\")"); }
bool lerp_other(Writer& w, Tensor& v) { return join(w, v, "torch.lerp({0}, {1}, 0.3)"); }
bool maximum_other(Writer& w, Tensor& v) { return join(w, v, "torch.maximum({0}, {1})"); }
bool where_other(Writer& w, Tensor& v) { return join(w, v, "torch.where({1} > {0}, {1}, {0} * 0.5)"); }
bool addcmul_other(Writer& w, Tensor& v) { return join(w, v, "torch.addcmul({0}, {1}, torch.tanh({1}), value=0.5)"); }

bool cosine_similarity(Writer& writer, Tensor& value) {
  if (value.layout != Layout::kTokens || !join(writer, value, "F.cosine_similarity({0}, {1}, dim=-1)")) {
    return false;
  }
  value.shape.pop_back();
  value.layout = Layout::kFeatures;
  return true;
}

bool outer_gate(Writer& writer, Tensor& value) {
  const std::string gate = writer.parameter("gate", writer.in_layer(value.features()), 1, 0);
  std::string view;
  for (int axis = 0; axis < value.spatial_axes(); ++axis) {
    view += ", 1";
  }
  const std::string shaped = value.has_channels() ? fmt::format("{}.view(-1{})", gate, view) : gate;
  writer.step(value, fmt::format("{} * torch.sigmoid({})", value.name, shaped));
  return true;
}

constexpr unsigned kTwoAxes = bit(Layout::kTokens) | bit(Layout::kImage);
constexpr Operator kMovements[] = {
    {"flip", "movement", kAny, flip},
    {"roll", "movement", kAny, roll},
    {"add_rolled", "movement", kAny, repeat_sum},
    {"gated_linear_unit", "gate", kAny, gated_linear_unit},
    {"halves_exchanged", "movement", kAny, halves_exchanged},
    {"both_signs", "movement", kAny, both_signs},
    {"shuffle_channels", "movement", kChannels, shuffle_channels},
    {"tril", "movement", kTwoAxes, mask_lower},
    {"add_other", "join", kAny, add_other},
    {"multiply_other", "join", kAny, multiply_other},
    {"gate_other", "gate", kAny, gate_other},
    {"squared_distance", "loss", kAny, distance},
    {"smooth_l1", "loss", kAny, huber},
    {"lerp_other", "join", kAny, lerp_other},
    {"maximum_other", "join", kAny, maximum_other},
    {"where_other", "join", kAny, where_other},
    {"addcmul_other", "join", kAny, addcmul_other},
    {"cosine_similarity", "loss", bit(Layout::kTokens), cosine_similarity},
    {"learned_gate", "gate", kAny, outer_gate},
};

}  // namespace

std::span<const Operator> movements() { return kMovements; }

}  // namespace stitch::synth
