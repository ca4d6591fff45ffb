// SPDX-License-Identifier: Apache-2.0
#include "rewriter/passes.h"

namespace stitch::rewriter {
namespace {

using Tokens = std::vector<Token>;

// cudaLaunchKernel((void*)kernel, …): without the cast the overload that knows the parameter types is chosen.
void drop_kernel_cast(const Tokens& tokens, size_t call, Changes& changes) {
  const size_t open = call + 1;
  if (open + 1 >= tokens.size() || !tokens[open].is("(")) {
    return;
  }
  const size_t first = open + 1;
  if (tokens[first].is("(")) {
    const size_t close = closing(tokens, first);
    if (close < tokens.size() && tokens[close - 1].is("*")) {
      changes.replace(tokens[first].begin, tokens[close].end, "");
    }
  } else if (tokens[first].is("reinterpret_cast") || tokens[first].is("static_cast")) {
    const size_t close = closing_angle(tokens, first + 1);
    if (close < tokens.size()) {
      changes.replace(tokens[first].begin, tokens[close].end, "");
    }
  }
}

bool defines_or_tests_nothing(const Tokens& tokens, size_t at) {
  return at > 0 && (tokens[at - 1].is("define") || tokens[at - 1].is("undef"));
}

void replace_word(const Token& token, const char* text, Changes& changes) {
  changes.replace(token.begin, token.end, text);
}

}  // namespace

void rewrite_words(const TokenList& list, const std::vector<Place>& places, Changes& changes) {
  const Tokens& tokens = list.tokens;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.kind != TokenKind::kIdentifier || places[i].inactive || defines_or_tests_nothing(tokens, i)) {
      continue;
    }
    if (token.is("__CUDA_ARCH__")) {
      replace_word(token, "STITCH_EMULATED_ARCH", changes);
    } else if (token.is("__CUDACC__") || token.is("__NVCC__")) {
      replace_word(token, "STITCH_EMULATED", changes);
    } else if (token.is("__noinline__") && !(i > 1 && tokens[i - 1].is("(") && tokens[i - 2].is("("))) {
      replace_word(token, "__attribute__((noinline))", changes);
    } else if (token.is("assert") && places[i].device && i + 1 < tokens.size() && tokens[i + 1].is("(")) {
      replace_word(token, "STITCH_ASSERT", changes);
    } else if (token.is("cudaLaunchKernel")) {
      drop_kernel_cast(tokens, i, changes);
    }
  }
}

}  // namespace stitch::rewriter
