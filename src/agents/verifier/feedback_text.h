// SPDX-License-Identifier: Apache-2.0
// What a Verifier answers, `stitchcuda.feedback/1`: of a failure one issue, of a right answer one bottleneck. Few
// words, and no figure that nobody measured.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "agents/state/state.h"
#include "base/json/json_forward.h"

namespace stitch::agents {

// The feedback in `answer`, or sentences on what is wrong with it. `profile` holds the figures that may be quoted; with
// none the answer is about a failure. A quoted figure may differ by rounding, a hundredth.
std::variant<Feedback, std::vector<std::string>> feedback_from_text(const std::string& answer,
                                                                    const std::vector<Figure>& profile);
Json feedback_to_json(const Feedback& feedback);

}  // namespace stitch::agents
