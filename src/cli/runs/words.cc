// SPDX-License-Identifier: Apache-2.0
#include "cli/runs/words.h"

#include <fmt/format.h>

namespace stitch::cli {
namespace {

constexpr int64_t kMinute = 60;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;

std::string ago(int64_t count, const char* unit) {
  return fmt::format("{} {}{} ago", count, unit, count == 1 ? "" : "s");
}

}  // namespace

std::string when(const std::string& utc, int64_t now) {
  const std::optional<int64_t> then = seconds_since_1970(utc);
  if (!then.has_value() || *then > now) {  // a clock that was set back says nothing of how long ago
    return utc;
  }
  const int64_t passed = now - *then;
  if (passed < kMinute) {
    return "just now";
  }
  if (passed < kHour) {
    return ago(passed / kMinute, "minute");
  }
  if (passed < kDay) {
    return ago(passed / kHour, "hour");
  }
  return passed < 30 * kDay ? ago(passed / kDay, "day") : utc.substr(0, 10);
}

std::string duration(double seconds) {
  if (seconds < 60) {
    return fmt::format("{:.1f} s", seconds);
  }
  const auto whole = static_cast<int64_t>(seconds + 0.5);
  return whole < kHour ? fmt::format("{} min {} s", whole / kMinute, whole % kMinute)
                       : fmt::format("{} h {} min", whole / kHour, whole % kHour / kMinute);
}

std::string program_time(const runs::RunSummary& run) {
  if (run.measured_us.has_value()) {
    return fmt::format("{:.1f} us", *run.measured_us);
  }
  return run.modelled_us.has_value() ? fmt::format("{:.1f} us modelled", *run.modelled_us) : "-";
}

}  // namespace stitch::cli
