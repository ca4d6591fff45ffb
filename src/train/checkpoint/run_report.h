// SPDX-License-Identifier: Apache-2.0
// The curves of a run as a page in its folder, beside what they are drawn from.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

namespace stitch::train {

// Writes RUN/report.html from what is recorded up to now. Gives its path; nothing where it could not be written, which
// is told on stderr and ends no run.
std::optional<std::filesystem::path> leave_report(const std::filesystem::path& run);

// Now and then while a run goes on: it may have a checkpoint after each step, and a page costs what reading all steps
// does.
class ReportPace {
 public:
  void maybe_leave(const std::filesystem::path& run);

 private:
  std::optional<std::chrono::steady_clock::time_point> last_{};
};

}  // namespace stitch::train
