// SPDX-License-Identifier: Apache-2.0
// stitchcuda-replay-* LIBRARY CALLS [--alone]: calls a program by itself, for a profiler to look at, and prints what it
// did as one line of JSON. A disposable process like the worker: it is started in a cage, and its word is evidence.
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "worker/replay/replay.h"

int main(int count, char** words) {
  const bool is_alone = count == 4 && std::string_view(words[3]) == "--alone";
  const int calls = count >= 3 ? std::atoi(words[2]) : 0;
  if (count < 3 || count > 4 || (count == 4 && !is_alone) || calls < 1 || calls > 1000) {
    fmt::print(stderr, "usage: stitchcuda-replay LIBRARY CALLS [--alone], with 1 to 1000 calls\n");
    return 2;
  }
  const auto report = stitch::worker::replay({words[1], calls, is_alone});
  if (!report.has_value()) {
    fmt::print(stderr, "{}\n", report.error().message);
    return report.error().code == stitch::ErrorCode::kProgramInvalid ? 1 : 4;
  }
  fmt::print(
      "{{\"schema\": \"stitchcuda.replay/1\", \"calls\": {}, \"mark_bytes\": {}, \"row_bytes\": {}, \"row_us\": {}}}\n",
      report->calls, report->mark_bytes, report->row_bytes, report->row_us);
  return 0;  // through the ends of libraries: what CUPTI has seen is written there
}
