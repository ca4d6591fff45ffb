// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/handed_answers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <utility>

#include "verify/compare/elements.h"

namespace stitch::evaluate {
namespace {

constexpr size_t kMinHanded = 64;
constexpr double kSmaller = 0.75;
// Of numbers that are mostly zero few can change: one in so many has to.
constexpr size_t kLeastChanged = 64;
// What a kernel may add to the host's answer without being wrong, by the size of all answers and by an element's own.
constexpr double kAddedOfAll = 1.0 / 1024;
constexpr double kAddedUnits = 4;
// Nearer to what it was than to any other answer: the host did most of the work, and kernels the rest.
constexpr double kNear = 0.25;
constexpr size_t kTimesByChance = 4;
constexpr size_t kTimesNearByChance = 3;
// A value that so many elements have, as the zeros behind a ReLU, says nothing of where one of them comes from.
constexpr size_t kFrequentShare = 64;

std::vector<double> doubles_of(const HostTensor& tensor) {
  std::vector<double> elements(static_cast<size_t>(tensor.spec().type.element_count()));
  verify::load_doubles(tensor, 0, static_cast<int64_t>(elements.size()), elements.data());
  return elements;
}

struct Alteration {
  size_t numbers = 0;
  size_t changed = 0;
};

HostTensor altered(const HostTensor& tensor, Alteration& alteration) {
  if (!is_floating_point(tensor.spec().type.dtype)) {
    return tensor;
  }
  const std::vector<double> before = doubles_of(tensor);
  std::vector<double> after(before.rbegin(), before.rend());
  for (size_t i = 0; i < after.size(); ++i) {
    after[i] *= kSmaller;
    alteration.changed += after[i] != before[i] && !(std::isnan(after[i]) && std::isnan(before[i])) ? 1 : 0;
  }
  alteration.numbers += after.size();
  TensorSpec in_doubles = tensor.spec();
  in_doubles.type.dtype = DataType::kFloat64;
  std::vector<std::byte> bytes(after.size() * sizeof(double));
  std::memcpy(bytes.data(), after.data(), bytes.size());
  return verify::convert(HostTensor::from_bytes(in_doubles, std::move(bytes)), tensor.spec());
}

std::vector<HostTensor> altered(const std::vector<HostTensor>& tensors, Alteration& alteration) {
  std::vector<HostTensor> result;
  for (const HostTensor& tensor : tensors) {
    result.push_back(altered(tensor, alteration));
  }
  return result;
}

std::vector<bool> are_frequent(const std::vector<double>& elements) {
  std::unordered_map<double, size_t> counts;
  for (const double element : elements) {
    ++counts[element];
  }
  std::vector<bool> frequent;
  for (const double element : elements) {
    frequent.push_back(elements.size() >= kMinHanded && counts[element] * kFrequentShare > elements.size());
  }
  return frequent;
}

// Of elements that other contents have otherwise.
struct Limits {
  std::vector<double> same;  // how far one may be from what it was to be the same; below 0: is not counted
  std::vector<double> near;
};

Limits limits_of(const std::vector<double>& got, const std::vector<std::vector<double>>& others, double unit) {
  double squares = 0;
  for (const double value : got) {
    squares += std::isfinite(value) ? value * value : 0;
  }
  const double size = std::sqrt(squares / static_cast<double>(std::max<size_t>(got.size(), 1)));
  const std::vector<bool> frequent = are_frequent(got);
  Limits limits{std::vector<double>(got.size(), -1), std::vector<double>(got.size(), -1)};
  for (size_t i = 0; i < got.size(); ++i) {
    const double own = kAddedUnits * unit * std::abs(got[i]);
    double nearest = std::numeric_limits<double>::infinity();
    for (const std::vector<double>& other : others) {
      nearest = std::min(nearest, std::abs(other[i] - got[i]));
    }
    if (!frequent[i] && std::isfinite(got[i]) && std::isfinite(nearest) && nearest > 2 * own) {
      limits.same[i] = unit > 0 ? std::min(own + kAddedOfAll * size, nearest / 2) : 0;
      limits.near[i] = kNear * nearest;
    }
  }
  return limits;
}

size_t count_within(const std::vector<double>& limits, const std::vector<double>& got, const std::vector<double>& again,
                    size_t shift) {
  size_t count = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    count += std::abs(again[(i + shift) % again.size()] - got[i]) <= limits[i] ? 1 : 0;
  }
  return count;
}

}  // namespace

std::optional<AlteredContents> altered_contents(const verify::OracleDraw& draw) {
  Alteration of_contents;
  Alteration of_parameters;
  AlteredContents contents{altered(draw.inputs, of_contents), altered(draw.states, of_contents),
                           altered(draw.parameters, of_parameters)};
  const Alteration& asked = of_contents.numbers > 0 ? of_contents : of_parameters;
  if (asked.numbers == 0 || kLeastChanged * asked.changed < asked.numbers) {
    return std::nullopt;
  }
  return contents;
}

size_t count_handed(const HostTensor& got, const HostTensor& again, const std::vector<const HostTensor*>& others) {
  const TensorType& type = got.spec().type;
  const std::vector<double> was = doubles_of(got);
  const std::vector<double> is = doubles_of(again);
  if (was.empty()) {
    return 0;
  }
  std::vector<std::vector<double>> of_others;
  for (const HostTensor* other : others) {
    of_others.push_back(doubles_of(*other));
  }
  const Limits limits = limits_of(was, of_others, is_floating_point(type.dtype) ? verify::epsilon(type.dtype) : 0);
  const size_t same = count_within(limits.same, was, is, 0);
  if (was.size() < kMinHanded) {
    return same;
  }
  // Neighbours, rows and the other half: what is alike there is alike by chance, or all over the output.
  const size_t row = type.shape.empty() ? 1 : static_cast<size_t>(type.shape.back());
  const size_t half = std::max<size_t>(was.size() / 2 / row, 1) * row;
  size_t by_chance = 0;
  size_t near_by_chance = 0;
  for (const size_t shift : {size_t{1}, row, half}) {
    if (shift % was.size() != 0) {
      by_chance = std::max(by_chance, count_within(limits.same, was, is, shift));
      near_by_chance = std::max(near_by_chance, count_within(limits.near, was, is, shift));
    }
  }
  if (same >= kMinHanded + kTimesByChance * by_chance) {
    return same;
  }
  const size_t near = is_floating_point(type.dtype) ? count_within(limits.near, was, is, 0) : 0;
  return near >= kMinHanded + kTimesNearByChance * near_by_chance ? near : 0;
}

}  // namespace stitch::evaluate
