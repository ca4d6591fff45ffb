// SPDX-License-Identifier: Apache-2.0
#include "bare_candidate.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "frames.h"

extern char** environ;

namespace stitch::bench {
namespace {

class BareCandidate final : public evaluate::Candidate {
 public:
  static Result<std::unique_ptr<evaluate::Candidate>> start(const std::string& library);
  BareCandidate(pid_t pid, int to, int from) : pid_(pid), to_(to), from_(from) {}
  ~BareCandidate() override {
    ::close(to_);
    ::close(from_);
    ::waitpid(pid_, nullptr, 0);
  }

  Result<evaluate::CandidateOutcome> prepare(std::span<const HostTensor> parameters) override;
  Result<evaluate::CandidateOutcome> run(const evaluate::CandidateCall& call) override;

 private:
  bool send(std::span<const HostTensor> tensors);
  bool send(std::span<const TensorType> types);
  bool receive(std::span<const TensorType> types, TensorRole role, std::vector<HostTensor>& tensors);
  Result<evaluate::CandidateOutcome> died() const {
    evaluate::CandidateOutcome outcome;
    outcome.ending = evaluate::Ending::kCrashed;
    outcome.message = "the program died";
    return outcome;
  }

  pid_t pid_;
  int to_;
  int from_;
};

TensorFrame frame_of(const TensorType& type) {
  TensorFrame frame{static_cast<int64_t>(type.shape.size()), type.bytes(), {}};
  std::copy_n(type.shape.begin(), std::min<size_t>(type.shape.size(), 8), frame.extents);
  return frame;
}

Result<std::unique_ptr<evaluate::Candidate>> BareCandidate::start(const std::string& library) {
  const std::string worker = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "bare-worker").string();
  int to[2] = {};
  int from[2] = {};
  if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0) {
    return failure(ErrorCode::kEnvironment, "no pipes");
  }
  ::fcntl(to[1], F_SETPIPE_SZ, 1 << 20);
  ::fcntl(from[1], F_SETPIPE_SZ, 1 << 20);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
  pid_t pid = 0;
  char* arguments[] = {const_cast<char*>(worker.c_str()), const_cast<char*>(library.c_str()), nullptr};
  const int problem = ::posix_spawn(&pid, worker.c_str(), &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(to[0]);
  ::close(from[1]);
  if (problem != 0) {
    return failure(ErrorCode::kEnvironment, "bare-worker does not start", worker, "build it: ninja bare-worker");
  }
  return std::unique_ptr<evaluate::Candidate>(std::make_unique<BareCandidate>(pid, to[1], from[0]));
}

bool BareCandidate::send(std::span<const HostTensor> tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [this](const HostTensor& tensor) {
    const TensorFrame frame = frame_of(tensor.spec().type);
    return write_all(to_, &frame, sizeof(frame)) && write_all(to_, tensor.bytes().data(), tensor.bytes().size());
  });
}

bool BareCandidate::send(std::span<const TensorType> types) {
  return std::all_of(types.begin(), types.end(), [this](const TensorType& type) {
    const TensorFrame frame = frame_of(type);
    return write_all(to_, &frame, sizeof(frame));
  });
}

bool BareCandidate::receive(std::span<const TensorType> types, TensorRole role, std::vector<HostTensor>& tensors) {
  for (const TensorType& type : types) {
    std::vector<std::byte> bytes(static_cast<size_t>(type.bytes()));
    if (!read_all(from_, bytes.data(), bytes.size())) {
      return false;
    }
    tensors.push_back(HostTensor::from_bytes({"", role, type}, std::move(bytes)));
  }
  return true;
}

Result<evaluate::CandidateOutcome> BareCandidate::prepare(std::span<const HostTensor> parameters) {
  const Header header{Verb::kPrepare, {static_cast<int64_t>(parameters.size()), 0, 0, 0}, 0, 0};
  int64_t status = 1;
  const bool good = write_all(to_, &header, sizeof(header)) && send(parameters) &&
                    read_all(from_, &status, sizeof(status)) && status == 0;
  return good ? Result<evaluate::CandidateOutcome>(evaluate::CandidateOutcome{}) : died();
}

Result<evaluate::CandidateOutcome> BareCandidate::run(const evaluate::CandidateCall& call) {
  const size_t states = call.states.size();  // a new state for each old one
  const std::span<const TensorType> outputs = call.results.first(call.results.size() - states);
  const std::span<const TensorType> new_states = call.results.last(states);
  const auto count = [](const auto& list) { return static_cast<int64_t>(list.size()); };
  const Header header{Verb::kRun,
                      {count(call.inputs), count(call.states), count(outputs), count(new_states)},
                      call.rng_seed,
                      call.schedule_seed};
  evaluate::CandidateOutcome outcome;
  int64_t status = 1;
  const auto began = std::chrono::steady_clock::now();
  const bool good = write_all(to_, &header, sizeof(header)) && send(call.inputs) && send(call.states) &&
                    send(outputs) && send(new_states) && read_all(from_, &status, sizeof(status)) && status == 0 &&
                    receive(outputs, TensorRole::kOutput, outcome.outputs) &&
                    receive(new_states, TensorRole::kState, outcome.states);
  outcome.elapsed_us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began).count();
  return good ? Result<evaluate::CandidateOutcome>(std::move(outcome)) : died();
}

}  // namespace

evaluate::StartCandidate bare_runner(evaluate::RunnerOptions options) {
  return [product = evaluate::program_runner_factory(std::move(options))](const evaluate::CandidateBinary& binary) {
    return binary.device == DeviceKind::kEmulated && !binary.python ? BareCandidate::start(binary.library)
                                                                   : product(binary);
  };
}

}  // namespace stitch::bench
