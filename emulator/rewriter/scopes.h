// SPDX-License-Identifier: Apache-2.0
// Where each token stands: in which kind of braces, in which statement, and whether the preprocessor can reach it.
#pragma once

#include <vector>

#include "rewriter/tokens.h"

namespace stitch::rewriter {

enum class ScopeKind { kNamespace, kClass, kFunction };

struct Place {
  ScopeKind scope = ScopeKind::kNamespace;
  bool kernel = false;       // inside a __global__ function
  bool device = false;       // inside a function that runs on the device only
  bool inactive = false;     // under #ifndef STITCH_EMULATED, #if 0 and the like
  bool conditional = false;  // under any #if but an include guard
  size_t statement = 0;      // index of the statement's first token
};

// One entry per token.
std::vector<Place> find_places(const TokenList& list);

// Whether the whole file lies in #ifndef X / #define X … #endif, or says #pragma once.
bool included_once(const TokenList& list);

}  // namespace stitch::rewriter
