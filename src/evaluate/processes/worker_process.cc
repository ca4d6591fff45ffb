// SPDX-License-Identifier: Apache-2.0
#include "evaluate/processes/worker_process.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <thread>
#include <utility>

#include "base/json/json.h"
#include "base/process/resource_limit.h"
#include "evaluate/processes/context_turn.h"
#include "evaluate/processes/fault_message.h"
#include "sandbox/cage/cage.h"

namespace stitch::evaluate {
namespace {

constexpr int kChannelNumber = 3;
constexpr int kLedgerNumber = 4;
constexpr int kWatchIntervalMs = 20;
constexpr int64_t kPatienceWithTheDyingMs = 5000;
constexpr int64_t kMaxStartMs = 120'000;
constexpr double kMiB = 1 << 20;
constexpr uint64_t kMinThreads = 128;
constexpr uint64_t kSanitizerBytes = uint64_t{20} << 40;  // its shadow memory, reserved and hardly used

const char* program_name(DeviceKind device) {
  switch (device) {
    case DeviceKind::kEmulated:
      return "stitchcuda-worker-emulated";
    case DeviceKind::kChecked:
      return "stitchcuda-worker-checked";
    case DeviceKind::kCounted:
      return "stitchcuda-worker-counted";
    case DeviceKind::kCuda:
      return "stitchcuda-worker-cuda";
  }
  return "";
}

// These folders, then those that the environment names already.
std::vector<std::string> library_path(const std::vector<std::string>& folders) {
  std::vector<std::string> path = folders;
  const char* inherited = std::getenv("LD_LIBRARY_PATH");
  std::istringstream more(inherited == nullptr ? "" : inherited);
  for (std::string folder; std::getline(more, folder, ':');) {
    if (!folder.empty() && folder.front() == '/') {
      path.push_back(folder);
    }
  }
  return path;
}

std::string late_message(int64_t allowed_ms) {
  return fmt::format("the program did not end within {:.1f} s", static_cast<double>(allowed_ms) / 1000);
}

// Threads without end that a program leaves behind share the processors with its judge.
uint64_t threads_of_a_program() { return std::max(kMinThreads, uint64_t{2} * std::thread::hardware_concurrency()); }

// What the worker of this candidate may reach: the candidate, and where the libraries lie that it may need.
sandbox::CagePolicy worker_cage(DeviceKind device, const WorkerLimits& limits, bool is_watched) {
  sandbox::CagePolicy cage;
  cage.mode = limits.cage;
  cage.readable.emplace_back(limits.library);
  for (const std::string& folder : library_path(limits.library_folders)) {
    cage.readable.emplace_back(folder);
  }
  cage.gpu = device == DeviceKind::kCuda;
  if (!cage.gpu) {
    cage.process_count = std::min(cage.process_count, threads_of_a_program());
  }
  cage.may_make_code = cage.gpu;  // CUDA's driver does; elsewhere nothing runs but the library that was read
  cage.limits = sandbox::worker_limits(is_watched ? std::nullopt : std::optional(limits.memory_bytes));
  return cage;
}

// Likewise for one in Python: the interpreter, its packages and the candidate's own folder. Where there is no GPU, the
// compilers of which make code, none runs that nobody has read: not of another file of that folder, nor of one or of
// memory that the candidate wrote.
sandbox::CagePolicy python_cage(DeviceKind device, const PythonHost& host,
                                const std::vector<std::filesystem::path>& parts, const std::filesystem::path& home) {
  sandbox::CagePolicy cage;
  cage.gpu = device == DeviceKind::kCuda;
  cage.readable = parts;
  cage.readable.insert(cage.readable.end(), host.readable.begin(), host.readable.end());
  cage.readable.insert(cage.readable.end(), {host.interpreter, host.modules});
  cage.readable.insert(cage.readable.end(), host.native_files.begin(), host.native_files.end());
  const bool is_judged = host.role == PythonRole::kCandidate;
  (is_judged ? cage.data : cage.readable).emplace_back(host.folder);
  cage.may_make_code = cage.gpu || !is_judged;
  if (!host.library.empty()) {
    cage.readable.emplace_back(host.library);
  }
  for (const auto& [key, library] : host.extensions.value_or(std::map<std::string, std::string>())) {
    cage.readable.emplace_back(library);
  }
  cage.writable = {home};
  cage.may_start_programs = host.role != PythonRole::kCandidate;  // the reference's torch.compile does, too
  if (!host.compiled.empty()) {
    (host.role == PythonRole::kRehearsal ? cage.writable : cage.readable).emplace_back(host.compiled);
  }
  if (cage.gpu) {
    for (const std::string& folder : library_path({})) {
      cage.readable.emplace_back(folder);
    }
  }
  cage.limits = cage.may_start_programs ? sandbox::compiler_limits() : sandbox::worker_limits(std::nullopt);
  cage.limits.address_space_bytes = std::nullopt;
  return cage;
}

// Where the compilers that PyTorch and Triton start are found.
void add_path(const PythonHost& host, ChildOptions& options) {
  const char* path = std::getenv("PATH");
  const std::string own = std::filesystem::path(host.interpreter).parent_path().string();
  options.environment.emplace_back("PATH", path == nullptr ? own : fmt::format("{}:{}", own, path));
}

// Where PyTorch's and Triton's compilers write.
void add_compiled(const PythonHost& host, ChildOptions& options) {
  if (host.compiled.empty()) {
    return;
  }
  options.environment.emplace_back("STITCHCUDA_COMPILED", host.compiled);
  options.environment.emplace_back("TORCH_EXTENSIONS_DIR", host.compiled + "/extensions");
  options.environment.emplace_back("TRITON_CACHE_DIR", host.compiled + "/triton");
  options.environment.emplace_back("MAX_JOBS", "4");
  // As in our own builds: CUB's ranges would have an extension open libraries by name.
  options.environment.emplace_back("NVCC_PREPEND_FLAGS", "-DNVTX_DISABLE -DCCCL_DISABLE_NVTX");
  add_path(host, options);
}

// Where it keeps what it compiled; compilers in processes of their own would outlive their time in the cage.
void add_for_torch_compile(const PythonHost& host, const std::string& place, ChildOptions& options) {
  options.environment.emplace_back("TORCHINDUCTOR_CACHE_DIR", place + "/inductor");
  options.environment.emplace_back("TRITON_CACHE_DIR", place + "/triton");
  options.environment.emplace_back("TORCHINDUCTOR_COMPILE_THREADS", "1");
  add_path(host, options);
}

// Files by which a candidate's worker can say that it loaded native code of its own.
std::vector<std::string> loadable_names(const PythonHost& host) {
  std::vector<std::filesystem::path> files(host.native_files.begin(), host.native_files.end());
  files.emplace_back(host.library);
  for (const auto& [key, library] : host.extensions.value_or(std::map<std::string, std::string>())) {
    files.emplace_back(library);
  }
  std::error_code failed;
  for (std::filesystem::recursive_directory_iterator entry(host.compiled, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    files.push_back(entry->path());
  }
  std::vector<std::string> names;
  for (const std::filesystem::path& file : files) {
    std::error_code unresolved;
    names.push_back(std::filesystem::weakly_canonical(file, unresolved).filename().string());
  }
  return names;
}

}  // namespace

const char* to_string(PythonRole role) {
  switch (role) {
    case PythonRole::kCandidate:
      return "candidate";
    case PythonRole::kRehearsal:
      return "rehearsal";
    case PythonRole::kReference:
      return "reference";
  }
  return "";
}

WorkerProcess::WorkerProcess(Child child, wire::Channel channel, const WorkerLimits& limits, bool is_watched)
    : child_(std::move(child)),
      channel_(std::move(channel)),
      limits_(limits),
      memory_watch_(is_watched ? std::optional(limits.memory_bytes) : std::nullopt) {}

Result<WorkerProcess> WorkerProcess::start(const CandidateBinary& binary, const WorkerLimits& limits) {
  const auto begin = [&](bool& was_killed) -> Result<WorkerProcess> {
    STITCH_ASSIGN(const ContextTurn turn, ContextTurn::take(binary.device));
    return binary.python.has_value() ? start_python(binary.device, *binary.python, limits, was_killed)
                                     : start_native(binary.device, limits, was_killed);
  };
  bool was_killed = false;
  Result<WorkerProcess> worker = begin(was_killed);
  if (!worker.has_value() && was_killed) {
    worker = begin(was_killed);  // from outside: there is no candidate in it yet
  }
  return worker;
}

Result<WorkerProcess> WorkerProcess::start_native(DeviceKind device, const WorkerLimits& limits, bool& was_killed) {
  STITCH_ASSIGN(const std::filesystem::path program, find_helper_program(program_name(device)));
  STITCH_ASSIGN(auto ends, wire::Channel::make_pair());
  const std::optional<ResourceLimit> limit = inherited_memory_limit();
  if (device == DeviceKind::kChecked && limit.has_value() && limit->bytes < kSanitizerBytes) {
    return failure(
        ErrorCode::kEnvironment,
        fmt::format("the check for overruns of memory needs 20 TiB of addresses, more than {}", limit->words),
        program.string(), limit->remedy);
  }
  // AddressSanitizer and CUDA reserve terabytes of addresses.
  const bool is_emulated = device == DeviceKind::kEmulated || device == DeviceKind::kCounted;
  const bool is_watched = !sandbox::kAddressSpaceCanBeLimited || !is_emulated;
  ChildOptions options;
  options.arguments = {program.string()};
  options.descriptors = {{ends.second.get(), kChannelNumber}};
  options.environment = {{"ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=0"},
                         {"UBSAN_OPTIONS", "print_stacktrace=0"}};
  if (const auto folders = library_path(limits.library_folders); !folders.empty()) {
    options.environment.emplace_back("LD_LIBRARY_PATH", fmt::format("{}", fmt::join(folders, ":")));
  }
  STITCH_ASSIGN(Child child, sandbox::start_caged(options, worker_cage(device, limits, is_watched)));
  ends.second = Descriptor();  // the worker's end is the worker's alone: when it dies the channel ends
  WorkerProcess worker(std::move(child), wire::Channel(std::move(ends.first)), limits, is_watched);
  STITCH_TRY(worker.greet(program.string(), "check that the machine has enough free memory", was_killed));
  return worker;
}

Result<WorkerProcess> WorkerProcess::start_python(DeviceKind device, const PythonHost& host, const WorkerLimits& limits,
                                                  bool& was_killed) {
  STITCH_ASSIGN(const std::filesystem::path observer, find_helper_program("libstitch_observer.so"));
  STITCH_ASSIGN(const std::filesystem::path emulator, find_helper_program("libstitch_emulator.so"));
  STITCH_ASSIGN(auto ends, wire::Channel::make_pair());
  STITCH_ASSIGN(LedgerPipe pipe, LedgerPipe::make());
  STITCH_ASSIGN(TemporaryDirectory home, TemporaryDirectory::make("stitchcuda-candidate"));
  ChildOptions options;
  // Without -m and without an empty search path, so that no file of the current folder stands in for Python's own.
  options.arguments = {host.interpreter,
                       "-B",
                       "-E",
                       "-c",
                       "import sys; sys.path[:] = [p for p in sys.path if p] + [sys.argv[1]]; "
                       "from stitchcuda_candidate.main import main; main(*sys.argv[2:])",
                       host.modules,
                       observer.string(),
                       host.folder,
                       to_string(torch_device_of(device)),
                       to_string(host.role)};
  options.descriptors = {{ends.second.get(), kChannelNumber}, {pipe.write_end.get(), kLedgerNumber}};
  options.working_directory = home.path();
  const std::string place = home.path().string();
  // The user has no name in the cage, for which parts of PyTorch ask.
  options.environment = {
      {"HOME", place}, {"TMPDIR", place}, {"USER", "stitchcuda"}, {"STITCHCUDA_EMULATOR", emulator.string()}};
  if (device != DeviceKind::kCuda) {
    options.environment.emplace_back("CUDA_VISIBLE_DEVICES", "");  // a PyTorch with CUDA finds none
    // What is freed and allocated again must not hold the last call's answer: a call in which no kernel runs would be
    // right by it.
    options.environment.emplace_back("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0:glibc.malloc.perturb=165");
  }
  if (!host.library.empty()) {
    options.environment.emplace_back("STITCHCUDA_LIBRARY", host.library);
  }
  add_compiled(host, options);
  if (host.role == PythonRole::kReference) {
    add_for_torch_compile(host, place, options);
  }
  options.environment.emplace_back("STITCHCUDA_NATIVE_FILES",
                                   fmt::format("{}\n{}\n{}", fmt::join(host.native_files, "\n"), host.library,
                                               fmt::join(host.compiled_files, "\n")));
  sandbox::CagePolicy cage = python_cage(device, host, {observer, emulator}, home.path());
  cage.mode = limits.cage;
  STITCH_ASSIGN(Child child, sandbox::start_caged(options, cage));
  ends.second = Descriptor();
  pipe.write_end = Descriptor();
  WorkerProcess worker(std::move(child), wire::Channel(std::move(ends.first)), limits, true);
  worker.ledger_.emplace(std::move(pipe.read_end), host.ledger, loadable_names(host));
  worker.is_judged_ = host.role == PythonRole::kCandidate;
  worker.has_kernels_ = host.extensions.has_value() && !host.extensions->empty() && device == DeviceKind::kEmulated;
  worker.private_home_.emplace(std::move(home));
  STITCH_TRY(worker.greet(host.interpreter, "check that this Python has PyTorch 2.6 or newer", was_killed));
  return worker;
}

Result<void> WorkerProcess::greet(const std::string& program, const char* remedy, bool& was_killed) {
  Json arguments;
  arguments["device"] = 0;
  // Importing PyTorch is no call of the candidate's, however short those are to be.
  const int64_t allowed_ms = std::max(limits_.timeout_ms, kMaxStartMs);
  Patience patience(child_.pid(), allowed_ms);
  STITCH_ASSIGN(const WorkerReply greeting, ask_now("hello", arguments, {}, patience, late_message(allowed_ms)));
  const WorkerFault* fault = std::get_if<WorkerFault>(&greeting);
  if (fault == nullptr) {
    return {};
  }
  was_killed = fault->was_killed;
  const std::string message = fmt::format("the process that runs candidates does not start: {}", fault->message);
  const std::optional<ResourceLimit> limit = inherited_memory_limit();
  if (limit.has_value()) {
    return failure(ErrorCode::kEnvironment, fmt::format("{}, under {}", message, limit->words), program, limit->remedy);
  }
  return failure(ErrorCode::kEnvironment, message, program, remedy);
}

WorkerFault WorkerProcess::end(Ending ending, std::string message) {
  child_.kill_tree();
  is_gone_ = true;
  return {ending, std::move(message)};
}

WorkerFault WorkerProcess::died() {
  const ExitState exit = child_.wait(kPatienceWithTheDyingMs);
  std::string message = fault_message(exit, child_.take_standard_error());
  WorkerFault fault = end(Ending::kCrashed, std::move(message));
  fault.was_killed = exit.signal == SIGKILL && !exit.timed_out;
  return fault;
}

WorkerProcess::TimeLimit WorkerProcess::limit_of_a_call() const {
  if (limits_.budget != nullptr && limits_.budget->left_ms() < limits_.timeout_ms) {
    return {limits_.budget->left_ms(), fmt::format("all calls of the program together did not end within {:.1f} s",
                                                   static_cast<double>(limits_.budget->total_ms()) / 1000)};
  }
  return {limits_.timeout_ms, late_message(limits_.timeout_ms)};
}

Result<std::variant<wire::Frame, WorkerFault>> WorkerProcess::await_frame(Patience& patience,
                                                                          const std::string& when_over) {
  using Awaited = std::variant<wire::Frame, WorkerFault>;
  while (true) {
    Result<std::optional<wire::Frame>> frame = channel_.try_receive();
    if (!frame.has_value()) {
      const bool departed = frame.error().code == ErrorCode::kEnvironment;
      return Awaited(departed ? died()
                              : end(Ending::kTampered, fmt::format("the program wrote into its worker's channel ({})",
                                                                   frame.error().message)));
    }
    if (frame->has_value()) {
      return Awaited(std::move(**frame));
    }
    if (patience.is_over()) {
      return Awaited(end(Ending::kTimedOut, when_over));
    }
    if (limits_.is_unwanted != nullptr && *limits_.is_unwanted) {
      return Awaited(end(Ending::kTimedOut, "nobody wanted the answer any more"));
    }
    if (memory_watch_.exceeded(child_)) {
      return Awaited(end(Ending::kCrashed, fmt::format("the program held more than its {:.0f} MiB of memory",
                                                       static_cast<double>(limits_.memory_bytes) / kMiB)));
    }
    std::vector<pollfd> polled = {{.fd = channel_.descriptor(), .events = POLLIN, .revents = 0}};
    for (const int output : child_.open_output_descriptors()) {
      polled.push_back({.fd = output, .events = POLLIN, .revents = 0});
    }
    ::poll(polled.data(), polled.size(), wire::poll_timeout_ms(patience.next_look(), kWatchIntervalMs));
    child_.drain_output();
  }
}

std::optional<std::string> WorkerProcess::ledgers_word(const std::string& verb, bool begins_trial, int trials_before) {
  if (!ledger_.has_value()) {
    return std::nullopt;
  }
  if (std::optional<std::string> message = ledger_->read()) {
    return message;
  }
  if (is_judged_ && (verb == "run" || verb == "run_block") && !ledger_->is_enforced()) {
    return "the candidate kept the observer of PyTorch's operators from its work";
  }
  if (is_judged_ && has_kernels_ && begins_trial && ledger_->trials() != trials_before + 1) {
    return "the candidate kept the emulated device from keeping its memory apart in a call";
  }
  return std::nullopt;
}

// What a candidate in Python must not do comes before whatever became of the request.
Result<WorkerReply> WorkerProcess::ask(const std::string& verb, const Json& arguments,
                                       std::vector<Descriptor> descriptors) {
  const TimeLimit limit = limit_of_a_call();
  if (limit.milliseconds == 0) {
    return WorkerReply(end(Ending::kTimedOut, limit.when_over));
  }
  const int trials = ledger_.has_value() ? ledger_->trials() : 0;
  Patience patience(child_.pid(), limit.milliseconds);
  Result<WorkerReply> reply = ask_now(verb, arguments, std::move(descriptors), patience, limit.when_over);
  if (limits_.budget != nullptr) {
    limits_.budget->spend(patience.counted());
  }
  const bool is_answered = reply.has_value() && std::holds_alternative<wire::Answer>(*reply);
  const bool begins_trial = is_answered && verb == "run" && arguments.value("trial", 0) != 0;
  if (std::optional<std::string> message = ledgers_word(verb, begins_trial, trials)) {
    return WorkerReply(end(Ending::kTampered, std::move(*message)));
  }
  return reply;
}

Result<WorkerReply> WorkerProcess::ask_now(const std::string& verb, const Json& arguments,
                                           std::vector<Descriptor> descriptors, Patience& patience,
                                           const std::string& when_over) {
  const uint64_t id = ++last_id_;
  const auto sent =
      channel_.send(wire::encode_request(id, verb, arguments, std::move(descriptors)), patience.end_by_clock());
  if (!sent.has_value()) {
    return WorkerReply(died());
  }
  STITCH_ASSIGN(auto awaited, await_frame(patience, when_over));
  if (WorkerFault* fault = std::get_if<WorkerFault>(&awaited)) {
    return WorkerReply(std::move(*fault));
  }
  const wire::FrameKind kind = std::get<wire::Frame>(awaited).kind;
  const bool is_for_this = std::get<wire::Frame>(awaited).id == id;
  Result<wire::Answer> answer = wire::decode_answer(std::get<wire::Frame>(std::move(awaited)), id);
  if (answer.has_value()) {
    return WorkerReply(std::move(*answer));
  }
  const Error& error = answer.error();
  // A worker in Python has one code for errors, and any worker has while the candidate's own functions run: with
  // another, a candidate would have its verdict taken for a failing world.
  const bool has_one_code =
      ledger_.has_value() || verb == "prepare" || verb == "workspace" || verb == "run" || verb == "destroy";
  const bool is_foreign = has_one_code && error.code != ErrorCode::kProgramInvalid;
  if (kind != wire::FrameKind::kError || !is_for_this || is_foreign || error.message.empty()) {
    return WorkerReply(end(Ending::kTampered, "the program wrote into its worker's channel: " + error.message));
  }
  if (error.code != ErrorCode::kProgramInvalid) {
    return failure(with_context(error, fmt::format("the worker failed at `{}`", verb)));
  }
  if (error.location == wire::kUnsupportedLocation) {
    return WorkerReply(end(Ending::kUnsupported, error.message));
  }
  if (error.location != wire::kDeviceLocation) {
    return WorkerReply(end(Ending::kRefused, error.message));
  }
  // The device's own words say more than the runtime's error number.
  const std::optional<std::string> reported = reported_fault(child_.take_standard_error());
  return WorkerReply(end(Ending::kCrashed, reported.value_or(error.message)));
}

}  // namespace stitch::evaluate
