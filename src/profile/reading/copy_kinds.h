// SPDX-License-Identifier: Apache-2.0
// CUPTI's numbers for kinds of copies (CUpti_ActivityMemcpyKind), which nsys hands on.
#pragma once

#include <cstdint>

namespace stitch::profile {

inline const char* copy_kind_name(int64_t kind) {
  switch (kind) {
    case 1:
      return "host to device";
    case 2:
      return "device to host";
    case 3:
      return "host to array";
    case 4:
      return "array to host";
    case 5:
      return "array to array";
    case 6:
      return "array to device";
    case 7:
      return "device to array";
    case 8:
      return "device to device";
    case 9:
      return "host to host";
    case 10:
      return "peer to peer";
    default:
      return "unknown";
  }
}

}  // namespace stitch::profile
