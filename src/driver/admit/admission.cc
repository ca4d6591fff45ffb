// SPDX-License-Identifier: Apache-2.0
#include "driver/admit/admission.h"

#include <filesystem>

#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"
#include "driver/judge/judge.h"
#include "evaluate/verify/verify_program.h"
#include "ir/text/printer.h"
#include "verify/admission/admission.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;

// One more whenever the null candidates, the draws or the accept rule change.
constexpr const char* kVersion = "stitchcuda.admission/5";

// A file that cannot be read will be complained about by whoever needs it.
std::string contents(const fs::path& path) {
  Result<std::string> text = read_file(path);
  return text.has_value() ? std::move(*text) : std::string();
}

// Of all that the answer follows from: the program's own text (it draws the inputs), its graph, how it is drawn and
// judged, and the PyTorch that answers.
std::string key_of(const Task& task, const ImportedProgram& imported, DeviceKind device, uint64_t seed) {
  Sha256 digest;
  digest.update_field(kVersion);
  digest.update_field(ir::print(imported.graph));
  const fs::path folder = fs::path(task.file).parent_path();
  digest.update_field(contents(task.file));
  for (const std::string& source : imported.sources) {
    digest.update_field(contents(folder / source));
  }
  digest.update_field(task.weights.empty() ? "" : contents(task.weights));
  Json how = task.arguments();
  how.erase("file");  // a path says nothing
  how.erase("weights");
  digest.update_field(how.dump());
  digest.update_field(to_string(task.math));
  digest.update_field(std::to_string(seed));
  digest.update_field(imported.torch_version);
  digest.update_field(to_string(torch_device_of(device)));
  return digest.finish();
}

fs::path path_of(const toolchain::Toolchain& tools, const std::string& key) {
  return tools.cache / "admission" / key.substr(0, 2) / (key + ".json");
}

// A damaged entry is as good as none.
std::optional<verify::AdmissionReport> load(const fs::path& path) {
  const Result<std::string> text = read_file(path);
  const Result<Json> json = text.has_value() ? parse_json(*text, path.string()) : Result<Json>(failure(text.error()));
  if (!json.has_value()) {
    return std::nullopt;
  }
  auto report = verify::admission_report_from_json(*json);
  return report.has_value() ? std::optional(std::move(*report)) : std::nullopt;
}

}  // namespace

std::optional<verify::AdmissionReport> known_admission(const toolchain::Toolchain& tools, const Task& task,
                                                       const ImportedProgram& imported, DeviceKind device) {
  return load(path_of(tools, key_of(task, imported, device, kAdmissionSeed)));
}

Result<TaskAdmission> admission_of(Job& job, const toolchain::Toolchain& tools, const Task& task,
                                   const ImportedProgram& imported, DeviceKind device, uint64_t seed) {
  const fs::path path = path_of(tools, key_of(task, imported, device, seed));
  if (auto known = load(path)) {
    return TaskAdmission{std::move(*known), true};
  }
  STITCH_ASSIGN(const TemporaryDirectory folder, tensor_folder());
  Progress::Wait wait = job.progress().wait("admission", "null candidates are listed");
  verify::AdmissionRequest request;
  request.source = oracle_source(task, device, seed, folder.path().string());
  request.draws_per_regime = evaluate::kDrawsPerRegime;
  request.progress = [&](const std::string& message) { wait.say(message); };
  verify::OracleClient oracle = oracle_client(job);
  STITCH_ASSIGN(verify::AdmissionReport report, verify::admit(request, oracle));
  STITCH_TRY(write_file(path, verify::to_json(report).dump(1) + "\n"));
  return TaskAdmission{std::move(report), false};
}

Json to_json(const TaskAdmission& admission) {
  Json json = verify::to_json(admission.report);
  json["cached"] = admission.is_cached;
  return json;
}

}  // namespace stitch::driver
