// SPDX-License-Identifier: Apache-2.0
// The one place where a library's exception becomes an Error. Our own code never throws.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "base/error/result.h"

namespace stitch {

// guarded([&] { return library_call(); }, ErrorCode::kEnvironment, "cannot read the folder")
template <typename Function>
auto guarded(Function&& function, ErrorCode code, const std::string& what) -> Result<decltype(function())> {
  try {
    if constexpr (std::is_void_v<decltype(function())>) {
      function();
      return {};
    } else {
      return function();
    }
  } catch (const std::bad_alloc&) {
    return failure(ErrorCode::kEnvironment, what + ": memory ran out", "", "use smaller sizes, or free some memory");
  } catch (const std::system_error& thrown) {  // a full disk, a closed pipe, no thread to be had
    return failure(ErrorCode::kEnvironment, what + ": " + thrown.what(), "", "free what is full, and try again");
  } catch (const std::exception& thrown) {
    return failure(code, what + ": " + thrown.what());
  }
}

}  // namespace stitch
