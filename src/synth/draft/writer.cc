// SPDX-License-Identifier: Apache-2.0
#include "synth/draft/writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace stitch::synth {

std::string Writer::unique(const std::string& name) {
  const int before = names_[name]++;
  return before == 0 ? name : fmt::format("{}_{}", name, before + 1);
}

Extent Writer::size(const std::string& name, int64_t full, int64_t reduced) {
  const std::string taken = unique(name);
  draft_.sizes.push_back({taken, full, reduced});
  return {taken, full, reduced, {taken}};
}

const std::string& Writer::in_layer(const Extent& extent) {
  for (const std::string& constant : extent.constants) {
    if (std::find(draft_.arguments.begin(), draft_.arguments.end(), constant) == draft_.arguments.end()) {
      draft_.arguments.push_back(constant);
    }
  }
  return extent.text;
}

std::string Writer::layer(const std::string& name, const std::string& text) {
  const std::string taken = "self." + unique(name);
  draft_.layers.push_back(taken + " = " + text);
  return taken;
}

std::string Writer::parameter(const std::string& name, const std::string& shape, double scale, double offset) {
  const std::string drawn = fmt::format("torch.randn({})", shape);
  const std::string scaled = scale == 1 ? drawn : fmt::format("{:g} * {}", scale, drawn);
  return layer(name, fmt::format("nn.Parameter({}{})", offset == 0 ? "" : fmt::format("{:g} + ", offset), scaled));
}

std::string Writer::assign(const std::string& name, const std::string& text) {
  std::string taken = unique(name);
  draft_.lines.push_back(taken + " = " + text);
  return taken;
}

void Writer::step(Tensor& value, const std::string& text) { draft_.lines.push_back(value.name + " = " + text); }

std::string Writer::input(const std::string& name, const std::string& text) {
  std::string taken = unique(name);
  draft_.input_names.push_back(taken);
  draft_.inputs.push_back(text);
  return taken;
}

void Writer::took(const std::string& seed, const std::string& name, const std::string& group) {
  draft_.seeds.push_back(seed + ":" + name);
  draft_.operators.push_back(name);
  draft_.groups.insert(group);
}

Extent times(int64_t factor, const Extent& extent) {
  return {fmt::format("{} * {}", factor, extent.text), factor * extent.full, factor * extent.reduced, extent.constants};
}

Extent divided(const Extent& extent, int64_t divisor) {
  return {fmt::format("({}) // {}", extent.text, divisor), extent.full / divisor, extent.reduced / divisor,
          extent.constants};
}

Extent windowed(const Extent& extent, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation) {
  const auto left = [&](int64_t length) { return (length + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1; };
  return {"", left(extent.full), left(extent.reduced), {}};
}

std::string shape_text(const std::vector<Extent>& shape) {
  std::string text;
  for (const Extent& extent : shape) {
    text += (text.empty() ? "" : ", ") + extent.text;
  }
  return text;
}

}  // namespace stitch::synth
