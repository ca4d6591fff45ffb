// SPDX-License-Identifier: Apache-2.0
// One keeper, one worker and the blocks of memory between them. A candidate's fault travels as an Error like any other
// and is remembered: code that reports an Error calls take_fault() first.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "evaluate/processes/keeper_client.h"
#include "evaluate/processes/memory_group.h"
#include "evaluate/processes/worker_process.h"
#include "wire/messages/program_description.h"

namespace stitch::evaluate {

// Who determines the size of a group of memory. A program that asks for too much is at fault; a task whose own tensors
// are too large is an Error.
enum class AskedBy { kTask, kProgram };

class CandidateSession {
 public:
  static Result<CandidateSession> start(CandidateBinary binary, WorkerLimits limits);

  KeeperClient& keeper() { return keeper_; }
  // How the program describes itself; there once it has been loaded.
  const std::optional<wire::ProgramDescription>& description() const { return description_; }
  // Returns true when this call started a new worker: what the last one had prepared is lost.
  Result<bool> ensure_loaded();
  // Makes the program release what it holds, and ends its worker. A program in Python has nothing to release.
  Result<void> unload();

  // Where the worker's list of launches is to go; null where nobody wants it.
  LaunchLedger* launches() const { return binary_.launches.get(); }
  // Whether its worker can tell if calls are ordered on their stream.
  bool looks_at_order() const { return binary_.device == DeviceKind::kCuda && !binary_.python.has_value(); }
  // What the worker has had of processors, in seconds; nothing where there is none, or a GPU computes.
  std::optional<double> processor_seconds() const;
  // Sends the worker one request and returns its answer.
  Result<wire::Answer> ask(const std::string& verb, const Json& arguments);
  // Gives `group` memory for these sizes, visible to keeper and worker; keeps the block when they did not change. Its
  // tensors are then laid out anew by chance, about every second time.
  Result<void> place(MemoryGroup& group, const std::vector<uint64_t>& sizes, uint64_t alignment, AskedBy asked_by);
  // Takes the memory back from worker and keeper.
  Result<void> release(MemoryGroup& group);
  // How a process that the keeper trusts as much as us finds the region.
  TensorPlace place_of(const wire::Region& region) const;
  uint64_t memory_limit_bytes() const;
  std::mt19937_64& random() { return random_; }
  // Returns true once in `count` calls on average, by chance that the program cannot predict.
  bool by_chance(unsigned count) { return random_() % count == 0; }

  // Ends the worker, and records a fault that was found on this side.
  Unexpected fail(Ending ending, const std::string& said);
  std::optional<WorkerFault> take_fault() { return std::exchange(fault_, std::nullopt); }

 private:
  CandidateSession(CandidateBinary binary, WorkerLimits limits, KeeperClient keeper);
  Result<wire::Answer> ask_with(const std::string& verb, const Json& arguments, std::vector<Descriptor> descriptors);
  Unexpected fail_unless_world_does(const Error& error);
  Result<void> attach(const KeeperClient::Block& block);
  Result<void> check_room(uint64_t room, AskedBy asked_by);

  CandidateBinary binary_;
  WorkerLimits limits_;
  KeeperClient keeper_;
  std::optional<WorkerProcess> worker_;
  std::optional<wire::ProgramDescription> description_;
  std::map<uint64_t, KeeperClient::Block> blocks_;
  std::optional<WorkerFault> fault_;
  std::mt19937_64 random_{std::random_device{}()};
};

}  // namespace stitch::evaluate
