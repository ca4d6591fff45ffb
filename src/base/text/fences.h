// SPDX-License-Identifier: Apache-2.0
// Code in the answers of language models: what stands between lines of backticks.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace stitch {

struct FencedCode {
  std::string language;  // as it was named, in lower case; may be empty
  std::string text;      // every line with its end
};

struct Fences {
  std::optional<FencedCode> last;  // whole, and of a language that is wanted
  bool is_cut = false;             // the answer ends within one
};

// The last one counts, since models try before they decide. A fence of a wanted language that opens within another
// begins anew: the one before was never closed.
Fences fences_in(std::string_view answer, const std::function<bool(const std::string& language)>& is_wanted);

// "", "cuda", "cpp", "kernel.cu" and their like. Words of shells and data stand in fences, too.
bool is_language_of_cuda(const std::string& language);

}  // namespace stitch
