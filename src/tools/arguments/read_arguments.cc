// SPDX-License-Identifier: Apache-2.0
#include "tools/arguments/read_arguments.h"

#include <algorithm>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "base/seed/seed.h"

namespace stitch::tools {
namespace {

namespace fs = std::filesystem;

bool is_within(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

}  // namespace

std::optional<std::string> text_in(const Json& arguments, const char* name) {
  const auto found = arguments.find(name);
  return found != arguments.end() && found->is_string() ? std::optional(found->get<std::string>()) : std::nullopt;
}

std::optional<int64_t> whole_in(const Json& arguments, const char* name) {
  const auto found = arguments.find(name);
  return found != arguments.end() && found->is_number_integer() ? std::optional(found->get<int64_t>()) : std::nullopt;
}

Result<fs::path> path_of(const std::string& text, const ToolSettings& settings) {
  if (text.find('\0') != std::string::npos) {
    return failure(ErrorCode::kUsage, "a path holds a zero byte", "", "name a file or folder");
  }
  const fs::path path = (settings.root / text).lexically_normal();
  if (!settings.is_confined) {
    return path;
  }
  std::error_code error;
  const fs::path root = fs::canonical(settings.root, error);
  const fs::path real = error ? fs::path() : fs::weakly_canonical(path, error);
  if (error || !is_within(real, root)) {
    return failure(ErrorCode::kUsage, text + " leads out of the folder that this server may use", text,
                   "name a path below " + settings.root.string());
  }
  return real;
}

Result<fs::path> path_in(const Json& arguments, const char* name, const ToolSettings& settings) {
  const std::optional<std::string> text = text_in(arguments, name);
  return text.has_value() ? path_of(*text, settings) : Result<fs::path>(fs::path());
}

Result<fs::path> output_in(const Json& arguments, const char* name, const std::string& beginning,
                           const ToolSettings& settings) {
  STITCH_ASSIGN(const fs::path path, path_in(arguments, name, settings));
  std::error_code ignored;
  if (path.empty() || !fs::exists(fs::symlink_status(path, ignored))) {
    return path;
  }
  const Result<std::string> text = read_file(path);
  if (!text.has_value() || !text->starts_with(beginning)) {
    return failure(ErrorCode::kUsage, path.string() + " is there, and stitchcuda did not write it", path.string(),
                   "name a new file");
  }
  return path;
}

Result<Task> task_in(const Json& arguments, const ToolSettings& settings) {
  Task task;
  std::string file = text_in(arguments, "program").value_or("");
  const size_t colon = file.rfind(".py:");
  if (colon != std::string::npos) {
    task.target = file.substr(colon + 4);
    file.resize(colon + 3);
  }
  STITCH_ASSIGN(const fs::path path, path_of(file, settings));
  STITCH_ASSIGN(const fs::path weights, path_in(arguments, "weights", settings));
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) {
    return failure(ErrorCode::kUsage, "there is no file " + path.string(), path.string(),
                   "name a PyTorch program, FILE.py");
  }
  task.file = path.string();
  task.weights = weights.string();
  task.mode = text_in(arguments, "mode").value_or("as-is");
  STITCH_ASSIGN(task.math, math_mode_from_string(text_in(arguments, "math").value_or("fp32")));
  return task;
}

driver::Options options_in(const Json& arguments, const ToolSettings& settings) {
  driver::Options options;
  options.seed = drawn_seed();
  options.cage = settings.cage;
  const std::string device = text_in(arguments, "device").value_or("auto");
  options.device = device == "gpu"        ? driver::DeviceChoice::kGpu
                   : device == "emulated" ? driver::DeviceChoice::kEmulated
                                          : driver::DeviceChoice::kAuto;
  return options;
}

}  // namespace stitch::tools
