// SPDX-License-Identifier: Apache-2.0
#include "runs/query/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "runs/record/run_record.h"

namespace stitch::runs {
namespace {

using Units = std::pair<std::string_view, double>;

constexpr std::array kDurations = {Units{"", 1},       Units{"s", 1},        Units{"min", 60},
                                   Units{"h", 3600.0}, Units{"d", 86'400.0}, Units{"w", 604'800.0}};
constexpr double kKibi = 1024;
constexpr std::array kSizes = {Units{"", 1}, Units{"k", kKibi}, Units{"m", kKibi* kKibi},
                               Units{"g", kKibi* kKibi* kKibi}, Units{"t", kKibi* kKibi* kKibi* kKibi}};
constexpr std::array kStates = {RunState::kRunning, RunState::kVerified,    RunState::kNotVerified,
                                RunState::kFailed,  RunState::kInterrupted, RunState::kKilled};
constexpr std::string_view kTimeShape = "0000-00-00T00:00:00Z";

template <size_t kCount>
std::optional<double> with_unit(std::string_view text, const std::array<Units, kCount>& units) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0) {
    return std::nullopt;
  }
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  for (const auto& [name, factor] : units) {
    if (name == unit) {
      return number * factor;
    }
  }
  return std::nullopt;
}

// As far as it is written: "2026", "2026-11-21", "2026-11-21T13:04".
bool is_time(const std::string& text) {
  constexpr std::array<size_t, 7> kSizesOfTimes = {4, 7, 10, 13, 16, 19, 20};
  bool is_one = std::find(kSizesOfTimes.begin(), kSizesOfTimes.end(), text.size()) != kSizesOfTimes.end();
  for (size_t i = 0; is_one && i < text.size(); ++i) {
    is_one = kTimeShape[i] == '0' ? std::isdigit(static_cast<unsigned char>(text[i])) != 0 : text[i] == kTimeShape[i];
  }
  return is_one;
}

Unexpected no_value(const Field& field, const std::string& text, const char* what) {
  return failure(ErrorCode::kUsage, fmt::format("'{}' is {}", text, what), std::string(field.name));
}

Result<ComparedValue> state_value(const Field& field, std::string text) {
  if (text == "not_verified") {
    return ComparedValue("not verified");
  }
  std::string names;
  for (const RunState state : kStates) {
    if (text == to_string(state)) {
      return ComparedValue(std::move(text));
    }
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", to_string(state));
  }
  return no_value(field, text, fmt::format("no verdict that a run can have: {}", names).c_str());
}

Result<ComparedValue> number_value(const std::optional<double>& number, const Field& field, const std::string& text,
                                   const char* otherwise) {
  return number.has_value() ? Result<ComparedValue>(ComparedValue(*number))
                            : Result<ComparedValue>(no_value(field, text, otherwise));
}

std::optional<double> plain_number(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  const std::optional<double> number = with_unit(text.substr(is_negative ? 1 : 0), std::array{Units{"", 1}});
  return number.has_value() && is_negative ? std::optional(-*number) : number;
}

}  // namespace

std::optional<double> duration_seconds(std::string_view text) { return with_unit(text, kDurations); }

std::optional<double> size_bytes(std::string_view text) {
  std::string small;
  for (const char letter : text) {
    small += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  if (small.ends_with("ib")) {
    small.erase(small.size() - 2);
  } else if (small.ends_with('b')) {
    small.pop_back();
  }
  return with_unit(std::string_view(small), kSizes);
}

Result<ComparedValue> value_of(const Field& field, const std::string& text, bool is_quoted) {
  if (!is_quoted && text == "none") {
    return ComparedValue();
  }
  switch (field.kind) {
    case FieldKind::kText:
      return ComparedValue(text);
    case FieldKind::kState:
      return state_value(field, text);
    case FieldKind::kTime:
      return is_time(text) ? Result<ComparedValue>(ComparedValue(text))

                           : Result<ComparedValue>(
                                 no_value(field, text, "no time: write 2026-11-21 or 2026-11-21T13:04, in UTC"));
    case FieldKind::kNumber:
      return number_value(plain_number(text), field, text, "no number");
    case FieldKind::kSize:
      return number_value(size_bytes(text), field, text, "no size: write 500M or 4G");
    case FieldKind::kDuration:
    case FieldKind::kAge:
      break;
  }
  return number_value(duration_seconds(text), field, text, "no time span: write 90s, 15min, 3h, 7d or 2w");
}

}  // namespace stitch::runs
