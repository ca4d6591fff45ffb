// SPDX-License-Identifier: Apache-2.0
// Repeats the verdict of a folder from its evidence alone: the program's source as it was judged, the emitted sources,
// seed and scale; on this machine, which may be another one. Says what agrees.
#include <fmt/format.h>

#include "base/error/located.h"
#include "base/fs/files.h"
#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/options/request.h"
#include "driver/judge/judge_folder.h"
#include "driver/project/agreement.h"
#include "driver/project/manifest.h"

namespace stitch::cli {
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
  circumstances.device = device == to_string(DeviceKind::kCuda) ? DeviceKind::kCuda : DeviceKind::kEmulated;
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

driver::Options repeated(driver::Options options, const Circumstances& circumstances) {
  options.seed = circumstances.seed;
  options.scale = circumstances.scale;
  if (options.device == DeviceChoice::kAuto && circumstances.device == DeviceKind::kEmulated) {
    options.device = DeviceChoice::kEmulated;
  }
  return options;
}

std::string describe(const driver::ManifestCheck& check) {
  return fmt::format("{} files are as they were written (manifest {})", check.files, check.digest.substr(0, 16));
}

}  // namespace

Result<int> run_reverify(Session& session) {
  const fs::path folder = session.line().file;
  STITCH_ASSIGN(driver::Folder contents, driver::read_folder(folder));
  STITCH_ASSIGN(const driver::ManifestCheck manifest, driver::check_manifest(folder));
  if (!manifest.is_intact()) {
    return failure(ErrorCode::kFileInvalid,
                   fmt::format("{} is not as it was written; {}", folder.string(), manifest.sentence()),
                   folder.string(), "for a verdict on what is there now: stitchcuda verify " + folder.string());
  }
  session.reporter().fact("evidence", describe(manifest));
  STITCH_ASSIGN(const Circumstances circumstances, read_circumstances(folder));
  STITCH_ASSIGN(const Json recorded, read_json(folder, "evidence/verify.json"));
  STITCH_TRY(point_at_evidence(folder, contents.task));
  STITCH_ASSIGN(const driver::Options options, options_of(session.line()));
  driver::Job job(repeated(options, circumstances), session.services());
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(job));
  STITCH_ASSIGN(const DeviceKind device, choose_device(job, tools));
  STITCH_ASSIGN(const evaluate::EvaluateReport report, judge_folder(job, tools, contents, device));
  STITCH_ASSIGN(const driver::Agreement found, driver::agreement(recorded, evaluate::to_json(report.verify)));
  const Json json = {{"schema", "stitchcuda.reverify/1"}, {"task", task_name(contents.task.file)},
                     {"device", to_string(device)},       {"recorded_device", to_string(circumstances.device)},
                     {"manifest", manifest.digest},       {"verdict", to_json(report.verify.verdict)},
                     {"agreement", to_json(found)}};
  const std::string elsewhere = device == circumstances.device
                                    ? ""
                                    : fmt::format("\non the {} device, where the one on record was on {}",
                                                  to_string(device), to_string(circumstances.device));
  session.reporter().result(json, describe(found) + elsewhere + "\n" + describe(manifest));
  return found.agrees() ? 0 : 1;
}

}  // namespace stitch::cli
