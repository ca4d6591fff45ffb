// SPDX-License-Identifier: Apache-2.0
#include "evaluate/calls/call_memory.h"

namespace stitch::evaluate {

wire::Region CallMemory::old_state(size_t index) const {
  const int replacing = replaced_by.at(index);
  return replacing < 0 ? inputs.regions.at(input_types.size() + index)
                       : results.regions.at(output_types.size() + static_cast<size_t>(replacing));
}

}  // namespace stitch::evaluate
