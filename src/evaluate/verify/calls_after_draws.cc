// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/calls_after_draws.h"

#include <utility>

#include "evaluate/verify/fresh_draws.h"
#include "evaluate/verify/host_work.h"
#include "evaluate/verify/repeated_calls.h"

namespace stitch::evaluate {
namespace {

// Of the companion's calls, for whoever is dear to start: then no other process is without kernels from its first call.
constexpr int kEnoughBeside = 8;

bool is_dear_to_start(const VerifyRequest& request) { return request.subjects.front().binary.python.has_value(); }

}  // namespace

bool asks_who_works(const VerifyRequest& request, const CandidateBinary& binary) {
  return request.repeats_calls && binary.device == DeviceKind::kEmulated &&
         (!binary.python.has_value() || request.needs_kernels);
}

Result<CallsAfterDraws> call_after_draws(const AfterDraws& after, Candidate& candidate) {
  const VerifyRequest& request = after.request;
  const VerifySubject& subject = request.subjects.front();
  const auto ask = [&](const std::vector<HostTensor>& inputs, const std::vector<HostTensor>& states, int draw) {
    return after.oracle.given(after.declared,
                              {.inputs = inputs, .states = states, .draw = draw, .folder = subject.source.folder});
  };
  STITCH_ASSIGN(RepeatedCalls done, repeat_calls({.kept = after.kept,
                                                  .whole_inputs = after.declared.whole_inputs,
                                                  .math = request.math,
                                                  .seed = request.seed,
                                                  .call_seconds = after.call_seconds,
                                                  .companion = after.companion ? &*after.companion : nullptr,
                                                  .question = after.question,
                                                  .ask = ask},
                                                 candidate));
  CallsAfterDraws told{done.counts, std::move(done.finding)};
  const bool had_companion = after.companion && after.companion->calls() >= kEnoughBeside;
  after.companion.reset();
  if (told.finding) {
    return told;
  }
  STITCH_ASSIGN(told.finding, refuse_host_work({.draws = after.kept.draws,
                                                .others = done.shown,
                                                .math = request.math,
                                                .needs_kernels = request.needs_kernels,
                                                .seed = request.seed,
                                                .call_seconds = after.call_seconds,
                                                .draw_fresh = [&] { return fresh_draws(after.oracle, after.declared); },
                                                .ledger = subject.binary.launches.get(),
                                                .keeps_apart = after.question.launches != nullptr,
                                                .had_companion = had_companion,
                                                .starts_anew = !had_companion || !is_dear_to_start(request)},
                                               candidate));
  return told;
}

}  // namespace stitch::evaluate
