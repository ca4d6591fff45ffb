// SPDX-License-Identifier: Apache-2.0
// What is asked of tasks that have passed: their eager time on a GPU, and whether wrong answers would be refused. Each
// answer is kept as soon as it is there, so that the asking goes on where it was stopped.
#pragma once

#include "synth/make/lanes.h"
#include "synth/make/synth.h"

namespace stitch::synth {

// Writes measured.jsonl and admission.jsonl, and counts into the report. Tasks whose measured time lies outside of the
// limits, and those that are not admitted, leave `kept`.
Result<void> ask_after(const SynthRequest& request, const driver::Services& services, Lanes& lanes,
                       SynthReport& report);

}  // namespace stitch::synth
