// SPDX-License-Identifier: Apache-2.0
// A generated program as a PyTorch extension: tensors in, tensors out. All computing is the program's own; of PyTorch
// only memory, streams and version counters are used.
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/extension.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/graph_cache.h"
#include "stitch_program.h"

namespace {

constexpr std::int64_t kAlignment = 256;
constexpr std::uint64_t kTensorAlignment = 16;

at::ScalarType scalar_type(int dtype) {
  constexpr at::ScalarType kTypes[] = {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kLong,
                                       at::kInt,   at::kShort,  at::kChar, at::kByte,     at::kBool};
  return kTypes[dtype];
}

// Memory with the alignment that the program asks for. Its first byte is at aligned().
struct Bytes {
  at::Tensor memory;
  void* aligned() const {
    const auto start = reinterpret_cast<std::uintptr_t>(memory.data_ptr());
    return reinterpret_cast<void*>((start + kAlignment - 1) / kAlignment * kAlignment);
  }
};

Bytes allocate(std::uint64_t bytes, const at::Device& device) {
  const auto size = static_cast<std::int64_t>(bytes) + kAlignment;
  return {at::empty({size}, at::TensorOptions().dtype(at::kByte).device(device))};
}

// The tensors of one role as the C ABI wants them; copies where one is strided or misaligned.
struct Arguments {
  std::vector<at::Tensor> tensors;
  std::vector<StitchTensor> views;

  void add(const at::Tensor& given) {
    at::Tensor tensor = given.contiguous();
    if (reinterpret_cast<std::uintptr_t>(tensor.data_ptr()) % kTensorAlignment != 0) {
      tensor = tensor.clone();
    }
    tensors.push_back(tensor);
    views.push_back({tensor.data_ptr(), static_cast<std::int32_t>(tensor.dim()), 0, tensor.sizes().data()});
  }
};

using Infos = std::vector<const StitchTensorInfo*>;

void check_type(const StitchTensorInfo& info, const at::Tensor& tensor, const at::Device& device) {
  TORCH_CHECK(tensor.scalar_type() == scalar_type(info.dtype), "tensor \"", info.name, "\" has to be of type ",
              scalar_type(info.dtype), "; it is of type ", tensor.scalar_type(), ".");
  TORCH_CHECK(tensor.device() == device, "tensor \"", info.name, "\" has to be on ", device, "; it is on ",
              tensor.device(), ".");
}

class Program {
 public:
  Program() : program_(stitch_program_v1()) {
    const StitchDescription& description = *program_->describe();
    for (int index = 0; index < description.tensor_count; ++index) {
      const StitchTensorInfo& info = description.tensors[index];
      if (info.role == STITCH_STATE && info.alias_of >= 0) {
        continue;  // its new value goes where the old one was
      }
      const int role = info.role == STITCH_CONSTANT ? STITCH_PARAMETER : info.role;
      infos_[role].push_back(&info);
    }
  }

  ~Program() {
    graphs_.reset();
    program_->destroy(handle_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::vector<std::string> parameter_names() const { return names(STITCH_PARAMETER); }
  std::vector<std::string> state_names() const { return names(STITCH_STATE); }

  // The module's own tensors, in the order of the names. Whatever is written to them later is seen.
  void bind(std::vector<at::Tensor> parameters, std::vector<at::Tensor> states) {
    parameters_ = std::move(parameters);
    states_ = std::move(states);
    is_prepared_ = false;
  }

  std::vector<at::Tensor> forward(const std::vector<at::Tensor>& inputs) {
    const Infos& expected = infos_[STITCH_INPUT];
    TORCH_CHECK(inputs.size() == expected.size(), "the program takes ", expected.size(), " tensors; it was given ",
                inputs.size(), ".");
    const at::Device device = parameters_.empty() ? inputs.at(0).device() : parameters_[0].device();
    const c10::cuda::CUDAGuard guard(device);
    const c10::cuda::CUDAStream stream = c10::cuda::getCurrentCUDAStream();
    create(device, guard.current_device().index());
    prepare(device, stream);
    Arguments in;
    for (std::size_t index = 0; index < inputs.size(); ++index) {
      check_type(*expected[index], inputs[index], device);
      in.add(inputs[index]);
    }
    return run(in, device, stream);
  }

 private:
  std::vector<std::string> names(int role) const {
    std::vector<std::string> found;
    for (const StitchTensorInfo* info : infos_[role]) {
      found.emplace_back(info->name);
    }
    return found;
  }

  void check(int status) const {
    const char* sentence = handle_ == nullptr ? "the program cannot be created" : program_->last_error(handle_);
    TORCH_CHECK(status == STITCH_OK, sentence);
  }

  void create(const at::Device& device, int index) {
    if (handle_ == nullptr || device != device_) {
      graphs_.reset();
      program_->destroy(handle_);
      handle_ = nullptr;
      device_ = device;
      check(program_->create(index, &handle_));
      graphs_ = std::make_unique<stitch::GraphCache>(program_, handle_);
      prepared_ = allocate(program_->describe()->prepared_bytes, device);
      workspaces_.clear();
      is_prepared_ = false;
    }
  }

  // Where every parameter lies, and how often it has been written to.
  std::vector<std::uint64_t> parameters_now() const {
    std::vector<std::uint64_t> now;
    now.reserve(2 * parameters_.size());
    for (const at::Tensor& tensor : parameters_) {
      now.push_back(reinterpret_cast<std::uint64_t>(tensor.data_ptr()));
      now.push_back(tensor.is_inference() ? ++uncounted_ : tensor._version());
    }
    return now;
  }

  void prepare(const at::Device& device, const c10::cuda::CUDAStream& stream) {
    std::vector<std::uint64_t> now = parameters_now();
    if (is_prepared_ && now == seen_) {
      return;
    }
    Arguments given;
    for (std::size_t index = 0; index < parameters_.size(); ++index) {
      check_type(*infos_[STITCH_PARAMETER][index], parameters_[index], device);
      given.add(parameters_[index]);
    }
    StitchParameters parameters{};
    parameters.struct_size = sizeof(parameters);
    parameters.abi_version = STITCH_ABI_VERSION;
    parameters.count = static_cast<std::int32_t>(given.views.size());
    parameters.tensors = given.views.data();
    parameters.prepared_memory = prepared_.aligned();
    graphs_->clear();
    check(program_->prepare(handle_, &parameters, stream.stream()));
    kept_ = given.tensors;
    seen_ = std::move(now);
    is_prepared_ = true;
  }

  // The extents of an output: those that follow the batch grow with it from the least to the greatest.
  std::vector<std::int64_t> output_shape(const StitchTensorInfo& info, const Arguments& in) const {
    std::vector<std::int64_t> shape(info.extents, info.extents + info.rank);
    for (std::size_t index = 0; index < in.tensors.size(); ++index) {
      const StitchTensorInfo& input = *infos_[STITCH_INPUT][index];
      for (int axis = 0; axis < input.rank; ++axis) {
        if (input.min_extents[axis] == input.max_extents[axis]) {
          continue;
        }
        const std::int64_t above = in.tensors[index].size(axis) - input.min_extents[axis];
        const std::int64_t range = input.max_extents[axis] - input.min_extents[axis];
        for (int own = 0; own < info.rank; ++own) {
          const std::int64_t growth = (info.max_extents[own] - info.min_extents[own]) / range;
          shape[static_cast<std::size_t>(own)] = info.min_extents[own] + growth * above;
        }
        return shape;
      }
    }
    return shape;
  }

  std::vector<at::Tensor> run(const Arguments& in, const at::Device& device, const c10::cuda::CUDAStream& stream) {
    Arguments states;
    for (std::size_t index = 0; index < states_.size(); ++index) {
      check_type(*infos_[STITCH_STATE][index], states_[index], device);
      states.add(states_[index]);
    }
    const auto count = static_cast<std::int32_t>(in.views.size());
    const std::uint64_t bytes = program_->workspace_bytes(handle_, in.views.data(), count);
    TORCH_CHECK(bytes != UINT64_MAX, program_->last_error(handle_));
    Arguments out;
    for (const StitchTensorInfo* info : infos_[STITCH_OUTPUT]) {
      out.add(at::empty(output_shape(*info, in), at::TensorOptions().dtype(scalar_type(info->dtype)).device(device)));
    }
    Bytes& workspace = workspaces_[stream.stream()];
    if (!workspace.memory.defined() || workspace.memory.numel() < static_cast<std::int64_t>(bytes) + kAlignment) {
      workspace = allocate(bytes, device);
    }
    StitchCall call{};
    call.struct_size = sizeof(call);
    call.abi_version = STITCH_ABI_VERSION;
    call.input_count = count;
    call.state_count = static_cast<std::int32_t>(states.views.size());
    call.output_count = static_cast<std::int32_t>(out.views.size());
    call.inputs = in.views.data();
    call.states_in = states.views.data();
    call.states_out = states.views.data();
    call.outputs = out.views.data();
    call.workspace = workspace.aligned();
    call.workspace_size = bytes;
    call.stream = stream.stream();
    check(graphs_->run(call));
    write_back(states);
    return out.tensors;
  }

  void write_back(const Arguments& states) {
    const at::NoGradGuard no_gradient;
    for (std::size_t index = 0; index < states_.size(); ++index) {
      if (states.tensors[index].data_ptr() != states_[index].data_ptr()) {
        states_[index].copy_(states.tensors[index]);
      } else if (!states_[index].is_inference()) {
        torch::autograd::impl::bump_version(states_[index]);
      }
    }
  }

  const StitchProgramV1* program_;
  StitchHandle* handle_ = nullptr;
  at::Device device_{at::kCPU};
  Infos infos_[5];
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> states_;
  std::vector<at::Tensor> kept_;  // what prepare() was given: it stays in use
  std::vector<std::uint64_t> seen_;
  mutable std::uint64_t uncounted_ = 0;
  bool is_prepared_ = false;
  Bytes prepared_;
  std::map<cudaStream_t, Bytes> workspaces_;
  std::unique_ptr<stitch::GraphCache> graphs_;
};

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
  pybind11::class_<Program>(module, "Program")
      .def(pybind11::init<>())
      .def("parameter_names", &Program::parameter_names)
      .def("state_names", &Program::state_names)
      .def("bind", &Program::bind)
      .def("forward", &Program::forward);
}
