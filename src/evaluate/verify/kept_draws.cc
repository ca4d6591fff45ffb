// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/kept_draws.h"

#include <iterator>

#include "evaluate/verify/call_contents.h"

namespace stitch::evaluate {
namespace {

size_t bytes_of(const verify::OracleDraw& draw) {
  size_t bytes = 0;
  for (const std::vector<HostTensor>* tensors : {&draw.inputs, &draw.parameters, &draw.states}) {
    for (const HostTensor& tensor : *tensors) {
      bytes += tensor.bytes().size();
    }
  }
  return bytes;
}

size_t bytes_with_answers(const verify::OracleDraw& draw) {
  size_t bytes = bytes_of(draw);
  for (const verify::OutputReference& output : draw.outputs) {
    const size_t runs = 1 + output.perturbed.size() + output.disturbed.size() + output.tf32_runs.size();
    bytes += (1 + output.otherwise.size()) * output.reference.bytes().size() + runs * output.native.bytes().size();
  }
  return bytes;
}

}  // namespace

uint64_t bytes_held(const verify::OracleDraw& draw) {
  uint64_t bytes = 0;
  for (const HostTensor& tensor : contents_of(draw)) {
    bytes += tensor.bytes().size();
  }
  for (const verify::OutputReference& output : draw.outputs) {
    bytes += output.reference.bytes().size() + (1 + output.perturbed.size()) * output.native.bytes().size();
  }
  return bytes;
}

void KeptDraws::offer(const verify::OracleDraw& draw, int number,
                      const std::shared_ptr<const verify::OracleProgram>& of) {
  if (std::ssize(draws) >= kMaxKeptDraws || bytes_with_answers(draw) > kMaxKeptBytes) {
    return;
  }
  first = draws.empty() ? number : first;
  program = of;
  draws.push_back(draw);
}

void RepeatedDraws::offer(const verify::OracleDraw& draw, int number, const std::string& regime) {
  constexpr const char* kOfUsualSize = "signed_scaled";  // numbers in there; integers and masks are drawn
  if (bytes_of(draw) > kMaxRepeatedBytes) {
    return;
  }
  if (regime == verify::kAsGiven && std::ssize(draws) < kMaxRepeatedDraws) {
    draws.push_back(draw);
    numbers.push_back(number);
  } else if (regime == kOfUsualSize && std::ssize(others) < kMaxOtherDraws) {
    others.emplace_back();
    others.back().inputs = draw.inputs;
    others.back().states = draw.states;
  }
}

}  // namespace stitch::evaluate
