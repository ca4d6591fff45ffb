// SPDX-License-Identifier: Apache-2.0
// What a Coder answers for one step: the step's whole file in a fence, or "cannot, because ...".
#pragma once

#include <string>
#include <variant>

namespace stitch::agents {

struct StepCode {
  std::string text;
};
struct CannotWrite {
  std::string why;  // on one line
};
struct NoCode {
  std::string why;  // a sentence for whoever wrote the answer
};
using CoderAnswer = std::variant<StepCode, CannotWrite, NoCode>;

// The last whole fence of code counts, since models try before they decide. An answer that ends within a fence was cut,
// and what it began is not taken for what came before.
CoderAnswer coder_answer_from_text(const std::string& answer);

}  // namespace stitch::agents
