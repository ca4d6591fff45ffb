// SPDX-License-Identifier: Apache-2.0
#include "driver/outside/rehearse.h"

#include <array>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "evaluate/runner/program_runner.h"

namespace stitch::driver {
namespace {

constexpr int64_t kCompileTimeoutMs = 600'000;  // a minute for each extension that includes PyTorch's headers
// What PyTorch's extension builder and Triton say.
constexpr std::array<const char*, 2> kOfCompilers = {"Error building extension", "CompilationError"};

using Described = std::vector<wire::TensorDescription>;

std::vector<HostTensor> zeros(const Described& described) {
  std::vector<HostTensor> tensors;
  for (const wire::TensorDescription& tensor : described) {
    std::vector<std::byte> bytes(static_cast<size_t>(tensor.spec.type.bytes()));
    tensors.push_back(HostTensor::from_bytes(tensor.spec, std::move(bytes)));
  }
  return tensors;
}

// What the program is, by our own word: the process in which it is rehearsed may say that it takes terabytes.
Result<wire::ProgramDescription> program_of(const evaluate::PythonHost& host) {
  STITCH_ASSIGN(const Json interface, parse_json(host.interface, "the interface of a candidate"));
  STITCH_ASSIGN(const Json* program, json_object(interface, "program"));
  return wire::program_description_from_json(*program);
}

Result<evaluate::CandidateOutcome> call_once(evaluate::ProgramRunner& runner, const wire::ProgramDescription& program) {
  STITCH_ASSIGN(evaluate::CandidateOutcome outcome, runner.load());
  if (outcome.ending != evaluate::Ending::kOk) {
    return outcome;
  }
  STITCH_ASSIGN(outcome, runner.prepare(zeros(program.parameters)));
  if (outcome.ending != evaluate::Ending::kOk) {
    return outcome;
  }
  const std::vector<HostTensor> inputs = zeros(program.inputs);
  const std::vector<HostTensor> states = zeros(program.states_in);
  evaluate::CandidateCall call;
  call.inputs = inputs;
  call.states = states;
  return runner.run(call);
}

// What another user wrote, for the judged process, which is yet another. No link is followed.
void open_to_others(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto open = [&](const fs::path& path) {
    const fs::file_type type = fs::symlink_status(path, ignored).type();
    if (type == fs::file_type::directory || type == fs::file_type::regular) {
      const fs::perms enter = type == fs::file_type::directory ? fs::perms::others_exec : fs::perms::none;
      fs::permissions(path, fs::perms::others_read | enter, fs::perm_options::add, ignored);
    }
  };
  open(folder);
  for (fs::recursive_directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
    open(entry->path());
  }
}

Result<evaluate::CandidateOutcome> run_rehearsal(const std::string& file, DeviceKind device,
                                                 evaluate::PythonHost host, sandbox::CageMode cage) {
  STITCH_ASSIGN(const wire::ProgramDescription program, program_of(host));
  host.role = evaluate::PythonRole::kRehearsal;
  host.ledger = nullptr;  // what it does here counts for nothing
  evaluate::RunnerOptions options;
  options.binary.device = device;
  options.binary.library = file;
  options.binary.python = std::move(host);
  options.timeout_ms = kCompileTimeoutMs;
  options.cage = cage;
  STITCH_ASSIGN(const auto runner, evaluate::ProgramRunner::start(options));
  return call_once(*runner, program);  // its processes end with it
}

}  // namespace

Result<std::optional<Finding>> rehearse(const std::string& file, DeviceKind device, const evaluate::PythonHost& host,
                                        sandbox::CageMode cage) {
  STITCH_ASSIGN(const evaluate::CandidateOutcome outcome, run_rehearsal(file, device, host, cage));
  open_to_others(host.compiled);
  for (const char* mark : kOfCompilers) {
    if (outcome.ending == evaluate::Ending::kRefused && outcome.message.find(mark) != std::string::npos) {
      return std::optional(Finding{Stage::kBuild, VerdictKind::kBuildFailed, outcome.message});
    }
  }
  return std::optional<Finding>();
}

}  // namespace stitch::driver
