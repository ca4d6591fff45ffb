// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/module_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "evaluate/verify/handed_answers.h"

namespace stitch::evaluate {
namespace {

constexpr size_t kMinForeign = 64;      // elements; as many as no host has to finish
constexpr size_t kMaxOtherCalls = 12;   // that are known
constexpr size_t kMaxWaitingCalls = 4;  // for others to be held against
constexpr size_t kMaxCompared = 3;

bool have_equal_bytes(const std::vector<HostTensor>& left, const std::vector<HostTensor>& right) {
  return std::ranges::equal(left, right, [](const HostTensor& a, const HostTensor& b) {
    const auto of_a = a.bytes();
    const auto of_b = b.bytes();
    return of_a.size() == of_b.size() && (of_a.data() == of_b.data() || std::ranges::equal(of_a, of_b));
  });
}

bool have_equal_types(const std::vector<HostTensor>& left, const std::vector<HostTensor>& right) {
  const auto type_of = [](const HostTensor& tensor) { return tensor.spec().type; };
  return std::ranges::equal(left, right, {}, type_of, type_of);
}

void add_integers(const std::vector<HostTensor>& tensors, std::vector<HostTensor>& integers) {
  std::ranges::copy_if(tensors, std::back_inserter(integers),
                       [](const HostTensor& tensor) { return !is_floating_point(tensor.spec().type.dtype); });
}

}  // namespace

void ModuleAnswers::know(const Known& known) {
  const bool is_known = std::ranges::any_of(known_, [&](const Known& each) {
    return have_equal_types(each.results, known.results) && have_equal_bytes(each.results, known.results);
  });
  if (is_known) {
    return;
  }
  known_.push_back(known);
  if (known_.size() > kMaxOtherCalls) {
    known_.pop_front();
  }
}

std::vector<const ModuleAnswers::Known*> ModuleAnswers::others_of(const Call& call) const {
  std::vector<const Known*> others;
  for (const Known& each : known_) {
    const bool are_alike = have_equal_types(each.results, call.known.results) &&
                           have_equal_bytes(each.integers, call.known.integers) &&
                           (call.has_prepared || have_equal_bytes(each.parameters, call.known.parameters));
    if (are_alike && !have_equal_bytes(each.results, call.known.results) && others.size() < kMaxCompared) {
      others.push_back(&each);
    }
  }
  return others;
}

std::optional<Finding> ModuleAnswers::add(const verify::OracleDraw& draw, bool has_prepared,
                                          const std::vector<HostTensor>& got, const std::vector<HostTensor>& again) {
  Call made{{draw.parameters, {}, {}}, {}, has_prepared, got, again};
  add_integers(draw.inputs, made.known.integers);
  add_integers(draw.states, made.known.integers);
  for (const verify::OutputReference& output : draw.outputs) {
    made.known.results.push_back(output.native);
    made.names.push_back(output.name);
  }
  know(made.known);
  if (got.size() == made.names.size() && again.size() == got.size()) {
    waiting_.push_back(std::move(made));
  }
  for (auto call = waiting_.begin(); call != waiting_.end();) {
    const auto others = others_of(*call);
    for (size_t i = 0; i < call->got.size() && !others.empty(); ++i) {
      std::vector<const HostTensor*> of_others;
      std::ranges::transform(others, std::back_inserter(of_others),
                             [&](const Known* other) { return &other->results[i]; });
      const size_t handed = count_handed(call->got[i], call->again[i], of_others);
      if (handed >= kMinForeign) {
        return Finding{Stage::kDraws, VerdictKind::kCheated,
                       fmt::format("the host hands its answer to kernels, {} of {} elements of {}: they are the same "
                                   "when the same commands run on other contents",
                                   handed, call->got[i].spec().type.element_count(), call->names[i])};
      }
    }
    call = others.empty() ? call + 1 : waiting_.erase(call);
  }
  if (waiting_.size() > kMaxWaitingCalls) {
    waiting_.pop_front();
  }
  return std::nullopt;
}

}  // namespace stitch::evaluate
