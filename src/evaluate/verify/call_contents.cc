// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/call_contents.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "verify/compare/elements.h"
#include "verify/compare/regime_judge.h"

namespace stitch::evaluate {
namespace {

using Draws = std::vector<verify::OracleDraw>;
using Tensors = std::vector<HostTensor>;

constexpr const char* kGiven = "contents of its own";
constexpr int kTries = 32;   // to find a place where two contents differ, before all places are looked at
constexpr int kNearby = 64;  // values of the other contents, of which the farthest is taken

bool is_finite(const HostTensor& tensor) {
  constexpr int64_t kAtOnce = 4096;
  double values[kAtOnce];
  const int64_t count = tensor.spec().type.element_count();
  bool finite = true;
  for (int64_t begin = 0; finite && begin < count; begin += kAtOnce) {
    const int64_t piece = std::min(kAtOnce, count - begin);
    verify::load_doubles(tensor, begin, piece, values);
    finite = std::all_of(values, values + piece, [](double value) { return std::isfinite(value); });
  }
  return finite;
}

std::vector<uint64_t> floating_widths(const Draws& draws) {
  std::vector<uint64_t> widths;
  for (const HostTensor& tensor : contents_of(draws.front())) {
    const DataType type = tensor.spec().type.dtype;
    widths.push_back(is_floating_point(type) ? static_cast<uint64_t>(element_bytes(type)) : 0);
  }
  for (const verify::OracleDraw& draw : draws) {
    const Tensors tensors = contents_of(draw);
    for (size_t i = 0; i < tensors.size(); ++i) {
      widths[i] = widths[i] > 0 && is_finite(tensors[i]) ? widths[i] : 0;
    }
  }
  return widths;
}

bool are_alike(const HostTensor& one, const HostTensor& other) {
  return std::equal(one.bytes().begin(), one.bytes().end(), other.bytes().begin(), other.bytes().end());
}

// Two of a draw that are alike in all draws may be one tensor under two names: apart they would be no legal contents.
void leave_tied_ones(const Draws& draws, std::vector<uint64_t>& widths) {
  std::vector<Tensors> given;
  std::transform(draws.begin(), draws.end(), std::back_inserter(given), contents_of);
  for (size_t one = 0; one < widths.size(); ++one) {
    for (size_t other = one + 1; other < widths.size(); ++other) {
      if (std::all_of(given.begin(), given.end(),
                      [&](const Tensors& tensors) { return are_alike(tensors[one], tensors[other]); })) {
        widths[one] = widths[other] = 0;
      }
    }
  }
}

double value_at(const HostTensor& tensor, uint64_t element) {
  double value = 0;
  verify::load_doubles(tensor, static_cast<int64_t>(element), 1, &value);
  return value;
}

bool differ_at(const HostTensor& one, const HostTensor& other, uint64_t at, uint64_t bytes) {
  return std::memcmp(one.bytes().data() + at, other.bytes().data() + at, bytes) != 0;
}

struct Element {
  size_t tensor = 0;
  uint64_t number = 0;
};

// By chance; where chance finds none soon, the first behind a place by chance.
std::optional<Element> find_differing(const Tensors& base, const Tensors& other, const std::vector<uint64_t>& widths,
                                      std::mt19937_64& random) {
  const auto elements = [&](size_t tensor) {
    return widths[tensor] > 0 ? base[tensor].bytes().size() / widths[tensor] : 0;
  };
  for (int i = 0; i < kTries && !widths.empty(); ++i) {
    const size_t tensor = random() % widths.size();
    const uint64_t number = elements(tensor) > 0 ? random() % elements(tensor) : 0;
    if (elements(tensor) > 0 && differ_at(base[tensor], other[tensor], number * widths[tensor], widths[tensor])) {
      return Element{tensor, number};
    }
  }
  for (size_t tensor = 0; tensor < widths.size(); ++tensor) {
    const uint64_t count = elements(tensor);
    const uint64_t start = count > 0 ? random() % count : 0;
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t number = (start + i) % count;
      if (differ_at(base[tensor], other[tensor], number * widths[tensor], widths[tensor])) {
        return Element{tensor, number};
      }
    }
  }
  return std::nullopt;
}

// A whole number takes the other's own: what else lies nearby may mean another thing there.
uint64_t farthest_value(const HostTensor& base, const HostTensor& other, uint64_t number, std::mt19937_64& random) {
  const auto count = static_cast<uint64_t>(other.spec().type.element_count());
  const double old = value_at(base, number);
  uint64_t farthest = number;
  for (int i = 0; i < kNearby && is_floating_point(other.spec().type.dtype); ++i) {
    const uint64_t candidate = random() % count;
    farthest =
        std::fabs(value_at(other, candidate) - old) > std::fabs(value_at(other, farthest) - old) ? candidate : farthest;
  }
  return farthest;
}

// Elements that have index `row` of axis `axis`, taken from `other`; nothing where they are the same there.
std::optional<HostTensor> with_row_of(const HostTensor& base, const HostTensor& other, uint64_t width, size_t axis,
                                      uint64_t row) {
  const std::vector<int64_t>& shape = base.spec().type.shape;
  uint64_t inner = width;
  for (size_t i = axis + 1; i < shape.size(); ++i) {
    inner *= static_cast<uint64_t>(shape[i]);
  }
  const uint64_t step = inner * static_cast<uint64_t>(shape[axis]);
  std::vector<std::byte> bytes(base.bytes().begin(), base.bytes().end());
  bool is_other = false;
  for (uint64_t at = row * inner; at < bytes.size(); at += step) {
    is_other = is_other || differ_at(base, other, at, inner);
    std::memcpy(bytes.data() + at, other.bytes().data() + at, inner);
  }
  return is_other ? std::optional(HostTensor::from_bytes(base.spec(), std::move(bytes))) : std::nullopt;
}

}  // namespace

Tensors contents_of(const verify::OracleDraw& draw) {
  Tensors tensors = draw.inputs;
  tensors.insert(tensors.end(), draw.states.begin(), draw.states.end());
  return tensors;
}

std::vector<uint64_t> element_widths(const Draws& draws) {
  std::vector<uint64_t> widths = floating_widths(draws);
  leave_tied_ones(draws, widths);
  return widths;
}

std::vector<uint64_t> element_widths_with_integers(const Draws& draws, const std::vector<bool>& whole_inputs) {
  std::vector<uint64_t> widths = floating_widths(draws);
  const Tensors& inputs = draws.front().inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DataType type = inputs[i].spec().type.dtype;
    const bool is_whole = i < whole_inputs.size() && whole_inputs[i];
    widths[i] = is_floating_point(type) || is_whole ? widths[i] : static_cast<uint64_t>(element_bytes(type));
  }
  leave_tied_ones(draws, widths);
  return widths;
}

Tensors mixed(const Tensors& first, const Tensors& second, const std::vector<uint64_t>& widths,
              std::mt19937_64& random) {
  Tensors made = first;
  for (size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] == 0) {
      continue;
    }
    std::vector<std::byte> bytes(first[i].bytes().begin(), first[i].bytes().end());
    for (uint64_t at = 0; at < bytes.size(); at += widths[i]) {
      if ((random() & 1) != 0) {
        std::memcpy(bytes.data() + at, second[i].bytes().data() + at, widths[i]);
      }
    }
    made[i] = HostTensor::from_bytes(first[i].spec(), std::move(bytes));
  }
  return made;
}

Tensors with_row(const Tensors& base, const Tensors& other, const std::vector<uint64_t>& widths,
                 std::mt19937_64& random) {
  for (int i = 0; i < kTries && !widths.empty(); ++i) {
    const size_t tensor = random() % widths.size();
    const std::vector<int64_t>& shape = base[tensor].spec().type.shape;
    const size_t axis = shape.empty() ? 0 : random() % shape.size();
    if (widths[tensor] == 0 || shape.size() < 2 || shape[axis] < 2) {
      continue;
    }
    const uint64_t row = random() % static_cast<uint64_t>(shape[axis]);
    if (const auto changed = with_row_of(base[tensor], other[tensor], widths[tensor], axis, row)) {
      Tensors made = base;
      made[tensor] = *changed;
      return made;
    }
  }
  return with_element(base, other, widths, random);
}

Tensors with_element(const Tensors& base, const Tensors& other, const std::vector<uint64_t>& widths,
                     std::mt19937_64& random) {
  const std::optional<Element> place = find_differing(base, other, widths, random);
  if (!place.has_value()) {
    return base;
  }
  const auto [tensor, number] = *place;
  const uint64_t width = widths[tensor];
  const uint64_t from = farthest_value(base[tensor], other[tensor], number, random);
  std::vector<std::byte> bytes(base[tensor].bytes().begin(), base[tensor].bytes().end());
  std::memcpy(bytes.data() + number * width, other[tensor].bytes().data() + from * width, width);
  Tensors made = base;
  made[tensor] = HostTensor::from_bytes(base[tensor].spec(), std::move(bytes));
  return made;
}

Tensors native_answers(const verify::OracleDraw& draw) {
  Tensors native;
  for (const verify::OutputReference& output : draw.outputs) {
    native.push_back(output.native);
  }
  return native;
}

SaidOfCall judge_given(const Draws& draws, MathMode math, const verify::OracleDraw& answer, const Tensors& results) {
  verify::RegimeJudge judge(math, verify::Asked::kRefusal);
  for (const verify::OracleDraw& draw : draws) {
    judge.add_draw("a draw", draw.outputs, native_answers(draw));
  }
  std::optional<verify::RefusedOutput> refused = judge.add_draw(kGiven, answer.outputs, results);
  if (!refused.has_value()) {
    refused = judge.finish();
  }
  if (judge.ill_conditioned().has_value()) {
    return {.is_said = false, .wrong = {}};
  }
  const bool is_wrong = refused.has_value() && refused->draw == kGiven;
  return {.is_said = true, .wrong = is_wrong ? std::optional(refused->message) : std::nullopt};
}

bool is_fair(const Draws& draws, MathMode math, const verify::OracleDraw& answer) {
  const SaidOfCall said = judge_given(draws, math, answer, native_answers(answer));
  return said.is_said && !said.wrong.has_value();
}

}  // namespace stitch::evaluate
