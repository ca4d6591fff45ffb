// SPDX-License-Identifier: Apache-2.0
#include "cli/options/request.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/seed/seed.h"
#include "cli/options/byte_size.h"
#include "toolchain/cache/cache_use.h"

namespace stitch::cli {
namespace {

namespace fs = std::filesystem;

std::string absolute(const std::string& path) {
  std::error_code ignored;
  return path.empty() ? path : fs::absolute(path, ignored).lexically_normal().string();
}

// As --unsafe-no-sandbox, by the environment, for containers that allow no cage.
bool wants_no_cage(const CommandLine& line) {
  const char* named = std::getenv("STITCHCUDA_UNSAFE_NO_SANDBOX");
  return line.without_cage || (named != nullptr && std::string_view(named) == "1");
}

}  // namespace

Result<driver::Options> options_of(const CommandLine& line) {
  driver::Options options;
  options.device = line.device;
  options.scale = line.scale;
  options.seed = line.seed.has_value() ? *line.seed : drawn_seed();
  options.cage = wants_no_cage(line) ? sandbox::CageMode::kNone : sandbox::CageMode::kCaged;
  options.targets = line.targets;
  options.libraries = line.libraries;
  options.line_info = line.line_info;
  options.nvtx = line.nvtx;
  options.skip_nvcc = line.skip_nvcc;
  STITCH_ASSIGN(options.cache_bytes, asked_cache_bytes(line));
  options.import_timeout_seconds = line.import_timeout_seconds;
  options.call_timeout_seconds = line.call_timeout_seconds;
  options.total_timeout_seconds = line.total_timeout_seconds;
  options.no_tune = line.no_tune;
  options.no_time = line.no_time;
  options.tune_seconds = line.tune_seconds;
  options.tuning_database = line.tuning_database;
  options.baseline = line.baseline;
  return options;
}

Task task_of(const CommandLine& line, const std::string& file) {
  Task task;
  task.file = absolute(file);
  task.target = line.target;
  task.mode = line.mode;
  task.weights = absolute(line.weights);
  task.math = line.math;
  return task;
}

Result<uint64_t> asked_cache_bytes(const CommandLine& line) {
  const char* named = std::getenv("STITCHCUDA_CACHE_SIZE");
  if (line.cache_size.empty() && (named == nullptr || *named == '\0')) {
    return toolchain::kDefaultCacheBytes;
  }
  Result<uint64_t> bytes = parse_bytes(line.cache_size.empty() ? named : line.cache_size);
  return bytes.has_value() ? std::move(bytes) : failure(with_context(bytes.error(), "STITCHCUDA_CACHE_SIZE"));
}

}  // namespace stitch::cli
