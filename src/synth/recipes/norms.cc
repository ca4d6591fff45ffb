// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "synth/recipes/operators.h"

namespace stitch::synth {
namespace {

void norm(Writer& writer, Tensor& value, const std::string& text) {
  writer.step(value, fmt::format("{}({})", writer.layer("norm", text), value.name));
}

bool layer_norm(Writer& writer, Tensor& value) {
  norm(writer, value, fmt::format("nn.LayerNorm({})", writer.in_layer(value.features())));
  return true;
}

bool rms_norm(Writer& writer, Tensor& value) {
  if (writer.random().chance(0.5)) {
    norm(writer, value, fmt::format("nn.RMSNorm({})", writer.in_layer(value.features())));
    return true;
  }
  const std::string gain = writer.parameter("gain", writer.in_layer(value.features()), 0.1, 1);
  const std::string scale =
      writer.assign("scale", fmt::format("torch.rsqrt({}.pow(2).mean(-1, keepdim=True) + 1e-6)", value.name));
  writer.step(value, fmt::format("{} * {} * {}", value.name, scale, gain));
  return true;
}

bool batch_norm(Writer& writer, Tensor& value) {
  const int axes = value.layout == Layout::kFeatures ? 1 : value.spatial_axes();
  norm(writer, value, fmt::format("nn.{}({})", for_axes("BatchNorm", axes), writer.in_layer(value.features())));
  return true;
}

bool group_norm(Writer& writer, Tensor& value) {
  const int groups = writer.random().chance(0.5) ? 4 : 8;
  norm(writer, value, fmt::format("nn.GroupNorm({}, {})", groups, writer.in_layer(value.features())));
  return true;
}

bool instance_norm(Writer& writer, Tensor& value) {
  if (value.shape.back().reduced < 2) {
    return false;
  }
  const char* closing = writer.random().chance(0.5) ? ", affine=True" : "";
  norm(writer, value,
       fmt::format("nn.{}({}{})", for_axes("InstanceNorm", value.spatial_axes()), writer.in_layer(value.features()),
                   closing));
  return true;
}

bool channel_layer_norm(Writer& writer, Tensor& value) {
  const std::string text = fmt::format("nn.LayerNorm({})", writer.in_layer(value.features()));
  const std::string layer = writer.layer("norm", text);
  writer.step(value, fmt::format("{}({}.movedim(1, -1)).movedim(-1, 1)", layer, value.name));
  return true;
}

bool local_response_norm(Writer& writer, Tensor& value) {
  norm(writer, value, fmt::format("nn.LocalResponseNorm({})", 5));
  return true;
}

bool l2_normalize(Writer& writer, Tensor& value) {
  writer.step(value, fmt::format("F.normalize({}, p=2, dim={})", value.name, value.feature_axis()));
  return true;
}

bool l1_normalize(Writer& writer, Tensor& value) {
  writer.step(value,
              fmt::format("{0} / ({0}.abs().mean(dim={1}, keepdim=True) + 1e-5)", value.name, value.feature_axis()));
  return true;
}

bool frobenius_norm(Writer& writer, Tensor& value) {
  std::string axes;
  for (int axis = 1; axis < value.rank(); ++axis) {
    axes += fmt::format("{}, ", axis);
  }
  const std::string length =
      writer.assign("length", fmt::format("torch.linalg.vector_norm({}, dim=({}), keepdim=True)", value.name, axes));
  writer.step(value, fmt::format("{} / ({} + 1e-6)", value.name, length));
  return true;
}

bool standardise(Writer& writer, Tensor& value) {
  const size_t axis = value.shape.size() - 1;
  if (value.shape[axis].reduced < 4) {
    return false;
  }
  const std::string mean = writer.assign("mean", fmt::format("{}.mean(dim={}, keepdim=True)", value.name, axis));
  const std::string deviation =
      writer.assign("deviation", fmt::format("{}.std(dim={}, keepdim=True)", value.name, axis));
  writer.step(value, fmt::format("({} - {}) / ({} + 1e-5)", value.name, mean, deviation));
  return true;
}

bool weight_scale(Writer& writer, Tensor& value) {
  const std::string gain = writer.parameter("gain", writer.in_layer(value.features()), 0.2, 1);
  const std::string bias = writer.parameter("bias", writer.in_layer(value.features()), 0.2, 0);
  std::string view = "";
  if (value.has_channels()) {
    view = ".view(1, -1";
    for (int axis = 0; axis < value.spatial_axes(); ++axis) {
      view += ", 1";
    }
    view += ")";
  }
  writer.step(value, fmt::format("{0} * {1}{3} + {2}{3}", value.name, gain, bias, view));
  return true;
}

constexpr Operator kNorms[] = {
    {"layer_norm", "norm", kRows, layer_norm},
    {"rms_norm", "norm", kRows, rms_norm},
    {"batch_norm", "norm", bit(Layout::kFeatures) | kChannels, batch_norm},
    {"group_norm", "norm", bit(Layout::kFeatures) | kChannels, group_norm},
    {"instance_norm", "norm", kChannels, instance_norm},
    {"channel_layer_norm", "norm", kChannels, channel_layer_norm},
    {"local_response_norm", "norm", bit(Layout::kImage), local_response_norm},
    {"l2_normalize", "norm", kAny, l2_normalize},
    {"l1_normalize", "norm", kAny, l1_normalize},
    {"frobenius_norm", "norm", kAny, frobenius_norm},
    {"standardise", "norm", kAny, standardise},
    {"scale_and_shift", "affine", kAny, weight_scale},
};

}  // namespace

std::span<const Operator> norms() { return kNorms; }

}  // namespace stitch::synth
