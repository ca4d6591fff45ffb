// SPDX-License-Identifier: Apache-2.0
#include "tuning/shipped/times_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace stitch::tuning {
namespace {

constexpr std::string_view kDevice = "device ";
constexpr std::string_view kDoesNotRun = "fails";
constexpr std::string_view kNone = "-";

std::string to_text(const KnownSetting& known) {
  const auto& [setting, measurement] = known;
  return std::isfinite(measurement.median_us)
             ? fmt::format("  {} {} {:.4g} {:.2g}\n", setting.variant, setting.splits, measurement.median_us,
                           measurement.spread)
             : fmt::format("  {} {} {}\n", setting.variant, setting.splits, kDoesNotRun);
}

std::string to_text(const KnownStep& step) {
  std::string text =
      fmt::format("{} {} {} {} {:.4g} {}\n", step.math, step.skeleton, step.family, step.signature, step.modelled_us,
                  step.extents.empty() ? std::string(kNone) : fmt::format("{}", fmt::join(step.extents, ",")));
  for (const KnownSetting& known : step.settings) {
    text += to_text(known);
  }
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) {
      parts.push_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

template <typename T>
bool read_number(std::string_view text, T& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size();
}

// A finite time that is more than nothing.
bool read_time(std::string_view text, double& us) { return read_number(text, us) && std::isfinite(us) && us > 0; }

bool read_setting(const std::vector<std::string_view>& words, KnownSetting& known) {
  const bool fails = words.size() == 3 && words[2] == kDoesNotRun;
  if (!fails && words.size() != 4) {
    return false;
  }
  known.setting.variant = std::string(words[0]);
  if (!read_number(words[1], known.setting.splits) || known.setting.splits < 1) {
    return false;
  }
  if (fails) {
    known.measurement = {std::numeric_limits<double>::infinity(), 0};
    return true;
  }
  return read_time(words[2], known.measurement.median_us) && read_number(words[3], known.measurement.spread) &&
         known.measurement.spread >= 0;
}

bool read_step(const std::vector<std::string_view>& words, KnownStep& step) {
  constexpr size_t kWords = 6;
  if (words.size() != kWords || !read_number(words[4], step.modelled_us) || !(step.modelled_us >= 0)) {
    return false;
  }
  step.math = std::string(words[0]);
  step.skeleton = std::string(words[1]);
  step.family = std::string(words[2]);
  step.signature = std::string(words[3]);
  if (words[5] == kNone) {
    return true;
  }
  for (const std::string_view word : split(words[5], ',')) {
    if (!read_number(word, step.extents.emplace_back()) || step.extents.back() < kLeastExtent) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool is_of_kind(std::string_view device, std::string_view kind) {
  const std::vector<std::string_view> words = split(device, ' ');
  return std::find(words.begin(), words.end(), kind) != words.end();
}

bool is_times_text(std::string_view beginning) { return beginning.starts_with(kTimesSchema); }

std::string to_text(const std::vector<KnownStep>& steps) {
  std::string text = std::string(kTimesSchema) + "\n";
  std::string device;
  for (const KnownStep& step : steps) {
    if (step.device != device) {
      device = step.device;
      text += fmt::format("{}{}\n", kDevice, device);
    }
    text += to_text(step);
  }
  return text;
}

Result<std::vector<KnownStep>> parse_times(std::string_view text, const std::string& file) {
  std::vector<KnownStep> steps;
  std::string device;
  int number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    const std::vector<std::string_view> words = split(line, ' ');
    bool is_read = true;
    if (number == 1) {
      is_read = line == kTimesSchema;
    } else if (words.empty() || words[0].starts_with('#')) {
      continue;
    } else if (line.starts_with(kDevice)) {
      device = std::string(line.substr(kDevice.size()));
    } else if (line.starts_with("  ")) {
      is_read = !steps.empty() && read_setting(words, steps.back().settings.emplace_back());
    } else {
      steps.emplace_back().device = device;
      is_read = !device.empty() && read_step(words, steps.back());
    }
    if (!is_read) {
      return failure(ErrorCode::kFileInvalid, fmt::format("line {} says nothing of measured times", number), file,
                     "make it again with `stitchcuda tune export`");
    }
  }
  if (number == 0) {
    return failure(ErrorCode::kFileInvalid, "the file is empty", file, "make it again with `stitchcuda tune export`");
  }
  const auto cut =
      std::find_if(steps.begin(), steps.end(), [](const KnownStep& step) { return step.settings.empty(); });
  if (cut != steps.end()) {
    return failure(ErrorCode::kFileInvalid, fmt::format("the step {} has no times", cut->signature), file,
                   "make it again with `stitchcuda tune export`");
  }
  return steps;
}

}  // namespace stitch::tuning
