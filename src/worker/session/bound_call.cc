// SPDX-License-Identifier: Apache-2.0
#include "worker/session/bound_call.h"

namespace stitch::worker {

Result<BoundTensors> BoundTensors::bind(const std::vector<wire::TensorArgument>& arguments, AttachedMemory& memory) {
  BoundTensors bound;
  bound.extents_.reserve(arguments.size());  // no list moves once a tensor points to it
  for (const wire::TensorArgument& argument : arguments) {
    STITCH_ASSIGN(std::byte * data, memory.address(argument.region));
    const std::vector<int64_t>& extents = bound.extents_.emplace_back(argument.extents);
    bound.tensors_.push_back(
        {.data = data, .rank = static_cast<int32_t>(extents.size()), .reserved = 0, .extents = extents.data()});
  }
  return bound;
}

Result<BoundCall> BoundCall::bind(const wire::CallArguments& arguments, AttachedMemory& memory, void* stream) {
  BoundCall bound;
  STITCH_ASSIGN(bound.inputs_, BoundTensors::bind(arguments.inputs, memory));
  STITCH_ASSIGN(bound.states_in_, BoundTensors::bind(arguments.states_in, memory));
  STITCH_ASSIGN(bound.states_out_, BoundTensors::bind(arguments.states_out, memory));
  STITCH_ASSIGN(bound.outputs_, BoundTensors::bind(arguments.outputs, memory));
  for (const auto* list : {&arguments.outputs, &arguments.states_out}) {
    for (const wire::TensorArgument& argument : *list) {
      STITCH_ASSIGN(const std::byte* data, memory.address(argument.region));
      bound.results_.push_back({data, argument.region.bytes});
    }
  }
  STITCH_ASSIGN(std::byte * workspace, memory.address(arguments.workspace));
  bound.call_ = {.struct_size = sizeof(StitchCall),
                 .abi_version = STITCH_ABI_VERSION,
                 .input_count = static_cast<int32_t>(bound.inputs_.list().size()),
                 .state_count = static_cast<int32_t>(bound.states_in_.list().size()),
                 .output_count = static_cast<int32_t>(bound.outputs_.list().size()),
                 .reserved = 0,
                 .inputs = bound.inputs_.list().data(),
                 .states_in = bound.states_in_.list().data(),
                 .states_out = bound.states_out_.list().data(),
                 .outputs = bound.outputs_.list().data(),
                 .workspace = workspace,
                 .workspace_size = arguments.workspace.bytes,
                 .stream = stream,
                 .rng_seed = arguments.rng_seed,
                 .rng_offset = arguments.rng_offset};
  return bound;
}

}  // namespace stitch::worker
