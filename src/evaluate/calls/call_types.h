// SPDX-License-Identifier: Apache-2.0
// Types of a call's tensors, beside those that the program declares.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "artifact/tensor/host_tensor.h"
#include "wire/messages/program_description.h"
#include "wire/messages/tensor_argument.h"

namespace stitch::evaluate {

std::vector<TensorType> types_of(std::span<const HostTensor> tensors);
std::vector<TensorType> types_of(const std::vector<wire::TensorDescription>& described);
// The size of each in bytes.
std::vector<uint64_t> sizes_of(std::span<const TensorType> types);

// The tensors of these types that lie in regions[first], regions[first + 1] ...
std::vector<wire::TensorArgument> arguments_of(const std::vector<TensorType>& types,
                                               const std::vector<wire::Region>& regions, size_t first);

// Why the program does not take tensors of these types: a sentence, or nothing where it does. Optional ones may be left
// out at the end, and run-time axes have any extent in their range. `what` names them in the plural.
std::optional<std::string> find_mismatch(const char* what, const std::vector<TensorType>& given,
                                         const std::vector<wire::TensorDescription>& described);

}  // namespace stitch::evaluate
