// SPDX-License-Identifier: Apache-2.0
// bare-worker LIBRARY: loads it and runs what standard input says, in memory of its own that nobody looks after.
#include <cstdlib>
#include <vector>

#include "device/facts.h"
#include "device/schedule.h"
#include "device/stream.h"
#include "frames.h"
#include "worker/loader/candidate.h"

namespace stitch::bench {
namespace {

// Reused from call to call, as a harness would.
struct Tensors {
  std::vector<TensorFrame> frames;
  std::vector<std::vector<std::byte>> memory;
  std::vector<StitchTensor> list;
};

// Aligned as an allocator of device memory would.
constexpr size_t kAlignment = 512;

std::byte* aligned(std::vector<std::byte>& memory) {
  const auto address = reinterpret_cast<uintptr_t>(memory.data());
  return memory.data() + (kAlignment - address % kAlignment) % kAlignment;
}

bool read_tensors(int64_t count, bool with_bytes, Tensors& tensors) {
  const size_t n = static_cast<size_t>(count);
  tensors.frames.resize(n);
  tensors.memory.resize(n);
  tensors.list.resize(n);
  for (size_t i = 0; i < n; ++i) {
    TensorFrame& frame = tensors.frames[i];
    if (!read_all(STDIN_FILENO, &frame, sizeof(frame))) {
      return false;
    }
    const auto bytes = static_cast<size_t>(frame.bytes);
    tensors.memory[i].resize(bytes + kAlignment);
    if (with_bytes && !read_all(STDIN_FILENO, aligned(tensors.memory[i]), bytes)) {
      return false;
    }
    tensors.list[i].data = aligned(tensors.memory[i]);
    tensors.list[i].rank = static_cast<int32_t>(frame.rank);
    tensors.list[i].extents = frame.extents;
  }
  return true;
}

struct Loaded {
  worker::Candidate candidate;
  device::Stream stream;
  std::vector<std::byte> prepared;
  std::vector<std::byte> workspace;
  Tensors parameters, inputs, states_in, outputs, states_out;
};

bool prepare(Loaded& loaded) {
  StitchParameters parameters{};
  parameters.struct_size = sizeof(parameters);
  parameters.abi_version = STITCH_ABI_VERSION;
  parameters.count = static_cast<int32_t>(loaded.parameters.list.size());
  parameters.tensors = loaded.parameters.list.data();
  parameters.prepared_memory = aligned(loaded.prepared);
  return loaded.candidate.prepare(parameters, loaded.stream.get()).has_value() &&
         device::wait_for_device().has_value();
}

bool run(Loaded& loaded, const Header& header) {
  const Result<uint64_t> workspace_bytes = loaded.candidate.workspace_bytes(loaded.inputs.list);
  if (!workspace_bytes.has_value()) {
    return false;
  }
  loaded.workspace.resize(*workspace_bytes + kAlignment);
  StitchCall call{};
  call.struct_size = sizeof(call);
  call.abi_version = STITCH_ABI_VERSION;
  call.input_count = static_cast<int32_t>(loaded.inputs.list.size());
  call.state_count = static_cast<int32_t>(loaded.states_in.list.size());
  call.output_count = static_cast<int32_t>(loaded.outputs.list.size());
  call.inputs = loaded.inputs.list.data();
  call.states_in = loaded.states_in.list.data();
  call.states_out = loaded.states_out.list.data();
  call.outputs = loaded.outputs.list.data();
  call.workspace = aligned(loaded.workspace);
  call.workspace_size = *workspace_bytes;
  call.stream = loaded.stream.get();
  call.rng_seed = header.rng_seed;
  device::set_schedule_seed(header.schedule_seed);
  return loaded.candidate.run(call).has_value() && device::wait_for_device().has_value();
}

bool send(const Tensors& tensors) {
  for (size_t i = 0; i < tensors.list.size(); ++i) {
    if (!write_all(STDOUT_FILENO, tensors.list[i].data, static_cast<size_t>(tensors.frames[i].bytes))) {
      return false;
    }
  }
  return true;
}

bool answer(bool good) {
  const int64_t status = good ? 0 : 1;
  return write_all(STDOUT_FILENO, &status, sizeof(status)) && good;
}

bool serve(Loaded& loaded, const Header& header) {
  if (header.verb == Verb::kPrepare) {
    return read_tensors(header.counts[0], true, loaded.parameters) && answer(prepare(loaded));
  }
  return read_tensors(header.counts[0], true, loaded.inputs) &&
         read_tensors(header.counts[1], true, loaded.states_in) &&
         read_tensors(header.counts[2], false, loaded.outputs) &&
         read_tensors(header.counts[3], false, loaded.states_out) && answer(run(loaded, header)) &&
         send(loaded.outputs) && send(loaded.states_out);
}

int serve_all(const char* library) {
  const Result<device::Facts> facts = device::open_device(0);
  Result<device::Stream> stream = device::Stream::create();
  Result<worker::Candidate> candidate = worker::Candidate::load(library);
  if (!facts.has_value() || !stream.has_value() || !candidate.has_value() || !candidate->create(0).has_value()) {
    return 1;
  }
  const Result<wire::ProgramDescription> description = candidate->describe();
  if (!description.has_value()) {
    return 1;
  }
  Loaded loaded{std::move(*candidate), std::move(*stream), {}, {}, {}, {}, {}, {}, {}};
  loaded.prepared.resize(description->prepared_bytes + kAlignment);
  Header header{};
  while (read_all(STDIN_FILENO, &header, sizeof(header))) {
    if (!serve(loaded, header)) {
      return 1;
    }
  }
  return 0;
}

}  // namespace
}  // namespace stitch::bench

int main(int argc, char** argv) { return argc == 2 ? stitch::bench::serve_all(argv[1]) : 2; }
