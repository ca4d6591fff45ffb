// SPDX-License-Identifier: Apache-2.0
#include "cli/options/keep_limits.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "runs/query/values.h"
#include "runs/store/run_store.h"

namespace stitch::cli {
namespace {

constexpr const char* kSize = "STITCHCUDA_RUNS_SIZE";
constexpr const char* kAge = "STITCHCUDA_RUNS_AGE";
constexpr double kMaxKeptBytes = 1e18;

std::string named(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

Unexpected no_limit(const char* variable, const std::string& value, const char* remedy) {
  return failure(ErrorCode::kUsage, fmt::format("{}={} is no limit", variable, value), "", remedy);
}

}  // namespace

Result<runs::KeepLimits> asked_keep_limits() {
  runs::KeepLimits limits = runs::kDefaultKeep;
  if (const std::string size = named(kSize); size == "unlimited") {
    limits.bytes.reset();
  } else if (!size.empty()) {
    const std::optional<double> bytes = runs::size_bytes(size);
    if (!bytes.has_value() || !(*bytes < kMaxKeptBytes)) {
      return no_limit(kSize, size, "write it like 500M, 4G or unlimited");
    }
    limits.bytes = static_cast<uint64_t>(*bytes);
  }
  if (const std::string age = named(kAge); age == "unlimited") {
    limits.age_seconds.reset();
  } else if (!age.empty()) {
    limits.age_seconds = runs::duration_seconds(age);
    if (!limits.age_seconds.has_value()) {
      return no_limit(kAge, age, "write it like 90d, 26w or unlimited");
    }
  }
  return limits;
}

}  // namespace stitch::cli
