// SPDX-License-Identifier: Apache-2.0
#include "driver/outside/python_extensions.h"

#include <fmt/format.h>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "evaluate/inspect/library_check.h"
#include "evaluate/pipeline/evaluate.h"
#include "evaluate/processes/extension_requests.h"
#include "toolchain/build/build.h"
#include "toolchain/candidate/candidate_sources.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxRounds = 8;  // of extensions that are asked for only when others are there
constexpr const char* kBuilder = "cpp_extension";

Result<toolchain::TorchKit> kit_of(const Json& interface) {
  const auto json = interface.find("extension_build");
  if (json == interface.end()) {
    return failure(ErrorCode::kInternal, "the interface of a candidate does not say what its PyTorch is built with");
  }
  toolchain::TorchKit kit;
  STITCH_ASSIGN(const Json* includes, json_array(*json, "includes"));
  for (const Json& folder : *includes) {
    kit.includes.emplace_back(folder.get<std::string>());
  }
  std::error_code ignored;
  if (kit.includes.empty() || !fs::exists(kit.includes.back() / "Python.h", ignored)) {
    return failure(ErrorCode::kEnvironment, "this Python has no C headers, which load_inline's sources include",
                   kit.includes.empty() ? std::string() : kit.includes.back().string(), "install python3-dev");
  }
  STITCH_ASSIGN(kit.libraries, json_string(*json, "libraries"));
  STITCH_ASSIGN(kit.identity, json_string(*json, "identity"));
  STITCH_ASSIGN(kit.has_cxx11_strings, json_bool(*json, "has_cxx11_strings"));
  return kit;
}

struct Built {
  std::string library;
  std::optional<Finding> refusal;
};

Result<Built> build_one(Job& job, const toolchain::Toolchain& tools, toolchain::TorchKit kit,
                        const evaluate::ExtensionRequest& wanted) {
  if (const auto outside = toolchain::outside_file(wanted.bundle)) {
    return Built{{}, Finding{Stage::kBuild, VerdictKind::kBuildFailed, *outside}};
  }
  kit.macros = wanted.macros;
  kit.macros.push_back("-DTORCH_EXTENSION_NAME=" + wanted.bundle.name);
  toolchain::BuildRequest request;
  request.bundle = wanted.bundle;
  request.device = DeviceKind::kEmulated;
  request.torch = std::move(kit);
  Progress::Wait wait = job.progress().wait("build", wanted.bundle.name + " is built against PyTorch's headers");
  request.compiling = [&](const std::string& unit) { wait.say(fmt::format("compiling {}", unit)); };
  STITCH_ASSIGN(const CompileReport compiled, toolchain::build(request, tools));
  if (!compiled.ok) {
    return Built{{}, evaluate::build_failed(compiled, to_string(DeviceKind::kEmulated))};
  }
  STITCH_ASSIGN(const std::string bytes, read_file(compiled.library));
  return Built{compiled.library, evaluate::check_extension(bytes).refusal};
}

Result<void> read_extension(const Job& job, const toolchain::Toolchain& tools, toolchain::TorchKit kit,
                            const SourceBundle& bundle, const std::vector<std::string>& macros, SourceFacts& source) {
  kit.macros = macros;
  kit.macros.push_back("-DTORCH_EXTENSION_NAME=" + bundle.name);
  toolchain::Target target;
  target.torch = std::move(kit);
  return add_source_facts(job, tools, bundle, target, source);
}

// What the builder wrote into the folder of one extension; no units where that is none.
Result<SourceBundle> compiled_bundle(const fs::path& folder) {
  SourceBundle bundle;
  bundle.name = folder.filename().string();
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::string extension = entry->path().extension().string();
    const bool is_file = entry->symlink_status(failed).type() == fs::file_type::regular;
    if (is_file && (extension == ".cpp" || extension == ".cu")) {
      const std::string name = entry->path().filename().string();
      STITCH_ASSIGN(bundle.files[name], read_file(entry->path()));
      bundle.units.push_back(name);
    }
  }
  return bundle;
}

}  // namespace

Result<void> read_compiled_sources(const Job& job, const toolchain::Toolchain& tools, const std::string& folder,
                                   const Json& interface, SourceFacts& source) {
  std::error_code failed;
  for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (entry->symlink_status(failed).type() != fs::file_type::directory) {
      continue;
    }
    STITCH_ASSIGN(const SourceBundle bundle, compiled_bundle(entry->path()));
    if (!bundle.units.empty()) {
      STITCH_ASSIGN(const toolchain::TorchKit kit, kit_of(interface));
      STITCH_TRY(read_extension(job, tools, kit, bundle, {}, source));
    }
  }
  return {};
}

bool names_cpp_extension(const std::string& file) {
  const auto holds = [](const fs::path& path) {
    const Result<std::string> text = read_file(path);
    return text.has_value() && text->find(kBuilder) != std::string::npos;
  };
  if (holds(file)) {
    return true;
  }
  std::error_code failed;
  const fs::path folder = fs::path(file).parent_path();
  // A folder that is not the candidate's own; or a project of ours, whose library is built from its sources, and whose
  // other form lies there too.
  if (fs::path(file).filename() != "model_new.py" || fs::exists(folder / "bundle.json", failed)) {
    return false;
  }
  for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (entry->path().extension() == ".py" && entry->is_regular_file(failed) && holds(entry->path())) {
      return true;
    }
  }
  return false;
}

Result<std::optional<Finding>> build_extensions(Job& job, const toolchain::Toolchain& tools, const std::string& file,
                                                const Json& interface, evaluate::PythonHost& host,
                                                SourceFacts& source) {
  host.extensions.emplace();
  STITCH_ASSIGN(const toolchain::TorchKit kit, kit_of(interface));
  for (int round = 0; round < kMaxRounds; ++round) {
    const Result<evaluate::ExtensionRequests> asked = evaluate::extension_requests(
        {.device = DeviceKind::kEmulated, .library = file, .python = host}, tools.confinement.mode);
    if (!asked.has_value() && asked.error().code == ErrorCode::kProgramInvalid) {
      return std::optional(Finding{Stage::kBuild, VerdictKind::kBuildFailed, asked.error().message});
    }
    STITCH_ASSIGN(const evaluate::ExtensionRequests found, asked);
    for (const evaluate::ExtensionRequest& wanted : found.requests) {
      STITCH_ASSIGN(const Built built, build_one(job, tools, kit, wanted));
      if (built.refusal.has_value()) {
        return built.refusal;
      }
      STITCH_TRY(read_extension(job, tools, kit, wanted.bundle, wanted.macros, source));
      (*host.extensions)[wanted.key] = built.library;
    }
    if (found.requests.empty() || !found.is_cut) {
      break;
    }
  }
  return std::optional<Finding>();
}

}  // namespace stitch::driver
