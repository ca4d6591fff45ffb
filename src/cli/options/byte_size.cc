// SPDX-License-Identifier: Apache-2.0
#include "cli/options/byte_size.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace stitch::cli {
namespace {

constexpr std::array kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB"};
constexpr double kMaxBytes = 0x1p62;

// The power of 1024 that a unit stands for, -1 for none: "", "b", "k", "kb", "kib" and so on.
int power_of(std::string unit) {
  for (char& letter : unit) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  for (const char* ending : {"ib", "b"}) {
    if (unit.ends_with(ending)) {
      unit.resize(unit.size() - std::string(ending).size());
      break;
    }
  }
  const size_t found = std::string("kmgt").find(unit);
  return unit.empty() ? 0 : unit.size() == 1 && found != std::string::npos ? static_cast<int>(found) + 1 : -1;
}

}  // namespace

Result<uint64_t> parse_bytes(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit = error == std::errc() ? std::string(end, text.data() + text.size()) : "?";
  unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? unit.size() : unit.find_first_not_of(' '));
  const int power = power_of(unit);
  const double bytes = power < 0 ? -1 : number * std::pow(1024.0, power);
  if (!(bytes >= 0 && bytes <= kMaxBytes)) {
    return failure(ErrorCode::kUsage, fmt::format("'{}' is no size", text), "", "write it as 500M or 4G");
  }
  return static_cast<uint64_t>(bytes);
}

std::string bytes_text(uint64_t bytes) {
  auto number = static_cast<double>(bytes);
  size_t unit = 0;
  while (number >= 1024 && unit + 1 < kUnits.size()) {
    number /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", number, kUnits.at(unit));
}

}  // namespace stitch::cli
