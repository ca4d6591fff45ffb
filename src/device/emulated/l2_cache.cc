// SPDX-License-Identifier: Apache-2.0
#include "device/l2_cache.h"

namespace stitch::device {

Result<void> forget_persisting_lines() { return {}; }  // no cache is emulated

}  // namespace stitch::device
