// SPDX-License-Identifier: Apache-2.0
// The C ABI of stitch_program.h over a program's tables: checks, addresses, and the steps one after another.
#include <new>

#include "host/arena.h"
#include "host/arguments.h"
#include "host/program_tables.h"
#include "host/side_streams.h"
#include "host/step_range.h"
#include "host/workspace_guard.h"

struct StitchHandle {
  int device = 0;
  bool prepared = false;
  void** parameters = nullptr;  // parameters, then constants, as of the last prepare()
  void* prepared_memory = nullptr;
  void** buffers = nullptr;    // the address of every buffer of the tables, during a call
  void** operands = nullptr;   // those of one step
  int64_t* extents = nullptr;  // likewise
  stitch::Arena arena;         // as the last call's batch had it
  stitch::SideStreams streams;
  StepLibraries libraries{};
  stitch::ErrorText error;
};

namespace stitch {

namespace {

const ProgramTables& tables() { return stitch_program_tables; }

// Makes the handle's device current for one call, as the caller may have another one current.
class DeviceScope {
 public:
  explicit DeviceScope(int device) : device_(device) {
    ok_ = cudaGetDevice(&previous_) == cudaSuccess && (previous_ == device_ || cudaSetDevice(device_) == cudaSuccess);
  }
  ~DeviceScope() {
    if (ok_ && previous_ != device_) {
      cudaSetDevice(previous_);
    }
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  bool ok() const { return ok_; }

 private:
  int device_;
  int previous_ = 0;
  bool ok_ = false;
};

// The most operands, or extents, that a step has; at least 1.
int32_t largest_count(int32_t StepTable::*count_of) {
  int32_t largest = 1;
  for (int32_t step = 0; step < tables().step_count; ++step) {
    const int32_t count = tables().steps[step].*count_of;
    largest = count > largest ? count : largest;
  }
  return largest;
}

void* offset_into(void* memory, uint64_t bytes) { return static_cast<char*>(memory) + bytes; }

void* tensor_data(const StitchTensor* tensors, int32_t index) {
  return tensors == nullptr ? nullptr : tensors[index].data;
}

// `call` is null in prepare(), whose steps touch parameters and prepared memory only.
void* buffer_address(const StitchHandle& handle, int32_t index, const StitchCall* call) {
  const BufferTable& buffer = tables().buffers[index];
  if (buffer.whole >= 0) {
    void* whole = buffer_address(handle, buffer.whole, call);
    return whole == nullptr ? nullptr : offset_into(whole, buffer.start.at(handle.arena.batch()));
  }
  if (buffer.kind == BufferKind::kParameter) {
    return handle.parameters[buffer.index];
  }
  if (buffer.kind == BufferKind::kPrepared) {
    return offset_into(handle.prepared_memory, buffer.offset);
  }
  if (call == nullptr) {
    return nullptr;
  }
  switch (buffer.kind) {
    case BufferKind::kInput:
      return buffer.index < call->input_count ? tensor_data(call->inputs, buffer.index) : nullptr;
    case BufferKind::kStateIn:
      return tensor_data(call->states_in, buffer.index);
    case BufferKind::kStateOut:
      return tensor_data(call->states_out, buffer.index);
    case BufferKind::kOutput:
      return tensor_data(call->outputs, buffer.index);
    default:
      return offset_into(call->workspace, handle.arena.buffer_offset(index));
  }
}

// One call of a step.
struct StepCall {
  int32_t index;
  bool prepares;    // in prepare()
  bool fills_kept;  // StepArgs::fills_kept
};

// What it may touch of the memory that the program manages.
void fence(WorkspaceGuard& guard, const StitchHandle& handle, const StepCall& call, uint64_t scratch_offset) {
  const StepTable& step = tables().steps[call.index];
  const bool prepares = call.prepares;
  guard.close();
  for (int32_t operand = 0; operand < step.buffer_count; ++operand) {
    const int32_t own = step.buffers[operand];
    const int32_t index = tables().buffers[own].whole < 0 ? own : tables().buffers[own].whole;
    const BufferTable& buffer = tables().buffers[index];
    if (buffer.kind == (prepares ? BufferKind::kPrepared : BufferKind::kArena)) {
      guard.open(prepares ? buffer.offset : handle.arena.buffer_offset(index), buffer.bytes.at(handle.arena.batch()));
    }
  }
  if (!call.fills_kept) {
    guard.open(scratch_offset, step.scratch.at(handle.arena.batch()));
  }
  guard.open(step.kept_offset, prepares ? step.kept_bytes : 0);
}

// The step's extents at the batch of the call.
const int64_t* extents_of(const StitchHandle& handle, const StepTable& step) {
  for (int32_t index = 0; index < step.extent_count; ++index) {
    handle.extents[index] = static_cast<int64_t>(step.extents[index].at(handle.arena.batch()));
  }
  return handle.extents;
}

int call_step(StitchHandle* handle, const StepCall& step_call, const StitchCall* call, void* scratch,
              WorkspaceGuard& guard, cudaStream_t stream) {
  const StepTable& step = tables().steps[step_call.index];
  const uint64_t scratch_offset =
      step_call.prepares ? step.scratch_offset : handle->arena.scratch_offset(step_call.index);
  fence(guard, *handle, step_call, scratch_offset);
  for (int32_t operand = 0; operand < step.buffer_count; ++operand) {
    handle->operands[operand] = handle->buffers[step.buffers[operand]];
  }
  const StepArgs arguments{handle->operands,
                           extents_of(*handle, step),
                           step_call.fills_kept ? nullptr : offset_into(scratch, scratch_offset),
                           step_call.fills_kept ? 0 : step.scratch.at(handle->arena.batch()),
                           call == nullptr ? 0 : call->rng_seed,
                           call == nullptr ? 0 : call->rng_offset,
                           &handle->libraries,
                           step.kept_bytes == 0 ? nullptr : offset_into(handle->prepared_memory, step.kept_offset),
                           step_call.fills_kept};
  const StepRange range(step_call.index, step.name);
  const int error = step.function(&arguments, stream);
  if (error != cudaSuccess) {
    handle->error.set("Step %d (%s) failed to start: %s.", step_call.index, step.name,
                      cudaGetErrorString(static_cast<cudaError_t>(error)));
    return STITCH_CUDA_ERROR;
  }
  return STITCH_OK;
}

int ordered(StitchHandle* handle, cudaError_t error) {
  if (error != cudaSuccess) {
    handle->error.set("Streams cannot be ordered: %s.", cudaGetErrorString(error));
    return STITCH_CUDA_ERROR;
  }
  return STITCH_OK;
}

void find_buffers(StitchHandle* handle, const StitchCall* call) {
  for (int32_t index = 0; index < tables().buffer_count; ++index) {
    handle->buffers[index] = buffer_address(*handle, index, call);
  }
}

// Enqueues the steps of prepare(), and what those of run() keep.
int enqueue_prepare(StitchHandle* handle, cudaStream_t stream) {
  find_buffers(handle, nullptr);
  void* scratch = handle->prepared_memory;
  WorkspaceGuard guard(scratch, tables().description.prepared_bytes);
  int result = STITCH_OK;
  for (int32_t index = 0; result == STITCH_OK && index < tables().step_count; ++index) {
    const StepTable& step = tables().steps[index];
    if (step.kept_bytes > 0) {
      result = call_step(handle, {index, true, true}, nullptr, scratch, guard, stream);
    }
    if (result == STITCH_OK && step.phase == StepPhase::kPrepare) {
      result = call_step(handle, {index, true, false}, nullptr, scratch, guard, stream);
    }
  }
  return result;
}

int enqueue_run_step(StitchHandle* handle, int32_t index, const StitchCall& call, WorkspaceGuard& guard) {
  const StepTable& step = tables().steps[index];
  int result = ordered(handle, handle->streams.wait(step));
  if (result == STITCH_OK) {
    result = call_step(handle, {index, false, false}, &call, call.workspace, guard, handle->streams.of(step));
  }
  return result == STITCH_OK ? ordered(handle, handle->streams.tell(index)) : result;
}

int enqueue_run(StitchHandle* handle, const StitchCall& call) {
  find_buffers(handle, &call);
  WorkspaceGuard guard(call.workspace, handle->arena.bytes());
  int result = ordered(handle, handle->streams.begin(static_cast<cudaStream_t>(call.stream)));
  for (int32_t index = 0; result == STITCH_OK && index < tables().step_count; ++index) {
    if (tables().steps[index].phase == StepPhase::kRun) {
      result = enqueue_run_step(handle, index, call, guard);
    }
  }
  return result == STITCH_OK ? ordered(handle, handle->streams.join()) : result;
}

const StitchDescription* describe() { return &tables().description; }

void destroy(StitchHandle* handle) {
  if (handle == nullptr) {
    return;
  }
  for (const LibrarySlot& slot : {handle->libraries.cublaslt, handle->libraries.cudnn, handle->libraries.cudnn_rnn}) {
    if (slot.destroy != nullptr) {
      slot.destroy(slot.state);
    }
  }
  delete[] handle->parameters;
  delete[] handle->buffers;
  delete[] handle->operands;
  delete[] handle->extents;
  delete handle;
}

// Programs of one stream ask the device for nothing here.
bool make_streams(StitchHandle* handle) {
  if (tables().side_stream_count == 0) {
    return handle->streams.create(tables());
  }
  const DeviceScope device(handle->device);
  return device.ok() && handle->streams.create(tables());
}

int create(int device, StitchHandle** handle) {
  if (handle == nullptr) {
    return STITCH_INVALID_ARGUMENT;
  }
  *handle = nullptr;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || device < 0 || device >= devices) {
    return STITCH_CUDA_ERROR;
  }
  auto* made = new (std::nothrow) StitchHandle;
  if (made == nullptr) {
    return STITCH_INVALID_ARGUMENT;
  }
  made->device = device;
  made->parameters = new (std::nothrow) void*[parameters_of(tables().description).count + 1]();
  made->buffers = new (std::nothrow) void*[tables().buffer_count + 1]();
  made->operands = new (std::nothrow) void*[largest_count(&StepTable::buffer_count)]();
  made->extents = new (std::nothrow) int64_t[largest_count(&StepTable::extent_count)]();
  if (made->parameters == nullptr || made->buffers == nullptr || made->operands == nullptr ||
      made->extents == nullptr || !made->arena.allocate(tables())) {
    destroy(made);
    return STITCH_INVALID_ARGUMENT;
  }
  if (!make_streams(made)) {
    destroy(made);
    return STITCH_CUDA_ERROR;
  }
  if (tables().batch_axis_count == 0) {
    made->arena.lay_out(0);
  }
  *handle = made;
  return STITCH_OK;
}

int check_prepare(StitchHandle* handle, const StitchParameters* parameters) {
  int result = check_version("StitchParameters", parameters->struct_size, sizeof(StitchParameters),
                             parameters->abi_version, &handle->error);
  if (result == STITCH_OK) {
    result = check_tensors("parameter", parameters_of(tables().description), parameters->tensors, parameters->count,
                           &handle->error);
  }
  constexpr uintptr_t kAlignment = 256;
  const uint64_t bytes = tables().description.prepared_bytes;
  const auto memory = reinterpret_cast<uintptr_t>(parameters->prepared_memory);
  if (result == STITCH_OK && bytes > 0 && (memory == 0 || memory % kAlignment != 0)) {
    handle->error.set("prepare() needs %llu bytes of device memory, aligned to 256 bytes, as prepared_memory.",
                      static_cast<unsigned long long>(bytes));
    return STITCH_INVALID_ARGUMENT;
  }
  return result;
}

int prepare(StitchHandle* handle, const StitchParameters* parameters, void* stream) {
  if (handle == nullptr || parameters == nullptr) {
    return STITCH_INVALID_ARGUMENT;
  }
  handle->error.clear();
  handle->prepared = false;
  const int result = check_prepare(handle, parameters);
  if (result != STITCH_OK) {
    return result;
  }
  for (int32_t index = 0; index < parameters->count; ++index) {
    handle->parameters[index] = parameters->tensors[index].data;
  }
  handle->prepared_memory = parameters->prepared_memory;
  const DeviceScope device(handle->device);
  if (!device.ok()) {
    handle->error.set("Device %d cannot be made current.", handle->device);
    return STITCH_CUDA_ERROR;
  }
  const int enqueued = enqueue_prepare(handle, static_cast<cudaStream_t>(stream));
  handle->prepared = enqueued == STITCH_OK;
  return enqueued;
}

// Lays the workspace out for the batch that the first of the batch axes shows. Extents have been checked.
int adopt_batch(StitchHandle* handle, const StitchTensor* inputs, int32_t count) {
  int64_t batch = 0;
  const int result = check_batch(tables(), STITCH_INPUT, inputs, inputs, count, &batch, &handle->error);
  if (result == STITCH_OK && batch != handle->arena.batch()) {
    handle->arena.lay_out(batch);
  }
  return result;
}

uint64_t workspace_bytes(StitchHandle* handle, const StitchTensor* inputs, int32_t input_count) {
  if (handle == nullptr) {
    return UINT64_MAX;
  }
  handle->error.clear();
  int result = check_extents("input", inputs_of(tables().description), inputs, input_count, &handle->error);
  if (result == STITCH_OK) {
    result = adopt_batch(handle, inputs, input_count);
  }
  return result == STITCH_OK ? handle->arena.bytes() : UINT64_MAX;
}

int check_memory(StitchHandle* handle, const StitchCall& call) {
  constexpr uintptr_t kAlignment = 256;
  const uint64_t needed = handle->arena.bytes();
  if (needed > 0 && (call.workspace == nullptr || call.workspace_size < needed ||
                     reinterpret_cast<uintptr_t>(call.workspace) % kAlignment != 0)) {
    handle->error.set("run() needs a workspace of %llu bytes, aligned to 256 bytes, and got %llu at %p.",
                      static_cast<unsigned long long>(needed), static_cast<unsigned long long>(call.workspace_size),
                      call.workspace);
    return STITCH_INVALID_ARGUMENT;
  }
  if (!handle->prepared) {
    handle->error.set("run() was called before a successful prepare().");
    return STITCH_NOT_PREPARED;
  }
  return STITCH_OK;
}

int check_call(StitchHandle* handle, const StitchCall& call) {
  const StitchDescription& description = tables().description;
  ErrorText* error = &handle->error;
  int result = check_version("StitchCall", call.struct_size, sizeof(StitchCall), call.abi_version, error);
  if (result == STITCH_OK) {
    result = check_tensors("input", inputs_of(description), call.inputs, call.input_count, error);
  }
  if (result == STITCH_OK) {
    result = adopt_batch(handle, call.inputs, call.input_count);
  }
  if (result == STITCH_OK) {
    result = check_tensors("state", states_in_of(description), call.states_in, call.state_count, error);
  }
  if (result == STITCH_OK && states_out_of(description).count > 0) {
    const RoleTensors states = states_out_of(description);
    result = check_tensors("new state", states, call.states_out, states.count, error);
  }
  if (result == STITCH_OK) {
    result = check_tensors("output", outputs_of(description), call.outputs, call.output_count, error);
  }
  if (result == STITCH_OK) {
    int64_t batch = 0;
    result = check_batch(tables(), STITCH_OUTPUT, call.inputs, call.outputs, call.output_count, &batch, error);
  }
  return result == STITCH_OK ? check_memory(handle, call) : result;
}

int run(StitchHandle* handle, const StitchCall* call) {
  if (handle == nullptr || call == nullptr) {
    return STITCH_INVALID_ARGUMENT;
  }
  handle->error.clear();
  const int result = check_call(handle, *call);
  if (result != STITCH_OK) {
    return result;
  }
  const DeviceScope device(handle->device);
  if (!device.ok()) {
    handle->error.set("Device %d cannot be made current.", handle->device);
    return STITCH_CUDA_ERROR;
  }
  return enqueue_run(handle, *call);
}

const char* last_error(const StitchHandle* handle) { return handle == nullptr ? "" : handle->error.text(); }

}  // namespace

}  // namespace stitch

extern "C" __attribute__((visibility("default"))) const StitchProgramV1* stitch_program_v1(void) {
  static const StitchProgramV1 program{
      sizeof(StitchProgramV1), STITCH_ABI_VERSION, stitch::describe, stitch::create,     stitch::prepare,
      stitch::workspace_bytes, stitch::run,        stitch::destroy,  stitch::last_error,
  };
  return &program;
}
