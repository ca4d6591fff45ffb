// SPDX-License-Identifier: Apache-2.0
#include "worker/replay/replay.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "device/buffer.h"
#include "device/facts.h"
#include "device/profiler_range.h"
#include "device/stream.h"
#include "worker/loader/candidate.h"
#include "worker/replay/sample_contents.h"

namespace stitch::worker {
namespace {

// Sizes that no program copies: a row's differs from a call's.
constexpr uint64_t kMarkOdd = 4096 + 80;
constexpr uint64_t kRowOdd = 4096 + 144;
constexpr uint64_t kLeastEvicted = uint64_t{1} << 20;

// Tensors of one role on the device, filled or not.
class Tensors {
 public:
  Result<void> add(const TensorSpec& spec, std::optional<uint64_t> seed) {
    const auto bytes = static_cast<uint64_t>(spec.type.bytes());
    STITCH_ASSIGN(device::Buffer buffer, device::Buffer::allocate(std::max<uint64_t>(bytes, 1)));
    if (seed.has_value() && bytes > 0) {
      const std::vector<std::byte> contents = sample_contents(spec, *seed);
      STITCH_TRY(device::copy_to_device(buffer.data(), contents.data(), bytes));
    }
    add_at(spec, buffer.data());
    buffers_.push_back(std::move(buffer));
    return {};
  }
  void add_at(const TensorSpec& spec, void* data) {
    extents_.push_back(spec.type.shape);
    tensors_.push_back({data, static_cast<int32_t>(spec.type.shape.size()), 0, nullptr});
  }
  // Valid until the next add.
  const std::vector<StitchTensor>& list() {
    for (size_t index = 0; index < tensors_.size(); ++index) {
      tensors_[index].extents = extents_[index].data();
    }
    return tensors_;
  }

 private:
  std::vector<device::Buffer> buffers_;
  std::vector<std::vector<int64_t>> extents_;
  std::vector<StitchTensor> tensors_;
};

struct Memory {
  Tensors inputs, parameters, states_in, states_out, outputs;
  std::optional<device::Buffer> prepared, workspace;
};

Result<void> fill(const wire::ProgramDescription& program, Memory& memory) {
  uint64_t seed = 1;
  for (const wire::TensorDescription& input : program.inputs) {
    if (!input.is_optional) {  // the optional ones are the last
      STITCH_TRY(memory.inputs.add(input.spec, seed++));
    }
  }
  for (const wire::TensorDescription& parameter : program.parameters) {
    STITCH_TRY(memory.parameters.add(parameter.spec, seed++));
  }
  for (const wire::TensorDescription& state : program.states_in) {
    STITCH_TRY(memory.states_in.add(state.spec, seed++));
  }
  const std::vector<StitchTensor>& old_states = memory.states_in.list();
  for (const wire::TensorDescription& state : program.states_out) {
    const bool replaces = state.alias_of >= 0 && state.alias_of < static_cast<int64_t>(old_states.size());
    if (replaces) {
      memory.states_out.add_at(state.spec, old_states[static_cast<size_t>(state.alias_of)].data);
    } else {
      STITCH_TRY(memory.states_out.add(state.spec, std::nullopt));
    }
  }
  for (const wire::TensorDescription& output : program.outputs) {
    STITCH_TRY(memory.outputs.add(output.spec, std::nullopt));
  }
  STITCH_ASSIGN(memory.prepared, device::Buffer::allocate(std::max<uint64_t>(program.prepared_bytes, 256)));
  return {};
}

class Replay {
 public:
  Replay(Candidate& candidate, Memory& memory, device::Stream& stream)
      : candidate_(candidate), memory_(memory), stream_(stream) {}

  Result<void> prepare() {
    const std::vector<StitchTensor>& parameters = memory_.parameters.list();
    const StitchParameters given{
        sizeof(StitchParameters), STITCH_ABI_VERSION,      static_cast<int32_t>(parameters.size()), 0,
        parameters.data(),        memory_.prepared->data()};
    STITCH_TRY(candidate_.prepare(given, stream_.get()));
    STITCH_ASSIGN(const uint64_t bytes, candidate_.workspace_bytes(memory_.inputs.list()));
    STITCH_ASSIGN(memory_.workspace, device::Buffer::allocate(std::max<uint64_t>(bytes, 256)));
    workspace_bytes_ = bytes;
    return device::wait_for_device();
  }

  Result<void> call() {
    const std::vector<StitchTensor>& inputs = memory_.inputs.list();
    const std::vector<StitchTensor>& old_states = memory_.states_in.list();
    const std::vector<StitchTensor>& outputs = memory_.outputs.list();
    StitchCall call{};
    call.struct_size = sizeof(StitchCall);
    call.abi_version = STITCH_ABI_VERSION;
    call.input_count = static_cast<int32_t>(inputs.size());
    call.state_count = static_cast<int32_t>(old_states.size());
    call.output_count = static_cast<int32_t>(outputs.size());
    call.inputs = inputs.data();
    call.states_in = old_states.data();
    call.states_out = memory_.states_out.list().data();
    call.outputs = outputs.data();
    call.workspace = memory_.workspace->data();
    call.workspace_size = workspace_bytes_;
    call.stream = stream_.get();
    return candidate_.run(call);
  }

 private:
  Candidate& candidate_;
  Memory& memory_;
  device::Stream& stream_;
  uint64_t workspace_bytes_ = 0;
};

// Half of the buffer onto the other half, in one copy of just `bytes`.
Result<void> mark(const device::Buffer& buffer, uint64_t bytes) {
  STITCH_TRY(device::copy_on_device(buffer.data() + buffer.bytes() / 2, buffer.data(), bytes));
  return device::wait_for_device();
}

Result<double> call_in_a_row(Replay& replay, int calls, const device::Buffer& buffer, uint64_t bytes) {
  STITCH_TRY(mark(buffer, bytes));
  const auto begin = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; ++call) {
    STITCH_TRY(replay.call());
  }
  STITCH_TRY(device::wait_for_device());
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  STITCH_TRY(mark(buffer, bytes));
  return took.count() / calls;
}

}  // namespace

Result<ReplayReport> replay(const ReplayRequest& request) {
  STITCH_ASSIGN(const device::Facts facts, device::open_device(0));
  STITCH_ASSIGN(Candidate candidate, Candidate::load(request.library));
  STITCH_ASSIGN(const wire::ProgramDescription program, candidate.describe());
  STITCH_TRY(candidate.create(0));
  Memory memory;
  STITCH_TRY(fill(program, memory));
  STITCH_ASSIGN(device::Stream stream, device::Stream::create());
  Replay replayed(candidate, memory, stream);
  STITCH_TRY(replayed.prepare());
  ReplayReport report;
  report.calls = request.calls;
  const uint64_t evicted = std::max(kLeastEvicted, 2 * facts.l2_bytes);
  report.mark_bytes = evicted + kMarkOdd;
  report.row_bytes = evicted + kRowOdd;
  STITCH_ASSIGN(const device::Buffer buffer, device::Buffer::allocate(2 * (report.row_bytes + 4096) / 512 * 512));
  for (int call = 0; call < 2; ++call) {
    STITCH_TRY(replayed.call());
  }
  STITCH_TRY(device::wait_for_device());
  STITCH_TRY(device::begin_profiling());
  for (int call = 0; call < request.calls; ++call) {
    STITCH_TRY(mark(buffer, report.mark_bytes));
    STITCH_TRY(replayed.call());
    STITCH_TRY(device::wait_for_device());
  }
  if (!request.alone) {
    STITCH_ASSIGN(report.row_us, call_in_a_row(replayed, request.calls, buffer, report.row_bytes));
  }
  STITCH_TRY(device::end_profiling());
  return report;
}

}  // namespace stitch::worker
