// SPDX-License-Identifier: Apache-2.0
#include "worker/loader/candidate.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "wire/messages/rpc.h"

namespace stitch::worker {
namespace {

Unexpected at_fault(std::string message) { return failure(ErrorCode::kProgramInvalid, std::move(message)); }

const char* status_name(int status) {
  switch (status) {
    case STITCH_INVALID_ARGUMENT:
      return "invalid argument";
    case STITCH_INVALID_SHAPE:
      return "invalid shape";
    case STITCH_CUDA_ERROR:
      return "CUDA error";
    case STITCH_NOT_PREPARED:
      return "not prepared";
    default:
      return "unknown error";
  }
}

bool is_complete(const StitchProgramV1& program) {
  return program.describe != nullptr && program.create != nullptr && program.prepare != nullptr &&
         program.workspace_bytes != nullptr && program.run != nullptr && program.destroy != nullptr &&
         program.last_error != nullptr;
}

Result<wire::TensorDescription> describe_tensor(const StitchTensorInfo& info) {
  constexpr int kTypes = static_cast<int>(DataType::kBool) + 1;  // the C ABI numbers types as DataType does
  constexpr int kMaxRank = 16;
  constexpr size_t kMaxNameLength = 1000;
  if (info.name == nullptr || info.dtype < 0 || info.dtype >= kTypes || info.rank < 0 || info.rank > kMaxRank ||
      (info.rank > 0 && (info.extents == nullptr || info.run_time_axes == nullptr || info.min_extents == nullptr ||
                         info.max_extents == nullptr))) {
    return at_fault("describe() gives a tensor without a name, or with an impossible type, rank or list of extents");
  }
  if (::strnlen(info.name, kMaxNameLength + 1) > kMaxNameLength) {
    return at_fault(fmt::format("describe() gives a tensor a name of more than {} bytes", kMaxNameLength));
  }
  wire::TensorDescription tensor;
  tensor.spec.name = info.name;
  tensor.spec.type.dtype = static_cast<DataType>(info.dtype);
  tensor.spec.type.shape.assign(info.extents, info.extents + info.rank);
  tensor.run_time_axes.assign(info.run_time_axes, info.run_time_axes + info.rank);
  tensor.min_extents.assign(info.min_extents, info.min_extents + info.rank);
  tensor.max_extents.assign(info.max_extents, info.max_extents + info.rank);
  tensor.is_optional = info.optional != 0;
  tensor.alias_of = info.alias_of;
  return tensor;
}

// Sorts tensors by role. State inputs come before state outputs: as many of one as of the other.
Result<void> add_tensor(wire::ProgramDescription& description, int role, wire::TensorDescription tensor,
                        size_t state_inputs) {
  switch (role) {
    case STITCH_INPUT:
      tensor.spec.role = TensorRole::kInput;
      description.inputs.push_back(std::move(tensor));
      return {};
    case STITCH_PARAMETER:
    case STITCH_CONSTANT:
      tensor.spec.role = role == STITCH_PARAMETER ? TensorRole::kParameter : TensorRole::kConstant;
      description.parameters.push_back(std::move(tensor));
      return {};
    case STITCH_STATE: {
      tensor.spec.role = TensorRole::kState;
      auto& list = description.states_in.size() < state_inputs ? description.states_in : description.states_out;
      list.push_back(std::move(tensor));
      return {};
    }
    case STITCH_OUTPUT:
      tensor.spec.role = TensorRole::kOutput;
      description.outputs.push_back(std::move(tensor));
      return {};
    default:
      return at_fault(fmt::format("describe() gives tensor {} the unknown role {}", tensor.spec.name, role));
  }
}

}  // namespace

Result<Candidate> Candidate::load(const std::string& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return at_fault(fmt::format("the program's library cannot be loaded: {}", ::dlerror()));
  }
  using Entry = const StitchProgramV1* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(handle, "stitch_program_v1"));
  if (entry == nullptr) {
    return at_fault("the program's library exports no function stitch_program_v1");
  }
  const StitchProgramV1* program = entry();
  if (program == nullptr || program->abi_version != STITCH_ABI_VERSION ||
      program->struct_size < sizeof(StitchProgramV1) || !is_complete(*program)) {
    return at_fault("stitch_program_v1() gives no complete table of ABI version 1");
  }
  return Candidate(program);  // never unloaded: the process ends first
}

Candidate::Candidate(Candidate&& other) noexcept
    : program_(other.program_), handle_(std::exchange(other.handle_, nullptr)) {}

Candidate::~Candidate() { destroy(); }

void Candidate::destroy() {
  if (StitchHandle* const handle = std::exchange(handle_, nullptr); handle != nullptr) {
    program_->destroy(handle);
  }
}

Result<wire::ProgramDescription> Candidate::describe() const {
  const StitchDescription* said = program_->describe();
  if (said == nullptr || said->abi_version != STITCH_ABI_VERSION || said->struct_size < sizeof(StitchDescription) ||
      said->name == nullptr || said->tensor_count < 0 || (said->tensor_count > 0 && said->tensors == nullptr)) {
    return at_fault("describe() gives no description of ABI version 1");
  }
  size_t states = 0;
  for (int32_t i = 0; i < said->tensor_count; ++i) {
    states += said->tensors[i].role == STITCH_STATE ? 1 : 0;
  }
  wire::ProgramDescription description;
  description.name = said->name;
  description.prepared_bytes = said->prepared_bytes;
  for (int32_t i = 0; i < said->tensor_count; ++i) {
    STITCH_ASSIGN(wire::TensorDescription tensor, describe_tensor(said->tensors[i]));
    STITCH_TRY(add_tensor(description, said->tensors[i].role, std::move(tensor), states / 2));
  }
  return description;
}

Result<void> Candidate::judge(const char* function, int status) const {
  if (status == STITCH_OK) {
    return {};
  }
  const char* said = program_->last_error(handle_);
  std::string message = fmt::format("{}() answered {} ({}){}{}", function, status, status_name(status),
                                    said == nullptr || *said == '\0' ? "" : ": ", said == nullptr ? "" : said);
  return failure(ErrorCode::kProgramInvalid, std::move(message),
                 status == STITCH_CUDA_ERROR ? wire::kDeviceLocation : "");
}

Result<void> Candidate::create(int device) {
  const int status = program_->create(device, &handle_);
  STITCH_TRY(judge("create", status));
  return handle_ == nullptr ? Result<void>(at_fault("create() made no handle")) : Result<void>();
}

Result<void> Candidate::prepare(const StitchParameters& parameters, void* stream) {
  return judge("prepare", program_->prepare(handle_, &parameters, stream));
}

Result<uint64_t> Candidate::workspace_bytes(const std::vector<StitchTensor>& inputs) {
  const uint64_t bytes = program_->workspace_bytes(handle_, inputs.data(), static_cast<int32_t>(inputs.size()));
  if (bytes == UINT64_MAX) {
    return at_fault("workspace_bytes() refuses these shapes");
  }
  return bytes;
}

Result<void> Candidate::run(const StitchCall& call) { return judge("run", program_->run(handle_, &call)); }

}  // namespace stitch::worker
