// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "synth/recipes/operators.h"

namespace stitch::synth {
namespace {

// Full and reduced widths that heads and groups of 2, 4 and 8 divide.
Extent new_width(Writer& writer, const char* name) {
  static const std::vector<int64_t> full = {256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096};
  static const std::vector<int64_t> reduced = {16, 24, 32, 40};
  return writer.size(name, writer.random().pick(full), writer.random().pick(reduced));
}

Extent new_channels(Writer& writer, const char* name) {
  static const std::vector<int64_t> full = {16, 32, 48, 64, 96, 128, 192, 256};
  static const std::vector<int64_t> reduced = {8, 16, 24};
  return writer.size(name, writer.random().pick(full), writer.random().pick(reduced));
}

bool linear_with(Writer& writer, Tensor& value, const char* closing) {
  const Extent out = new_width(writer, "out_features");
  const std::string text =
      fmt::format("nn.Linear({}, {}{})", writer.in_layer(value.features()), writer.in_layer(out), closing);
  writer.step(value, fmt::format("{}({})", writer.layer("linear", text), value.name));
  value.shape.back() = out;
  return true;
}

bool linear(Writer& writer, Tensor& value) { return linear_with(writer, value, ""); }
bool linear_no_bias(Writer& writer, Tensor& value) { return linear_with(writer, value, ", bias=False"); }

bool matmul(Writer& writer, Tensor& value) {
  const Extent out = new_width(writer, "out_features");
  const std::string shape = writer.in_layer(value.features()) + ", " + writer.in_layer(out);
  const std::string weight = writer.parameter("weight", shape, 0.02, 0);
  const bool is_function = writer.random().chance(0.5);
  writer.step(value, is_function ? fmt::format("torch.matmul({}, {})", value.name, weight)
                                 : fmt::format("{} @ {}", value.name, weight));
  value.shape.back() = out;
  return true;
}

bool einsum(Writer& writer, Tensor& value) {
  const Extent out = new_width(writer, "out_features");
  const std::string shape = writer.in_layer(out) + ", " + writer.in_layer(value.features());
  const std::string weight = writer.parameter("weight", shape, 0.02, 0);
  const char* rule = value.layout == Layout::kTokens ? "bsd,od->bso" : "bd,od->bo";
  writer.step(value, fmt::format("torch.einsum(\"{}\", {}, {})", rule, value.name, weight));
  value.shape.back() = out;
  return true;
}

// Rows against rows: [batch, rows, rows].
bool gram(Writer& writer, Tensor& value) {
  writer.step(value, fmt::format("torch.bmm({0}, {0}.transpose(1, 2)) / {1}", value.name, 64));
  value.shape.back() = value.shape[1];
  return true;
}

bool low_rank(Writer& writer, Tensor& value) {
  const Extent rank = writer.size("rank", writer.random().chance(0.5) ? 64 : 128, 8);
  const std::string& in = writer.in_layer(value.features());
  const std::string& inner = writer.in_layer(rank);
  const std::string down = writer.layer("down", fmt::format("nn.Linear({}, {}, bias=False)", in, inner));
  const std::string up = writer.layer("up", fmt::format("nn.Linear({}, {}, bias=False)", inner, in));
  writer.step(value, fmt::format("{0} + {2}({1}({0}))", value.name, down, up));
  return true;
}

struct ConvolutionForm {
  int64_t kernel = 3;
  int64_t stride = 1;
  int64_t padding = 1;
  int64_t dilation = 1;
  const char* groups = "";  // how the argument is written after the channels; "" for one group
  bool keeps_channels = false;
};

bool convolve(Writer& writer, Tensor& value, const ConvolutionForm& form) {
  for (int axis = 2; axis < value.rank(); ++axis) {
    const int64_t needed = form.dilation * (form.kernel - 1) + 1 - 2 * form.padding;
    if (value.shape[static_cast<size_t>(axis)].reduced < std::max<int64_t>(needed, form.stride)) {
      return false;
    }
  }
  const Extent in = value.features();
  const Extent out = form.keeps_channels ? in : new_channels(writer, "out_channels");
  std::string arguments = fmt::format("{}, {}, {}", writer.in_layer(in), writer.in_layer(out), form.kernel);
  arguments += form.stride != 1 ? fmt::format(", stride={}", form.stride) : "";
  arguments += form.padding != 0 ? fmt::format(", padding={}", form.padding) : "";
  arguments += form.dilation != 1 ? fmt::format(", dilation={}", form.dilation) : "";
  const std::string groups = form.groups[0] == '=' ? fmt::format(", groups={}", in.text) : form.groups;
  arguments += groups + (writer.random().chance(0.25) ? ", bias=False" : "");
  const std::string text = fmt::format("nn.{}({})", for_axes("Conv", value.spatial_axes()), arguments);
  writer.step(value, fmt::format("{}({})", writer.layer("conv", text), value.name));
  value.shape[1] = out;
  for (size_t axis = 2; axis < value.shape.size(); ++axis) {
    value.shape[axis] = windowed(value.shape[axis], form.kernel, form.stride, form.padding, form.dilation);
  }
  return true;
}

bool conv(Writer& w, Tensor& v) { return convolve(w, v, {.kernel = 3, .padding = w.random().chance(0.5) ? 1 : 0}); }
bool conv_large(Writer& w, Tensor& v) { return convolve(w, v, {.kernel = 5, .padding = 2}); }
bool conv_pointwise(Writer& w, Tensor& v) { return convolve(w, v, {.kernel = 1, .padding = 0}); }
bool conv_strided(Writer& w, Tensor& v) { return convolve(w, v, {.kernel = 3, .stride = 2}); }
bool conv_dilated(Writer& w, Tensor& v) { return convolve(w, v, {.kernel = 3, .padding = 2, .dilation = 2}); }
bool conv_grouped(Writer& w, Tensor& v) { return convolve(w, v, {.kernel = 3, .groups = ", groups=4"}); }
bool conv_patches(Writer& w, Tensor& v) { return convolve(w, v, {.kernel = 4, .stride = 4, .padding = 0}); }
bool conv_depthwise(Writer& w, Tensor& v) {
  const bool is_large = w.random().chance(0.4);
  return convolve(w, v,
                  {.kernel = is_large ? 7 : 3, .padding = is_large ? 3 : 1, .groups = "=", .keeps_channels = true});
}

bool conv_transposed(Writer& writer, Tensor& value) {
  const Extent out = new_channels(writer, "out_channels");
  const int64_t stride = writer.random().chance(0.6) ? 2 : 1;
  const int64_t kernel = stride == 2 ? 4 : 3;
  const std::string name = for_axes("ConvTranspose", value.spatial_axes());
  const std::string text = fmt::format("nn.{}({}, {}, {}, stride={}, padding=1)", name,
                                       writer.in_layer(value.features()), writer.in_layer(out), kernel, stride);
  writer.step(value, fmt::format("{}({})", writer.layer("conv_transpose", text), value.name));
  value.shape[1] = out;
  for (size_t axis = 2; axis < value.shape.size(); ++axis) {
    Extent& extent = value.shape[axis];
    const auto grown = [&](int64_t length) { return (length - 1) * stride - 2 + kernel; };
    extent = {"", grown(extent.full), grown(extent.reduced), {}};
  }
  return true;
}

constexpr unsigned kTokens = bit(Layout::kTokens);
constexpr Operator kContractions[] = {
    {"linear", "contraction", kRows, linear},
    {"linear_no_bias", "contraction", kRows, linear_no_bias},
    {"matmul", "contraction", kRows, matmul},
    {"einsum", "contraction", kRows, einsum},
    {"gram", "contraction", kTokens, gram},
    {"low_rank", "contraction", kRows, low_rank},
    {"conv", "convolution", kChannels, conv},
    {"conv_large", "convolution", kChannels, conv_large},
    {"conv_pointwise", "convolution", kChannels, conv_pointwise},
    {"conv_strided", "convolution", kChannels, conv_strided},
    {"conv_dilated", "convolution", kChannels, conv_dilated},
    {"conv_grouped", "convolution", kChannels, conv_grouped},
    {"conv_depthwise", "convolution", kChannels, conv_depthwise},
    {"conv_patches", "convolution", kChannels, conv_patches},
    {"conv_transposed", "transposed_convolution", kChannels, conv_transposed},
};

}  // namespace

std::span<const Operator> contractions() { return kContractions; }

}  // namespace stitch::synth
