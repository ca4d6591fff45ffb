// SPDX-License-Identifier: Apache-2.0
#include "evaluate/processes/candidate_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/json/json.h"
#include "base/machine/available_memory.h"
#include "base/process/patience.h"
#include "base/text/printable.h"

namespace stitch::evaluate {
namespace {

constexpr size_t kMaxMessageLength = 2000;

}  // namespace

CandidateSession::CandidateSession(CandidateBinary binary, WorkerLimits limits, KeeperClient keeper)
    : binary_(std::move(binary)), limits_(limits), keeper_(std::move(keeper)) {}

Result<CandidateSession> CandidateSession::start(CandidateBinary binary, WorkerLimits limits) {
  std::error_code error;
  binary.library = std::filesystem::absolute(binary.library, error).string();  // the worker lies in another folder
  limits.library = binary.library;
  STITCH_ASSIGN(KeeperClient keeper, KeeperClient::start(binary.device));
  return CandidateSession(std::move(binary), limits, std::move(keeper));
}

// Much of a sentence is the candidate's own words.
Unexpected CandidateSession::fail(Ending ending, const std::string& said) {
  std::string message = printable_line(said, kMaxMessageLength);
  worker_.reset();
  fault_ = WorkerFault{ending, message};
  return failure(ErrorCode::kProgramInvalid, std::move(message));
}

Result<wire::Answer> CandidateSession::ask_with(const std::string& verb, const Json& arguments,
                                                std::vector<Descriptor> descriptors) {
  STITCH_CHECK(worker_.has_value()) << "no worker to ask for " << verb;
  Result<WorkerReply> answered = worker_->ask(verb, arguments, std::move(descriptors));
  if (!answered.has_value()) {
    return fail_unless_world_does(answered.error());
  }
  WorkerReply reply = std::move(*answered);
  if (WorkerFault* fault = std::get_if<WorkerFault>(&reply)) {
    const bool was_killed = fault->was_killed;
    Unexpected failed = fail(fault->ending, fault->message);
    fault_->was_killed = was_killed;
    return failed;
  }
  return std::get<wire::Answer>(std::move(reply));
}

// The worker says that the world failed; but a candidate is there, which may have made it say so, to have no verdict.
// The keeper, where none is, tries the device: only what fails for it too is the world's failure.
Unexpected CandidateSession::fail_unless_world_does(const Error& error) {
  const Result<void> tried = keeper_.try_device();
  if (!tried.has_value()) {
    return failure(with_context(error, tried.error().message));
  }
  return fail(Ending::kCrashed, fmt::format("{}, though the device is well", error.message));
}

std::optional<double> CandidateSession::processor_seconds() const {
  if (!worker_.has_value() || binary_.device == DeviceKind::kCuda) {
    return std::nullopt;
  }
  return stitch::processor_seconds(worker_->pid());
}

Result<wire::Answer> CandidateSession::ask(const std::string& verb, const Json& arguments) {
  return ask_with(verb, arguments, {});
}

Result<bool> CandidateSession::ensure_loaded() {
  if (worker_.has_value() && worker_->is_alive()) {
    return false;
  }
  STITCH_ASSIGN(WorkerProcess worker, WorkerProcess::start(binary_, limits_));
  worker_.emplace(std::move(worker));
  Json arguments;
  arguments["library"] = binary_.library;
  arguments["device"] = 0;
  if (binary_.python.has_value()) {
    STITCH_ASSIGN(arguments["interface"], parse_json(binary_.python->interface, "the interface of a candidate"));
    if (binary_.python->extensions.has_value()) {
      arguments["extensions"] = *binary_.python->extensions;
    }
  }
  STITCH_ASSIGN(const wire::Answer answer, ask("load", arguments));
  Result<wire::ProgramDescription> description = wire::program_description_from_json(answer.json());
  if (!description.has_value()) {
    return fail(Ending::kRefused, description.error().message);
  }
  description_ = std::move(*description);
  for (const auto& [id, block] : blocks_) {
    STITCH_TRY(attach(block));
  }
  return true;
}

Result<void> CandidateSession::unload() {
  if (worker_.has_value() && worker_->is_alive() && !binary_.python.has_value()) {
    STITCH_TRY(ask("destroy", Json::object()));
  }
  worker_.reset();
  return {};
}

Result<void> CandidateSession::attach(const KeeperClient::Block& block) {
  Json arguments;
  arguments["blocks"] = wire::to_json(std::vector<wire::BlockToken>{block.token});
  std::vector<Descriptor> memories;
  if (block.memory.is_open()) {
    memories.emplace_back(::fcntl(block.memory.get(), F_DUPFD_CLOEXEC, 3));
  }
  STITCH_TRY(ask_with("attach", arguments, std::move(memories)));
  return {};
}

TensorPlace CandidateSession::place_of(const wire::Region& region) const {
  const KeeperClient::Block& block = blocks_.at(region.block);
  const bool is_file = block.token.handle.empty();
  return {.handle = is_file ? fmt::format("/proc/{}/fd/{}", ::getpid(), block.memory.get()) : block.token.handle,
          .offset = region.offset};
}

uint64_t CandidateSession::memory_limit_bytes() const {
  return binary_.device == DeviceKind::kCuda ? keeper_.facts().memory_bytes : limits_.memory_bytes;
}

// A program that asked for more than the machine has would have the kernel end the keeper, or us: no verdict.
Result<void> CandidateSession::check_room(uint64_t room, AskedBy asked_by) {
  constexpr uint64_t kShareOfAvailable = 2;
  uint64_t limit_bytes = memory_limit_bytes();
  if (asked_by == AskedBy::kProgram && binary_.device != DeviceKind::kCuda) {
    limit_bytes = std::min(limit_bytes, available_memory_bytes() / kShareOfAvailable);
  }
  if (room <= limit_bytes) {
    return {};
  }
  if (asked_by == AskedBy::kProgram) {
    return fail(Ending::kRefused,
                fmt::format("the program wants {} bytes at once, more than there may be ({})", room, limit_bytes));
  }
  return failure(
      ErrorCode::kEnvironment,
      fmt::format("the task's own tensors take {} bytes at once, more than there may be ({})", room, limit_bytes), "",
      "use smaller sizes (--scale small)");
}

Result<void> CandidateSession::release(MemoryGroup& group) {
  if (group.block == 0) {
    return {};
  }
  Json arguments;
  arguments["ids"] = {group.block};
  STITCH_TRY(ask("detach", arguments));
  STITCH_TRY(keeper_.release(group.block));
  blocks_.erase(group.block);
  group = {};
  return {};
}

Result<void> CandidateSession::place(MemoryGroup& group, const std::vector<uint64_t>& sizes, uint64_t alignment,
                                     AskedBy asked_by) {
  if (group.block != 0 && group.sizes == sizes) {
    // These workers keep a copy of each place that they were shown.
    const bool keeps_copies = binary_.device == DeviceKind::kChecked || binary_.device == DeviceKind::kCounted;
    if (!keeps_copies && by_chance(2)) {
      lay_out(group, alignment, random_);
    }
    return {};
  }
  STITCH_TRY(release(group));
  const uint64_t room = room_for(sizes);
  STITCH_TRY(check_room(room, asked_by));
  STITCH_ASSIGN(KeeperClient::Block block, keeper_.allocate(room));
  group.block = block.token.id;
  group.sizes = sizes;
  lay_out(group, alignment, random_);
  const auto [kept, is_new] = blocks_.emplace(group.block, std::move(block));
  return attach(kept->second);
}

}  // namespace stitch::evaluate
