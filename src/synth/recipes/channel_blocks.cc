// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "synth/recipes/blocks.h"

namespace stitch::synth {
namespace {

const char* activation_of_channels(Random& random) {
  static const std::vector<const char*> known = {"F.relu",  "F.gelu",      "F.silu",
                                                 "F.relu6", "F.hardswish", "F.leaky_relu"};
  return random.pick(known);
}

struct Convolution {
  const Extent& in;
  const Extent& out;
  int kernel = 3;
  bool is_depthwise = false;
};

std::string convolution(Writer& writer, int axes, const char* name, const Convolution& form) {
  const std::string groups = form.is_depthwise ? fmt::format(", groups={}", writer.in_layer(form.in)) : "";
  return writer.layer(
      name, fmt::format("nn.{}({}, {}, {}, padding={}{}, bias=False)", for_axes("Conv", axes), writer.in_layer(form.in),
                        writer.in_layer(form.out), form.kernel, form.kernel / 2, groups));
}

std::string norm_of_channels(Writer& writer, int axes, const Extent& channels) {
  if (writer.random().chance(0.65)) {
    return writer.layer("norm", fmt::format("nn.{}({})", for_axes("BatchNorm", axes), writer.in_layer(channels)));
  }
  return writer.layer("norm", fmt::format("nn.GroupNorm(4, {})", writer.in_layer(channels)));
}

bool conv_norm_act(Writer& writer, Tensor& value) {
  const int axes = value.spatial_axes();
  static const std::vector<int64_t> widths = {32, 64, 96, 128};
  const Extent out = writer.size("out_channels", writer.random().pick(widths), 8);
  const std::string conv = convolution(writer, axes, "conv", {value.features(), out});
  const std::string norm = norm_of_channels(writer, axes, out);
  writer.step(value, fmt::format("{}({}({}({})))", activation_of_channels(writer.random()), norm, conv, value.name));
  value.shape[1] = out;
  return true;
}

bool norm_act_conv(Writer& writer, Tensor& value) {
  const int axes = value.spatial_axes();
  const std::string norm = norm_of_channels(writer, axes, value.features());
  const std::string conv = convolution(writer, axes, "conv", {value.features(), value.features()});
  const std::string inner =
      fmt::format("{}({}({}({})))", conv, activation_of_channels(writer.random()), norm, value.name);
  writer.step(value, writer.random().chance(0.5) ? fmt::format("{} + {}", value.name, inner) : inner);
  return true;
}

bool residual(Writer& writer, Tensor& value) {
  const int axes = value.spatial_axes();
  const Extent& width = value.features();
  const char* act = activation_of_channels(writer.random());
  const std::string first = convolution(writer, axes, "conv", {width, width});
  const std::string norm = norm_of_channels(writer, axes, width);
  const std::string second = convolution(writer, axes, "conv", {width, width});
  const std::string last = norm_of_channels(writer, axes, width);
  const std::string inner = writer.assign("hidden", fmt::format("{}({}({}({})))", act, norm, first, value.name));
  const std::string branch = writer.assign("branch", fmt::format("{}({}({}))", last, second, inner));
  const std::string sum = fmt::format("{} + {}", value.name, branch);
  writer.step(value, writer.random().chance(0.7) ? fmt::format("{}({})", act, sum) : sum);
  return true;
}

bool bottleneck(Writer& writer, Tensor& value) {
  const int axes = value.spatial_axes();
  const Extent inner = writer.size("bottleneck", writer.random().chance(0.5) ? 32 : 64, 8);
  const char* act = activation_of_channels(writer.random());
  const std::string narrow = convolution(writer, axes, "narrow", {value.features(), inner, 1});
  const std::string first = norm_of_channels(writer, axes, inner);
  const std::string middle = convolution(writer, axes, "middle", {inner, inner});
  const std::string second = norm_of_channels(writer, axes, inner);
  const std::string widen = convolution(writer, axes, "widen", {inner, value.features(), 1});
  std::string hidden = writer.assign("hidden", fmt::format("{}({}({}({})))", act, first, narrow, value.name));
  hidden = writer.assign("hidden", fmt::format("{}({}({}({})))", act, second, middle, hidden));
  writer.step(value, fmt::format("{}({} + {}({}))", act, value.name, widen, hidden));
  return true;
}

bool inverted_residual(Writer& writer, Tensor& value) {
  const int axes = value.spatial_axes();
  const Extent wide = times(writer.random().chance(0.5) ? 4 : 2, value.features());
  const char* act = activation_of_channels(writer.random());
  const std::string expand = convolution(writer, axes, "expand", {value.features(), wide, 1});
  const std::string depthwise = convolution(writer, axes, "depthwise", {wide, wide, 3, true});
  const std::string norm = norm_of_channels(writer, axes, wide);
  const std::string project = convolution(writer, axes, "project", {wide, value.features(), 1});
  const std::string hidden = writer.assign("hidden", fmt::format("{}({}({}))", act, expand, value.name));
  writer.step(value,
              fmt::format("{} + {}({}({}({})))", value.name, project, act, norm, depthwise + "(" + hidden + ")"));
  return true;
}

bool separable(Writer& writer, Tensor& value) {
  const int axes = value.spatial_axes();
  static const std::vector<int64_t> widths = {32, 64, 128};
  const Extent out = writer.size("out_channels", writer.random().pick(widths), 8);
  const int kernel = writer.random().chance(0.5) ? 3 : 5;
  const std::string depthwise =
      convolution(writer, axes, "depthwise", {value.features(), value.features(), kernel, true});
  const std::string pointwise = convolution(writer, axes, "pointwise", {value.features(), out, 1});
  writer.step(value, fmt::format("{}({}({}))", activation_of_channels(writer.random()), pointwise,
                                 depthwise + "(" + value.name + ")"));
  value.shape[1] = out;
  return true;
}

bool squeeze_excite(Writer& writer, Tensor& value) {
  const Extent inner = writer.size("squeezed", 16, 4);
  const std::string down = writer.layer(
      "squeeze", fmt::format("nn.Linear({}, {})", writer.in_layer(value.features()), writer.in_layer(inner)));
  const std::string up = writer.layer(
      "excite", fmt::format("nn.Linear({}, {})", writer.in_layer(inner), writer.in_layer(value.features())));
  const std::string mean = writer.assign("mean", fmt::format("{}.flatten(2).mean(dim=-1)", value.name));
  const std::string gate = writer.assign(
      "scale", fmt::format("torch.sigmoid({}({}({}({}))))", up, activation_of_channels(writer.random()), down, mean));
  std::string view;
  for (int axis = 0; axis < value.spatial_axes(); ++axis) {
    view += "[..., None]";
  }
  writer.step(value, fmt::format("{} * {}{}", value.name, gate, view));
  return true;
}

bool gated_convolution(Writer& writer, Tensor& value) {
  const int axes = value.spatial_axes();
  const std::string both = convolution(writer, axes, "conv", {value.features(), times(2, value.features())});
  const std::string parts = writer.assign("parts", fmt::format("{}({}).chunk(2, dim=1)", both, value.name));
  const char* text =
      writer.random().chance(0.5) ? "torch.tanh({0}[0]) * torch.sigmoid({0}[1])" : "{0}[0] * torch.sigmoid({0}[1])";
  const std::string gated = fmt::format(fmt::runtime(text), parts);
  writer.step(value, writer.random().chance(0.5) ? fmt::format("{} + {}", value.name, gated) : gated);
  return true;
}

bool two_scales(Writer& writer, Tensor& value) {
  const int axes = value.spatial_axes();
  const std::string small = convolution(writer, axes, "small", {value.features(), value.features(), 1});
  const std::string large = convolution(writer, axes, "large", {value.features(), value.features(), 5});
  const bool is_joined = writer.random().chance(0.5);
  const std::string first = writer.assign("first", fmt::format("{}({})", small, value.name));
  const std::string second = writer.assign("second", fmt::format("{}({})", large, value.name));
  if (is_joined) {
    writer.step(value, fmt::format("torch.cat([{}, {}], dim=1)", first, second));
    value.shape[1] = times(2, value.features());
  } else {
    writer.step(value, fmt::format("{}({} + {})", activation_of_channels(writer.random()), first, second));
  }
  return true;
}

bool modulated(Writer& writer, Tensor& value) {
  const Extent width = writer.size("condition_size", 256, 8);
  const Extent& batch = value.shape[0];
  if (batch.text.empty()) {
    return false;
  }
  const std::string condition = writer.input("condition", fmt::format("torch.randn({}, {})", batch.text, width.text));
  const Extent both = times(2, value.features());
  const std::string layer =
      writer.layer("modulate", fmt::format("nn.Linear({}, {})", writer.in_layer(width), writer.in_layer(both)));
  std::string view;
  for (int axis = 0; axis < value.spatial_axes(); ++axis) {
    view += "[..., None]";
  }
  const std::string parts = writer.assign("parts", fmt::format("{}({}).chunk(2, dim=-1)", layer, condition));
  writer.step(value, fmt::format("{0} * (1 + {1}[0]{2}) + {1}[1]{2}", value.name, parts, view));
  return true;
}

constexpr Operator kChannelBlocks[] = {
    {"conv_norm_act", "norm_convolution", kChannels, conv_norm_act},
    {"norm_act_conv", "norm_convolution", kChannels, norm_act_conv},
    {"residual_block", "residual", kChannels, residual},
    {"bottleneck", "residual", kChannels, bottleneck},
    {"inverted_residual", "residual", kChannels, inverted_residual},
    {"separable", "convolution", kChannels, separable},
    {"squeeze_excite", "squeeze", kChannels, squeeze_excite},
    {"gated_convolution", "gated_convolution", kChannels, gated_convolution},
    {"two_scales", "inception", kChannels, two_scales},
    {"modulated", "modulation", kChannels, modulated},
};

}  // namespace

std::span<const Operator> channel_blocks() { return kChannelBlocks; }

}  // namespace stitch::synth
