// SPDX-License-Identifier: Apache-2.0
#include "host/host_calls.h"

#include <cstring>
#include <utility>

namespace stitch {

namespace {

std::uint64_t element_bytes(std::int32_t dtype) {
  constexpr std::uint64_t kBytes[] = {4, 8, 2, 2, 8, 4, 2, 1, 1, 1};  // STITCH_FLOAT32 and so on
  return kBytes[dtype];
}

// The n-th tensor of a role.
const StitchTensorInfo* info_of(const StitchDescription& description, std::int32_t role, std::size_t place) {
  for (std::int32_t index = 0; index < description.tensor_count; ++index) {
    if (description.tensors[index].role == role && place-- == 0) {
      return &description.tensors[index];
    }
  }
  return nullptr;
}

std::uint64_t bytes_of(const StitchTensor& tensor, std::int32_t dtype) {
  std::uint64_t bytes = element_bytes(dtype);
  for (std::int32_t axis = 0; axis < tensor.rank; ++axis) {
    bytes *= static_cast<std::uint64_t>(tensor.extents[axis]);
  }
  return bytes;
}

}  // namespace

HostCalls::HostCalls(const StitchProgramV1* program, StitchHandle* handle, std::vector<StitchTensor> states)
    : program_(program), handle_(handle), states_(std::move(states)), graphs_(program, handle) {}

HostCalls::~HostCalls() {
  finish();
  graphs_.clear();
  for (Slot& slot : slots_) {
    release(slot.inputs, slot.device_inputs);
    release(slot.outputs, slot.device_outputs);
    for (cudaEvent_t event : {slot.copied_in, slot.computed, slot.copied_out}) {
      if (event != nullptr) {
        cudaEventDestroy(event);
      }
    }
  }
  cudaFree(workspace_);
  for (cudaStream_t stream : {copy_in_, compute_, copy_out_}) {
    if (stream != nullptr) {
      cudaStreamDestroy(stream);
    }
  }
}

int HostCalls::run_host(const std::vector<StitchTensor>& inputs, const std::vector<StitchTensor>& outputs) {
  error_.clear();
  Slot& slot = slots_[next_];
  int result = check(inputs, STITCH_INPUT);
  result = result == STITCH_OK ? check(outputs, STITCH_OUTPUT) : result;
  result = result == STITCH_OK ? open() : result;
  result = result == STITCH_OK ? collect(slot) : result;
  result = result == STITCH_OK ? fit(slot, inputs, STITCH_INPUT) : result;
  result = result == STITCH_OK ? fit(slot, outputs, STITCH_OUTPUT) : result;
  result = result == STITCH_OK ? fit_workspace(slot) : result;
  if (result != STITCH_OK) {
    return result;
  }
  for (const Staged& input : slot.inputs) {
    std::memcpy(input.pinned, input.host, input.bytes);  // the call before this one computes meanwhile
  }
  result = enqueue(slot);
  if (result != STITCH_OK) {
    cudaDeviceSynchronize();  // what was enqueued of the call reads this slot
    return result;
  }
  slot.under_way = true;
  next_ = 1 - next_;
  return STITCH_OK;
}

int HostCalls::finish() {
  const int older = collect(slots_[next_]);
  const int newer = collect(slots_[1 - next_]);
  return older != STITCH_OK ? older : newer;
}

int HostCalls::fail(int number, const std::string& sentence) {
  error_ = sentence;
  return number;
}

int HostCalls::failed_cuda(const char* what, cudaError_t error) {
  return fail(STITCH_CUDA_ERROR, std::string(what) + " failed: " + cudaGetErrorString(error) + ".");
}

// Counts and pointers; shapes are the program's own to check.
int HostCalls::check(const std::vector<StitchTensor>& tensors, std::int32_t role) {
  const StitchDescription& description = *program_->describe();
  const char* what = role == STITCH_INPUT ? "input" : "output";
  if (info_of(description, role, tensors.size()) != nullptr ||
      (!tensors.empty() && info_of(description, role, tensors.size() - 1) == nullptr)) {
    return fail(STITCH_INVALID_ARGUMENT, std::string("run_host() was given another number of ") + what +
                                             "s than the program has: " + std::to_string(tensors.size()) + ".");
  }
  for (std::size_t place = 0; place < tensors.size(); ++place) {
    const StitchTensorInfo& info = *info_of(description, role, place);
    if (tensors[place].rank != info.rank || (info.rank > 0 && tensors[place].extents == nullptr)) {
      return fail(STITCH_INVALID_SHAPE,
                  std::string(what) + " \"" + info.name + "\" has another rank than the program's.");
    }
    if (tensors[place].data == nullptr && bytes_of(tensors[place], info.dtype) > 0) {
      return fail(STITCH_INVALID_ARGUMENT, std::string(what) + " \"" + info.name + "\" has no data.");
    }
  }
  return STITCH_OK;
}

int HostCalls::open() {
  for (cudaStream_t* stream : {&copy_in_, &compute_, &copy_out_}) {
    const cudaError_t error =
        *stream == nullptr ? cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking) : cudaSuccess;
    if (error != cudaSuccess) {
      return failed_cuda("creating a stream", error);
    }
  }
  for (Slot& slot : slots_) {
    for (cudaEvent_t* event : {&slot.copied_in, &slot.computed, &slot.copied_out}) {
      const cudaError_t error =
          *event == nullptr ? cudaEventCreateWithFlags(event, cudaEventDisableTiming) : cudaSuccess;
      if (error != cudaSuccess) {
        return failed_cuda("creating an event", error);
      }
    }
  }
  return STITCH_OK;
}

void HostCalls::release(std::vector<Staged>& staged, std::vector<StitchTensor>& device) {
  for (const Staged& tensor : staged) {
    cudaFreeHost(tensor.pinned);
  }
  for (const StitchTensor& tensor : device) {
    cudaFree(tensor.data);
  }
  staged.clear();
  device.clear();
}

// Gives the slot pinned and device memory for tensors of these sizes: the first time, and when sizes change.
int HostCalls::fit(Slot& slot, const std::vector<StitchTensor>& tensors, std::int32_t role) {
  std::vector<Staged>& staged = role == STITCH_INPUT ? slot.inputs : slot.outputs;
  std::vector<StitchTensor>& device = role == STITCH_INPUT ? slot.device_inputs : slot.device_outputs;
  const StitchDescription& description = *program_->describe();
  bool same = staged.size() == tensors.size();
  std::uint64_t total = 0;
  for (std::size_t place = 0; place < tensors.size(); ++place) {
    const std::uint64_t bytes = bytes_of(tensors[place], info_of(description, role, place)->dtype);
    same = same && staged[place].bytes == bytes;
    total += bytes;
  }
  (role == STITCH_INPUT ? bytes_in_ : bytes_out_) = total;
  if (!same) {
    release(staged, device);
  }
  for (std::size_t place = 0; place < tensors.size(); ++place) {
    if (!same) {
      Staged fresh;
      fresh.bytes = bytes_of(tensors[place], info_of(description, role, place)->dtype);
      void* memory = nullptr;
      cudaError_t error = cudaMallocHost(&fresh.pinned, fresh.bytes);
      error = error == cudaSuccess ? cudaMalloc(&memory, fresh.bytes) : error;
      staged.push_back(fresh);
      device.push_back({memory, 0, 0, nullptr});
      if (error != cudaSuccess) {
        release(staged, device);
        return failed_cuda("allocating memory for a call", error);
      }
    }
    staged[place].host = tensors[place].data;
    device[place].rank = tensors[place].rank;
    device[place].extents = tensors[place].extents;
  }
  return STITCH_OK;
}

int HostCalls::fit_workspace(const Slot& slot) {
  const auto count = static_cast<std::int32_t>(slot.device_inputs.size());
  const std::uint64_t bytes = program_->workspace_bytes(handle_, slot.device_inputs.data(), count);
  if (bytes == UINT64_MAX) {
    return fail(STITCH_INVALID_SHAPE, program_->last_error(handle_));
  }
  if (bytes <= workspace_size_) {
    return STITCH_OK;
  }
  cudaStreamSynchronize(compute_);
  cudaFree(workspace_);
  workspace_ = nullptr;
  workspace_size_ = 0;
  const cudaError_t error = cudaMalloc(&workspace_, bytes);
  if (error != cudaSuccess) {
    return failed_cuda("allocating the workspace", error);
  }
  workspace_size_ = bytes;
  return STITCH_OK;
}

int HostCalls::enqueue(Slot& slot) {
  for (std::size_t place = 0; place < slot.inputs.size(); ++place) {
    const Staged& input = slot.inputs[place];
    const cudaError_t error =
        cudaMemcpyAsync(slot.device_inputs[place].data, input.pinned, input.bytes, cudaMemcpyHostToDevice, copy_in_);
    if (error != cudaSuccess) {
      return failed_cuda("copying an input", error);
    }
  }
  cudaEventRecord(slot.copied_in, copy_in_);
  cudaStreamWaitEvent(compute_, slot.copied_in, 0);
  StitchCall call{};
  call.struct_size = sizeof(call);
  call.abi_version = STITCH_ABI_VERSION;
  call.input_count = static_cast<std::int32_t>(slot.device_inputs.size());
  call.state_count = static_cast<std::int32_t>(states_.size());
  call.output_count = static_cast<std::int32_t>(slot.device_outputs.size());
  call.inputs = slot.device_inputs.data();
  call.states_in = call.states_out = states_.data();
  call.outputs = slot.device_outputs.data();
  call.workspace = workspace_;
  call.workspace_size = workspace_size_;
  call.stream = compute_;
  const int result = graphs_.run(call);
  if (result != STITCH_OK) {
    return fail(result, program_->last_error(handle_));
  }
  cudaEventRecord(slot.computed, compute_);
  cudaStreamWaitEvent(copy_out_, slot.computed, 0);
  for (std::size_t place = 0; place < slot.outputs.size(); ++place) {
    const Staged& output = slot.outputs[place];
    const cudaError_t error = cudaMemcpyAsync(output.pinned, slot.device_outputs[place].data, output.bytes,
                                              cudaMemcpyDeviceToHost, copy_out_);
    if (error != cudaSuccess) {
      return failed_cuda("copying an output", error);
    }
  }
  const cudaError_t error = cudaEventRecord(slot.copied_out, copy_out_);
  return error == cudaSuccess ? STITCH_OK : failed_cuda("recording an event", error);
}

// Waits for the slot's call and hands over its outputs.
int HostCalls::collect(Slot& slot) {
  if (!slot.under_way) {
    return STITCH_OK;
  }
  slot.under_way = false;
  const cudaError_t error = cudaEventSynchronize(slot.copied_out);
  if (error != cudaSuccess) {
    return failed_cuda("a call", error);
  }
  for (const Staged& output : slot.outputs) {
    std::memcpy(output.host, output.pinned, output.bytes);
  }
  return STITCH_OK;
}

}  // namespace stitch
