// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "synth/recipes/operators.h"

namespace stitch::synth {
namespace {

// What a reduction along `axis` leaves, which is dropped.
void drop_axis(Tensor& value, size_t axis) {
  value.shape.erase(value.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  switch (value.rank()) {
    case 2:
      value.layout = Layout::kFeatures;
      break;
    case 3:
      value.layout = axis == 1 ? Layout::kTokens : value.layout == Layout::kTokens ? Layout::kTokens : Layout::kSignal;
      break;
    default:
      value.layout = Layout::kImage;
  }
}

// Along the last axis or, where there are more than two, the one before. An axis without a name in the file is one
// that no layer could follow, so that it is reduced and not kept.
bool reduce(Writer& writer, Tensor& value, const char* text) {
  if (value.rank() < 3 || value.layout == Layout::kVolume) {
    return false;
  }
  const size_t axis = value.layout == Layout::kTokens ? 1 : value.shape.size() - 1;
  writer.step(value, fmt::format(fmt::runtime(text), value.name, axis));
  drop_axis(value, axis);
  return true;
}

bool mean(Writer& w, Tensor& v) { return reduce(w, v, "torch.mean({}, dim={})"); }
bool sum(Writer& w, Tensor& v) { return reduce(w, v, "torch.sum({}, dim={}) / 32"); }
bool amax(Writer& w, Tensor& v) { return reduce(w, v, "torch.amax({}, dim={})"); }
bool amin(Writer& w, Tensor& v) { return reduce(w, v, "torch.amin({}, dim={})"); }
bool variance(Writer& w, Tensor& v) { return reduce(w, v, "torch.var({}, dim={})"); }
bool vector_norm(Writer& w, Tensor& v) { return reduce(w, v, "torch.linalg.vector_norm({}, dim={})"); }
bool logsumexp(Writer& w, Tensor& v) { return reduce(w, v, "torch.logsumexp({}, dim={})"); }
bool median(Writer& w, Tensor& v) { return reduce(w, v, "torch.median({}, dim={})[0]"); }

// Keeps the shape: works along the axis of features.
bool along(Writer& writer, Tensor& value, const char* text) {
  writer.step(value, fmt::format(fmt::runtime(text), value.name, value.feature_axis()));
  return true;
}

bool softmax(Writer& w, Tensor& v) { return along(w, v, "F.softmax({}, dim={})"); }
bool log_softmax(Writer& w, Tensor& v) { return along(w, v, "F.log_softmax({}, dim={})"); }
bool softmin(Writer& w, Tensor& v) { return along(w, v, "F.softmin({}, dim={})"); }
bool cumsum(Writer& w, Tensor& v) { return along(w, v, "torch.cumsum({}, dim={}) / 16"); }
bool cumprod(Writer& w, Tensor& v) { return along(w, v, "torch.cumprod(torch.sigmoid({}) + 0.5, dim={})"); }
bool logcumsumexp(Writer& w, Tensor& v) { return along(w, v, "torch.logcumsumexp({}, dim={})"); }
bool cummax(Writer& w, Tensor& v) { return along(w, v, "torch.cummax({}, dim={})[0]"); }
bool reverse_cumsum(Writer& w, Tensor& v) { return along(w, v, "torch.cumsum({0}.flip({1}), dim={1}).flip({1})"); }
bool minus_mean(Writer& w, Tensor& v) { return along(w, v, "{0} - {0}.mean(dim={1}, keepdim=True)"); }
bool minus_max(Writer& w, Tensor& v) { return along(w, v, "{0} - torch.amax({0}, dim={1}, keepdim=True)"); }
bool over_sum(Writer& w, Tensor& v) {
  return along(w, v, "torch.exp({0}) / (1 + torch.exp({0}).sum({1}, keepdim=True))");
}
bool gated_by_max(Writer& w, Tensor& v) {
  return along(w, v, "{0} * torch.sigmoid(torch.amax({0}, {1}, keepdim=True))");
}
bool sort_rows(Writer& w, Tensor& v) { return along(w, v, "torch.sort({}, dim={})[0]"); }
bool spatial_softmax(Writer& w, Tensor& v) { return along(w, v, "F.softmax({0}.flatten(2), dim=-1).view_as({0})"); }

bool top_k(Writer& writer, Tensor& value) {
  writer.step(value, fmt::format("torch.topk({}, 8, dim=-1)[0]", value.name));
  value.shape.back() = {"8", 8, 8, {}};
  return true;
}

constexpr Operator kReductions[] = {
    {"mean", "reduction", kAny, mean},
    {"sum", "reduction", kAny, sum},
    {"amax", "reduction", kAny, amax},
    {"amin", "reduction", kAny, amin},
    {"variance", "reduction", kAny, variance},
    {"vector_norm", "reduction", kAny, vector_norm},
    {"logsumexp", "reduction", kAny, logsumexp},
    {"median", "order", kAny, median},
    {"softmax", "softmax", kAny, softmax},
    {"log_softmax", "softmax", kAny, log_softmax},
    {"softmin", "softmax", kAny, softmin},
    {"spatial_softmax", "softmax", kChannels, spatial_softmax},
    {"cumsum", "scan", kAny, cumsum},
    {"cumprod", "scan", kAny, cumprod},
    {"logcumsumexp", "scan", kAny, logcumsumexp},
    {"cummax", "scan", kAny, cummax},
    {"reverse_cumsum", "scan", kAny, reverse_cumsum},
    {"minus_mean", "normalising_reduction", kAny, minus_mean},
    {"minus_max", "normalising_reduction", kAny, minus_max},
    {"over_sum", "normalising_reduction", kAny, over_sum},
    {"gated_by_max", "normalising_reduction", kAny, gated_by_max},
    {"sort", "order", kRows, sort_rows},
    {"top_k", "order", kRows, top_k},
};

}  // namespace

std::span<const Operator> reductions() { return kReductions; }

}  // namespace stitch::synth
