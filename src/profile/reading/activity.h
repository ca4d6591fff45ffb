// SPDX-License-Identifier: Apache-2.0
// The file that libstitch_activity.so writes from inside the profiled process from CUPTI's activity records, and
// its form, a line a record:
//
//   stitchcuda.activity/1 CUPTI_VERSION
//   kernel START END CORRELATION BLOCKS BLOCK_THREADS REGISTERS STATIC_SHARED DYNAMIC_SHARED LOCAL NAME
//   copy START END CORRELATION BYTES KIND          times in nanoseconds, sizes in bytes; the last field may hold blanks
//   fill START END CORRELATION BYTES
//   wait START END CORRELATION
//   call START END CORRELATION NAME
//   dropped COUNT                                   records that CUPTI had no room for
//   end RECORDS                                     without which the file was cut
#pragma once

#include <string_view>
#include <vector>

#include "profile/reading/timeline.h"

namespace stitch::profile {

// kFileInvalid where it is cut, damaged, of another version or incomplete.
Result<std::vector<Record>> read_activity(std::string_view text);

}  // namespace stitch::profile
