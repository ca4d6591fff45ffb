// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/reverify.h"

#include <fmt/format.h>

#include "base/error/located.h"
#include "base/fs/files.h"
#include "base/json/json.h"
#include "driver/judge/judge_folder.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy = "run `stitchcuda optimize` on the program again";

// What the verdict on record was given with.
struct Circumstances {
  uint64_t seed = 0;
  ScaleChoice scale = ScaleChoice::kFull;
  DeviceKind device = DeviceKind::kEmulated;
};

Result<Json> read_json(const fs::path& folder, const char* name) {
  const std::string path = (folder / name).string();
  STITCH_ASSIGN(const std::string text, located(read_file(path), path, kRemedy));
  return located(parse_json(text, path), path, kRemedy);
}

Result<Circumstances> read_circumstances(const fs::path& folder) {
  Circumstances circumstances;
  STITCH_ASSIGN(const Json seeds, read_json(folder, "evidence/seeds.json"));
  STITCH_ASSIGN(const int64_t seed, located(json_int(seeds, "seed"), "evidence/seeds.json", kRemedy));
  STITCH_ASSIGN(const std::string scale, located(json_string(seeds, "scale"), "evidence/seeds.json", kRemedy));
  STITCH_ASSIGN(const Json result, read_json(folder, "evidence/result.json"));
  STITCH_ASSIGN(const std::string device, located(json_string(result, "device"), "evidence/result.json", kRemedy));
  circumstances.seed = static_cast<uint64_t>(seed);
  circumstances.scale = scale == "small" ? ScaleChoice::kSmall : ScaleChoice::kFull;
  const std::optional<DeviceKind> kind = device_kind_from_string(device);
  if (!kind.has_value()) {
    return failure(ErrorCode::kFileInvalid, fmt::format("no device is called '{}'", device), "evidence/result.json",
                   kRemedy);
  }
  circumstances.device = *kind;
  return circumstances;
}

// The program as it was judged, wherever the folder lies now.
Result<void> point_at_evidence(const fs::path& folder, Task& task) {
  std::error_code ignored;
  const fs::path kept = folder / "evidence" / "program" / fs::path(task.file).filename();
  if (!fs::is_regular_file(kept, ignored)) {
    return failure(ErrorCode::kFileInvalid, fmt::format("{} is missing: nothing says what was judged", kept.string()),
                   kept.string(), kRemedy);
  }
  task.file = fs::absolute(kept, ignored).lexically_normal().string();
  if (!task.weights.empty() && !fs::exists(task.weights, ignored)) {
    return failure(ErrorCode::kFileInvalid,
                   fmt::format("the program was judged with the weights {}, which are not here", task.weights),
                   task.weights, "put them there");
  }
  return {};
}

Options repeated(Options options, const Circumstances& circumstances) {
  options.seed = circumstances.seed;
  options.scale = circumstances.scale;
  if (options.device == DeviceChoice::kAuto && circumstances.device == DeviceKind::kEmulated) {
    options.device = DeviceChoice::kEmulated;
  }
  return options;
}

}  // namespace

std::string describe(const runs::ManifestCheck& check) {
  return fmt::format("{} files are as they were written (manifest {})", check.files, check.digest.substr(0, 16));
}

Result<ReverifyReport> reverify(const ReverifyRequest& request, const Services& services) {
  const fs::path& folder = request.folder;
  ReverifyReport report;
  STITCH_ASSIGN(Folder contents, read_folder(folder));
  STITCH_ASSIGN(report.manifest, runs::check_manifest(folder));
  if (!report.manifest.is_intact()) {
    return failure(ErrorCode::kFileInvalid,
                   fmt::format("{} is not as it was written; {}", folder.string(), report.manifest.message()),
                   folder.string(), "for a verdict on what is there now: stitchcuda verify " + folder.string());
  }
  services.progress.fact("evidence", describe(report.manifest));
  STITCH_ASSIGN(const Circumstances circumstances, read_circumstances(folder));
  STITCH_ASSIGN(const Json recorded, read_json(folder, "evidence/verify.json"));
  STITCH_TRY(point_at_evidence(folder, contents.task));
  report.task = contents.task;
  report.recorded_device = circumstances.device;
  Job job(repeated(request.options, circumstances), services);
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(job));
  STITCH_ASSIGN(report.device, choose_device(job, tools));
  STITCH_ASSIGN(report.report, judge_folder(job, tools, contents, report.device));
  STITCH_ASSIGN(report.agreement, runs::agreement(recorded, evaluate::to_json(report.report.verify)));
  return report;
}

}  // namespace stitch::driver
