// SPDX-License-Identifier: Apache-2.0
#include "runs/record/run_times.h"

#include <array>
#include <chrono>
#include <ctime>
#include <string_view>

namespace stitch::runs {
namespace {

constexpr std::string_view kShape = "0000-00-00T00:00:00Z";

std::string formatted(int64_t seconds, const char* format) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::array<char, 40> text{};
  return std::string(text.data(), std::strftime(text.data(), text.size(), format, &parts));
}

bool is_of_shape(const std::string& text) {
  bool is_one = text.size() == kShape.size();
  for (size_t i = 0; is_one && i < text.size(); ++i) {
    is_one = kShape[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == kShape[i];
  }
  return is_one;
}

unsigned number_in(const std::string& text, size_t at, size_t digits) {
  unsigned number = 0;
  for (size_t i = at; i < at + digits; ++i) {
    number = number * 10 + static_cast<unsigned>(text[i] - '0');
  }
  return number;
}

}  // namespace

std::string utc_text(int64_t seconds) { return formatted(seconds, "%Y-%m-%dT%H:%M:%SZ"); }
std::string utc_digits(int64_t seconds) { return formatted(seconds, "%Y%m%d-%H%M%S"); }

std::optional<int64_t> seconds_since_1970(const std::string& utc) {
  if (!is_of_shape(utc)) {
    return std::nullopt;
  }
  const std::chrono::year_month_day day(std::chrono::year(static_cast<int>(number_in(utc, 0, 4))),
                                        std::chrono::month(number_in(utc, 5, 2)),
                                        std::chrono::day(number_in(utc, 8, 2)));
  const unsigned hour = number_in(utc, 11, 2);
  const unsigned minute = number_in(utc, 14, 2);
  const unsigned second = number_in(utc, 17, 2);
  if (!day.ok() || hour > 23 || minute > 59 || second > 60) {
    return std::nullopt;
  }
  const int64_t days = std::chrono::sys_days(day).time_since_epoch().count();
  return ((days * 24 + hour) * 60 + minute) * 60 + second;
}

}  // namespace stitch::runs
