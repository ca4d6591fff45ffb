// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "synth/recipes/operators.h"

namespace stitch::synth {
namespace {

struct Window {
  const char* name;  // "MaxPool"
  int64_t kernel;
  int64_t stride;
  int64_t padding;
};

bool pool(Writer& writer, Tensor& value, const Window& window) {
  for (size_t axis = 2; axis < value.shape.size(); ++axis) {
    if (value.shape[axis].reduced + 2 * window.padding < 2 * window.kernel) {
      return false;
    }
  }
  const std::string padding = window.padding == 0 ? "" : fmt::format(", padding={}", window.padding);
  const std::string text = fmt::format("nn.{}({}, stride={}{})", for_axes(window.name, value.spatial_axes()),
                                       window.kernel, window.stride, padding);
  writer.step(value, fmt::format("{}({})", writer.layer("pool", text), value.name));
  for (size_t axis = 2; axis < value.shape.size(); ++axis) {
    value.shape[axis] = windowed(value.shape[axis], window.kernel, window.stride, window.padding);
  }
  return true;
}

bool max_pool(Writer& w, Tensor& v) { return pool(w, v, {"MaxPool", 2, 2, 0}); }
bool max_pool_overlapping(Writer& w, Tensor& v) { return pool(w, v, {"MaxPool", 3, 2, 1}); }
bool average_pool(Writer& w, Tensor& v) { return pool(w, v, {"AvgPool", 2, 2, 0}); }
bool average_pool_overlapping(Writer& w, Tensor& v) { return pool(w, v, {"AvgPool", 3, 1, 1}); }

bool lp_pool(Writer& writer, Tensor& value) {
  if (value.layout == Layout::kVolume || value.shape.back().reduced < 4) {
    return false;
  }
  const std::string text = fmt::format("nn.{}(2, 2)", for_axes("LPPool", value.spatial_axes()));
  writer.step(value, fmt::format("{}({})", writer.layer("pool", text), value.name));
  for (size_t axis = 2; axis < value.shape.size(); ++axis) {
    value.shape[axis] = windowed(value.shape[axis], 2, 2, 0);
  }
  return true;
}

void become_features(Tensor& value) {
  value.layout = Layout::kFeatures;
  value.shape.resize(2);
}

bool global_average_pool(Writer& writer, Tensor& value) {
  const std::string text = fmt::format("nn.{}(1)", for_axes("AdaptiveAvgPool", value.spatial_axes()));
  writer.step(value, fmt::format("{}({}).flatten(1)", writer.layer("pool", text), value.name));
  become_features(value);
  return true;
}

bool global_max_pool(Writer& writer, Tensor& value) {
  writer.step(value, fmt::format("{}.flatten(2).amax(dim=-1)", value.name));
  become_features(value);
  return true;
}

bool adaptive_pool(Writer& writer, Tensor& value) {
  if (value.shape.back().reduced < 4) {
    return false;
  }
  const std::string text = fmt::format("nn.{}(4)", for_axes("AdaptiveAvgPool", value.spatial_axes()));
  writer.step(value, fmt::format("{}({})", writer.layer("pool", text), value.name));
  for (size_t axis = 2; axis < value.shape.size(); ++axis) {
    value.shape[axis] = {"4", 4, 4, {}};
  }
  return true;
}

bool upsample(Writer& writer, Tensor& value) {
  static const std::vector<std::string> linear = {"", "linear", "bilinear", "trilinear"};
  const bool is_nearest = writer.random().chance(0.5);
  const std::string mode = is_nearest ? "nearest" : linear[static_cast<size_t>(value.spatial_axes())];
  const char* closing = is_nearest ? "" : ", align_corners=False";
  writer.step(value, fmt::format("F.interpolate({}, scale_factor=2, mode=\"{}\"{})", value.name, mode, closing));
  for (size_t axis = 2; axis < value.shape.size(); ++axis) {
    value.shape[axis] = {"", 2 * value.shape[axis].full, 2 * value.shape[axis].reduced, {}};
  }
  return true;
}

bool reflection_pad(Writer& writer, Tensor& value) {
  if (value.shape.back().reduced < 3) {
    return false;
  }
  std::string sides = "1, 1";
  for (int axis = 1; axis < value.spatial_axes(); ++axis) {
    sides += ", 1, 1";
  }
  static const std::vector<std::string> modes = {"reflect", "replicate", "circular"};
  writer.step(value, fmt::format("F.pad({}, ({}), mode=\"{}\")", value.name, sides, writer.random().pick(modes)));
  for (size_t axis = 2; axis < value.shape.size(); ++axis) {
    value.shape[axis] = {"", value.shape[axis].full + 2, value.shape[axis].reduced + 2, {}};
  }
  return true;
}

bool pixel_shuffle(Writer& writer, Tensor& value) {
  if (value.features().reduced < 8 || value.features().reduced % 4 != 0 || value.features().full % 4 != 0) {
    return false;
  }
  writer.step(value, fmt::format("F.pixel_shuffle({}, 2)", value.name));
  value.shape[1] = divided(value.shape[1], 4);
  for (size_t axis = 2; axis < value.shape.size(); ++axis) {
    value.shape[axis] = {"", 2 * value.shape[axis].full, 2 * value.shape[axis].reduced, {}};
  }
  return true;
}

bool tokens_of_image(Writer& writer, Tensor& value) {
  int64_t full = 1;
  int64_t reduced = 1;
  for (size_t axis = 2; axis < value.shape.size(); ++axis) {
    full *= value.shape[axis].full;
    reduced *= value.shape[axis].reduced;
  }
  writer.step(value, fmt::format("{}.flatten(2).transpose(1, 2)", value.name));
  value.shape = {value.shape[0], {"", full, reduced, {}}, value.shape[1]};
  value.layout = Layout::kTokens;
  return true;
}

constexpr Operator kWindows[] = {
    {"max_pool", "pool", kChannels, max_pool},
    {"max_pool_overlapping", "pool", kChannels, max_pool_overlapping},
    {"average_pool", "pool", kChannels, average_pool},
    {"average_pool_overlapping", "pool", kChannels, average_pool_overlapping},
    {"lp_pool", "pool", kChannels, lp_pool},
    {"global_average_pool", "pool", kChannels, global_average_pool},
    {"global_max_pool", "pool", kChannels, global_max_pool},
    {"adaptive_average_pool", "pool", kChannels, adaptive_pool},
    {"upsample", "resample", kChannels, upsample},
    {"pad", "resample", kChannels, reflection_pad},
    {"pixel_shuffle", "resample", bit(Layout::kImage), pixel_shuffle},
    {"tokens_of_image", "movement", kChannels, tokens_of_image},
};

}  // namespace

std::span<const Operator> windows() { return kWindows; }

}  // namespace stitch::synth
