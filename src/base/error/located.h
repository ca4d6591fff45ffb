// SPDX-License-Identifier: Apache-2.0
// The place and the remedy of an Error that was made where nobody knew which file was being read.
#pragma once

#include <string>
#include <utility>

#include "base/error/result.h"

namespace stitch {

// The same, with `location` and `remedy` where an Error has none of its own.
template <typename T>
Result<T> located(Result<T> result, const std::string& location, const std::string& remedy) {
  if (result.has_value()) {
    return result;
  }
  Error error = result.error();
  error.location = error.location.empty() ? location : error.location;
  error.remedy = error.remedy.empty() ? remedy : error.remedy;
  return failure(std::move(error));
}

}  // namespace stitch
