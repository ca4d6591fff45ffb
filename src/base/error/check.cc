// SPDX-License-Identifier: Apache-2.0
#include "base/error/check.h"

#include <cstdio>
#include <cstdlib>

namespace stitch::internal {

CheckFailure::CheckFailure(const char* file, int line, const char* condition) {
  *this << "stitchcuda: internal error at " << file << ":" << line << ": " << condition << " does not hold: ";
}

CheckFailure::~CheckFailure() {
  std::fprintf(stderr, "%s\n", message_.c_str());
  std::abort();
}

}  // namespace stitch::internal
