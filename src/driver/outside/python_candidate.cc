// SPDX-License-Identifier: Apache-2.0
#include "driver/outside/python_candidate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/json/json.h"
#include "driver/job/interpreter.h"
#include "driver/outside/python_extensions.h"
#include "driver/outside/rehearse.h"
#include "driver/outside/shown_files.h"
#include "evaluate/inspect/built_library.h"
#include "evaluate/processes/eviction_library.h"
#include "evaluate/runner/program_runner.h"
#include "evaluate/verify/verify_program.h"
#include "toolchain/build/build.h"
#include "toolchain/candidate/candidate_sources.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;
using evaluate::CandidateLedger;
using Extensions = std::map<std::string, std::string>;

constexpr int64_t kReadTimeoutMs = 180'000;
constexpr const char* kModuleFile = "model_new.py";
constexpr const char* kNoCheckedDraw = "PyTorch runs in the candidate's process, and is not built with sanitizers";

verify::Findings& findings_of(PythonVerdict& verdict) { return verdict.report.verify.findings; }

// The file in the folder that its process sees; empty where it is none.
Result<std::string> show(const std::string& candidate, const std::string& file, PythonVerdict& verdict) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) {  // a pipe would never be read to its end
    findings_of(verdict).add({Stage::kRead, VerdictKind::kBuildFailed, file + " is not a file"});
    return std::string();
  }
  const bool is_folder = fs::is_directory(candidate, ignored);
  Result<ShownFiles> shown = show_files(file, is_folder ? Around::kLibrariesToo : Around::kNothingButSources);
  if (const auto fault = toolchain::fault_of_files(shown)) {
    findings_of(verdict).add(fault);
    return std::string();
  }
  STITCH_ASSIGN(const ShownFiles files, std::move(shown));
  verdict.shown = files.folder;
  if (!files.left_out.empty()) {
    findings_of(verdict).remarks.push_back(
        {fmt::format("not shown to it, since a ModelNew loads nothing but source and libraries that were read: {}\n",
                     fmt::join(files.left_out, ", ")),
         {VerdictKind::kWrong, VerdictKind::kCrashed}});
  }
  return files.file;
}

// "model_new.py:3: invalid syntax ...", as a compiler says it: authors are told the evidence, and the folder is none of
// theirs.
std::string as_diagnostic(const Error& error, const std::string& file) {
  const std::string folder = fs::path(file).parent_path().string() + "/";
  const std::string place = error.location.starts_with(folder) ? error.location.substr(folder.size()) : error.location;
  return place.empty() ? error.message : fmt::format("{}: {}", place, error.message);
}

// What stands out in the source, and whether it is Python.
Result<void> read_source(Job& job, const std::string& file, PythonVerdict& verdict) {
  const Result<Json> answer = job.ask("candidate.source", {{"candidate", file}}, kReadTimeoutMs);
  if (!answer.has_value() && answer.error().code == ErrorCode::kProgramInvalid) {
    findings_of(verdict).add(
        {Stage::kRead, VerdictKind::kBuildFailed, answer.error().message, as_diagnostic(answer.error(), file)});
    return {};
  }
  STITCH_ASSIGN(const Json facts, answer);
  STITCH_ASSIGN(verdict.source.facts, source_facts_from_json(facts, "facts"));
  return {};
}

std::string file_of(const std::string& candidate) {
  std::error_code ignored;
  const fs::path path = fs::absolute(candidate, ignored).lexically_normal();
  return (fs::is_directory(path, ignored) ? path / kModuleFile : path).string();
}

evaluate::PythonHost host_of(const Job& job, const std::string& file, const Json& interface, DeviceKind device) {
  evaluate::PythonHost host;
  host.readable = evaluate::eviction_library(device);
  host.interpreter = interpreter_of(job.resources(), interface);
  host.modules = job.resources().python_path().string();
  host.folder = fs::path(file).parent_path().string();
  host.interface = interface.dump();
  const Result<const Json*> folders = json_array(interface, "python_folders");
  for (const Json& folder : folders.has_value() ? **folders : Json::array()) {
    if (folder.is_string()) {
      host.readable.push_back(folder.get<std::string>());
    }
  }
  host.ledger = std::make_shared<CandidateLedger>();
  return host;
}

// The worker may start no compiler: where the file's folder is a project of ours, its library is built here, from its
// sources alone, and looked at like any other.
Result<void> build_beside(Job& job, const toolchain::Toolchain& tools, DeviceKind device, const std::string& folder,
                          evaluate::PythonHost& host, PythonVerdict& verdict) {
  std::error_code ignored;
  if (!fs::exists(fs::path(folder) / "bundle.json", ignored)) {
    return {};
  }
  toolchain::BuildRequest request;
  Result<SourceBundle> bundle = read_bundle(folder);
  if (auto fault = toolchain::fault_of_files(bundle)) {
    findings_of(verdict).add(std::move(fault));
    return {};
  }
  STITCH_ASSIGN(request.bundle, std::move(bundle));
  if (const auto outside = toolchain::outside_file(request.bundle)) {
    findings_of(verdict).add({Stage::kRead, VerdictKind::kBuildFailed, *outside});
    return {};
  }
  request.device = device;
  Progress::Wait wait = job.progress().wait("build", "the project beside the candidate is built");
  STITCH_ASSIGN(CompileReport compiled, toolchain::build(request, tools));
  host.library = compiled.library;
  if (compiled.ok) {
    STITCH_ASSIGN(const evaluate::LibraryCheck check, evaluate::check_built_library(request, compiled.library, tools));
    findings_of(verdict).add(check.refusal);
  } else {
    findings_of(verdict).add(evaluate::build_failed(compiled, to_string(device)));
  }
  verdict.report.compile = std::move(compiled);
  return {};
}

// On a GPU a candidate may bring kernels that PyTorch's extension builder or Triton compile: they do so in a rehearsal.
// What that leaves is read before anybody who counts loads it.
Result<void> compile_beforehand(Job& job, const toolchain::Toolchain& tools, const std::string& file,
                                evaluate::PythonHost& host, PythonVerdict& verdict) {
  STITCH_ASSIGN(TemporaryDirectory folder, TemporaryDirectory::make("stitchcuda-compiled"));
  host.compiled = folder.path().string();
  Progress::Wait wait = job.progress().wait("build", "the candidate compiles its kernels");
  STITCH_ASSIGN(std::optional<Finding> failed, rehearse(file, DeviceKind::kCuda, host, tools.confinement.mode));
  if (!failed.has_value()) {
    STITCH_ASSIGN(verdict.built, evaluate::inspect_compiled_files(host.compiled));
    failed = verdict.built.refusal;
  }
  for (const evaluate::NativeFile& library : verdict.built.libraries) {
    host.compiled_files.push_back(library.path);
  }
  findings_of(verdict).add(std::move(failed));
  verdict.compiled = std::make_shared<TemporaryDirectory>(std::move(folder));
  return {};
}

// Of a folder. A file stands for itself alone: what lies around it is not its own.
Result<void> inspect_beside(const std::string& candidate, evaluate::PythonHost& host, PythonVerdict& verdict) {
  std::error_code ignored;
  if (!fs::is_directory(candidate, ignored)) {
    return {};
  }
  Result<evaluate::NativeFiles> found = evaluate::inspect_native_files(host.folder);
  if (const auto fault = toolchain::fault_of_files(found)) {
    findings_of(verdict).add(fault);
    return {};
  }
  STITCH_ASSIGN(verdict.native, std::move(found));
  for (const evaluate::NativeFile& file : verdict.native.libraries) {
    host.native_files.push_back(file.path);
  }
  findings_of(verdict).add(verdict.native.refusal);
  return {};
}

Result<evaluate::VerifyReport> run(Job& job, const toolchain::Toolchain& tools, const Task& task,
                                   const evaluate::CandidateBinary& binary, bool reference_computes) {
  STITCH_ASSIGN(const TemporaryDirectory folder, tensor_folder());
  const uint64_t seed = job.options().seed;
  evaluate::VerifySubject subject;
  subject.shape = "declared shapes";
  subject.source = oracle_source(task, binary.device, seed, folder.path().string());
  subject.binary = binary;
  Progress::Wait wait = job.progress().wait("verify", "the candidate is constructed");
  evaluate::VerifyRequest request;
  request.subjects = {std::move(subject)};
  request.math = task.math;
  request.seed = seed;
  request.repeats_calls = true;
  request.no_checked_draw = kNoCheckedDraw;
  request.needs_kernels = reference_computes && !binary.python->extensions.value_or(Extensions()).empty();
  request.keeps_draws = binary.device == DeviceKind::kCuda;  // it is timed afterwards
  request.progress = [&](const std::string& message) { wait.say(message); };
  verify::OracleClient oracle = oracle_client(job);
  evaluate::RunnerOptions options;
  options.timeout_ms = call_timeout_ms(job);
  options.budget = call_budget(job);
  options.cage = tools.confinement.mode;
  return evaluate::verify_program(request, oracle, evaluate::program_runner_factory(options));
}

// What it says that it loaded, of what was there to be loaded: its process can be made to tell of more.
std::vector<std::string> loaded_libraries(const evaluate::PythonHost& host) {
  constexpr size_t kToldBytes = 120;  // of a name (guard.py)
  std::set<std::string> there;
  const auto add = [&](const std::string& path) {
    std::error_code ignored;
    there.insert(fs::weakly_canonical(path, ignored).filename().string().substr(0, kToldBytes));
  };
  add(host.library);
  std::for_each(host.native_files.begin(), host.native_files.end(), add);
  for (const auto& [key, library] : host.extensions.value_or(Extensions())) {
    add(library);
  }
  std::for_each(host.compiled_files.begin(), host.compiled_files.end(), add);
  std::vector<std::string> loaded;
  std::copy_if(host.ledger->libraries.begin(), host.ledger->libraries.end(), std::back_inserter(loaded),
               [&](const std::string& name) { return !name.empty() && there.contains(name); });
  return loaded;
}

// A right answer that nothing of the candidate's own computed is no answer; and every verdict tells its evidence.
void add_policy(PythonVerdict& verdict, const CandidateLedger& ledger) {
  verify::Findings& findings = findings_of(verdict);
  const evaluate::FrameworkShare& share = verdict.framework;
  if (ledger.operators.empty() && share.hack_class == HackClass::kTotal) {
    findings.add({Stage::kFramework, VerdictKind::kCheated, share.message});
  }
  findings.remarks.push_back({fmt::format("class {}: {}\n", to_string(share.hack_class), share.message),
                              {VerdictKind::kOk, VerdictKind::kCheated}});
  for (const SourceFact& fact : verdict.source.facts) {
    findings.remarks.push_back({fact.message() + "\n"});
  }
}

}  // namespace

Result<PythonVerdict> judge_python_candidate(Job& job, const toolchain::Toolchain& tools, const Task& task,
                                             const std::string& candidate, DeviceKind device) {
  PythonVerdict verdict;
  const std::string given = file_of(candidate);
  STITCH_ASSIGN(const std::string file, show(candidate, given, verdict));
  if (!findings_of(verdict).is_clean()) {
    return verdict;
  }
  STITCH_TRY(read_source(job, file, verdict));
  if (!findings_of(verdict).is_clean()) {
    return verdict;
  }
  STITCH_ASSIGN(const Json interface, job.ask("candidate.interface", task.arguments(), kReadTimeoutMs));
  STITCH_ASSIGN(const bool is_random, json_bool(interface, "is_random"));
  if (is_random) {
    findings_of(verdict).add({Stage::kRead, VerdictKind::kUnsupported,
                              "the program draws random numbers, which a ModelNew cannot be given"});
    return verdict;
  }
  evaluate::PythonHost host = host_of(job, file, interface, device);
  STITCH_TRY(inspect_beside(candidate, host, verdict));
  if (!findings_of(verdict).is_clean()) {
    return verdict;
  }
  STITCH_TRY(build_beside(job, tools, device, fs::path(given).parent_path().string(), host, verdict));
  if (findings_of(verdict).is_clean() && device == DeviceKind::kCuda) {
    STITCH_TRY(compile_beforehand(job, tools, file, host, verdict));
    STITCH_TRY(read_compiled_sources(job, tools, host.compiled, interface, verdict.source));
  } else if (findings_of(verdict).is_clean() && names_cpp_extension(file)) {
    STITCH_ASSIGN(const auto refusal, build_extensions(job, tools, file, interface, host, verdict.source));
    findings_of(verdict).add(refusal);
  }
  if (!findings_of(verdict).is_clean()) {
    return verdict;
  }
  verdict.binary = {device, file, host};
  STITCH_ASSIGN(const auto work, evaluate::reference_work_from_json(interface, "work"));
  STITCH_ASSIGN(verdict.report.verify, run(job, tools, task, verdict.binary, !work.empty()));
  verdict.framework = evaluate::framework_share(work, host.ledger->operators, loaded_libraries(host), task.math);
  for (const evaluate::NativeFile& library : verdict.built.libraries) {
    if (library.facts.has_gpu_code) {
      STITCH_TRY(add_instruction_facts(tools, library.path, device, verdict.source));
    }
  }
  add_policy(verdict, *host.ledger);
  return verdict;
}

Json to_json(const PythonVerdict& verdict) {
  Json json = evaluate::to_json(verdict.framework);
  json["native_files"] = to_json(verdict.native);
  json["compiled_files"] = to_json(verdict.built);
  return json;
}

}  // namespace stitch::driver
