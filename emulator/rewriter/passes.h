// SPDX-License-Identifier: Apache-2.0
// The passes: each looks at the tokens and says what to change or refuse.
#pragma once

#include "rewriter/edits.h"
#include "rewriter/scopes.h"
#include "rewriter/tokens.h"

namespace stitch::rewriter {

// K<<<grid, block>>>(a) -> STITCH_LAUNCH((K), grid, block)(a).
void rewrite_launches(const TokenList& list, const std::vector<Place>& places, Changes& changes);

// `__shared__ float t[8];` -> STITCH_SHARED(t, float t[8]);   `extern __shared__ T s[];` -> a reference.
void rewrite_shared_memory(const TokenList& list, const std::vector<Place>& places, Changes& changes);

// Variables, functions and templates that nvcc keeps inside their unit get internal linkage; `return;` in a kernel says
// so.
void rewrite_declarations(const TokenList& list, const std::vector<Place>& places, Changes& changes);

// Single words whose meaning differs (__CUDA_ARCH__, __noinline__, assert), and casts of kernels to void*.
void rewrite_words(const TokenList& list, const std::vector<Place>& places, Changes& changes);

// Textures, inline PTX, thrust, clusters, grid-wide barriers.
void refuse_unsupported(const TokenList& list, const std::vector<Place>& places, Changes& changes);

}  // namespace stitch::rewriter
