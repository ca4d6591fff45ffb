// SPDX-License-Identifier: Apache-2.0
#include "host/arguments.h"

#include <stdarg.h>
#include <stdio.h>

namespace stitch {

namespace {

enum class Part { kInputs, kParameters, kStatesIn, kStatesOut, kOutputs };

Part part_of(const StitchTensorInfo& tensor) {
  switch (tensor.role) {
    case STITCH_INPUT:
      return Part::kInputs;
    case STITCH_PARAMETER:
    case STITCH_CONSTANT:
      return Part::kParameters;
    case STITCH_STATE:
      return tensor.alias_of >= 0 ? Part::kStatesOut : Part::kStatesIn;
    default:
      return Part::kOutputs;
  }
}

RoleTensors tensors_of(const StitchDescription& description, Part part) {
  RoleTensors found{nullptr, 0};
  for (int32_t index = 0; index < description.tensor_count; ++index) {
    if (part_of(description.tensors[index]) == part) {
      found.first = found.count == 0 ? &description.tensors[index] : found.first;
      ++found.count;
    }
  }
  return found;
}

int check_shape(const char* what, int32_t index, const StitchTensorInfo& expected, const StitchTensor& tensor,
                ErrorText* error) {
  if (tensor.rank != expected.rank) {
    error->set("%s %d (\"%s\") has rank %d; the program takes rank %d.", what, index, expected.name, tensor.rank,
               expected.rank);
    return STITCH_INVALID_SHAPE;
  }
  if (tensor.rank > 0 && tensor.extents == nullptr) {
    error->set("%s %d (\"%s\") has no extents.", what, index, expected.name);
    return STITCH_INVALID_ARGUMENT;
  }
  for (int32_t axis = 0; axis < tensor.rank; ++axis) {
    const int64_t extent = tensor.extents[axis];
    if (extent < expected.min_extents[axis] || extent > expected.max_extents[axis]) {
      if (expected.run_time_axes[axis] == 0) {
        error->set("%s %d (\"%s\") has extent %lld on axis %d; the program was made for %lld.", what, index,
                   expected.name, static_cast<long long>(extent), axis, static_cast<long long>(expected.extents[axis]));
        return STITCH_INVALID_SHAPE;
      }
      error->set("%s %d (\"%s\") has extent %lld on axis %d; the program takes %lld to %lld.", what, index,
                 expected.name, static_cast<long long>(extent), axis,
                 static_cast<long long>(expected.min_extents[axis]),
                 static_cast<long long>(expected.max_extents[axis]));
      return STITCH_INVALID_SHAPE;
    }
  }
  return STITCH_OK;
}

int check_data(const char* what, int32_t index, const StitchTensorInfo& expected, const StitchTensor& tensor,
               ErrorText* error) {
  bool empty = false;
  for (int32_t axis = 0; axis < tensor.rank; ++axis) {
    empty = empty || tensor.extents[axis] == 0;
  }
  if (tensor.data == nullptr && !empty && expected.optional == 0) {
    error->set("%s %d (\"%s\") has no data.", what, index, expected.name);
    return STITCH_INVALID_ARGUMENT;
  }
  if (expected.alignment > 0 && reinterpret_cast<uintptr_t>(tensor.data) % expected.alignment != 0) {
    error->set("%s %d (\"%s\") is not aligned to %d bytes; copy it to memory that is.", what, index, expected.name,
               expected.alignment);
    return STITCH_INVALID_ARGUMENT;
  }
  return STITCH_OK;
}

int check_count(const char* what, const RoleTensors& expected, const StitchTensor* tensors, int32_t count,
                ErrorText* error) {
  int32_t least = expected.count;
  while (least > 0 && expected.first[least - 1].optional != 0) {
    --least;
  }
  if (count >= least && count <= expected.count && (count == 0 || tensors != nullptr)) {
    return STITCH_OK;
  }
  error->set("The program takes %d tensors as %ss, and got %d%s.", expected.count, what, count,
             count > 0 && tensors == nullptr ? " with a null pointer" : "");
  return STITCH_INVALID_ARGUMENT;
}

int check_each(const char* what, const RoleTensors& expected, const StitchTensor* tensors, int32_t count,
               bool with_data, ErrorText* error) {
  int result = check_count(what, expected, tensors, count, error);
  for (int32_t index = 0; result == STITCH_OK && index < count; ++index) {
    result = check_shape(what, index, expected.first[index], tensors[index], error);
    if (result == STITCH_OK && with_data) {
      result = check_data(what, index, expected.first[index], tensors[index], error);
    }
  }
  return result;
}

}  // namespace

void ErrorText::set(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text_, sizeof(text_), format, arguments);
  va_end(arguments);
}

RoleTensors inputs_of(const StitchDescription& description) { return tensors_of(description, Part::kInputs); }
RoleTensors parameters_of(const StitchDescription& description) { return tensors_of(description, Part::kParameters); }
RoleTensors states_in_of(const StitchDescription& description) { return tensors_of(description, Part::kStatesIn); }
RoleTensors states_out_of(const StitchDescription& description) { return tensors_of(description, Part::kStatesOut); }
RoleTensors outputs_of(const StitchDescription& description) { return tensors_of(description, Part::kOutputs); }

int check_tensors(const char* what, const RoleTensors& expected, const StitchTensor* tensors, int32_t count,
                  ErrorText* error) {
  return check_each(what, expected, tensors, count, true, error);
}

int check_extents(const char* what, const RoleTensors& expected, const StitchTensor* tensors, int32_t count,
                  ErrorText* error) {
  return check_each(what, expected, tensors, count, false, error);
}

int check_batch(const ProgramTables& tables, int32_t role, const StitchTensor* inputs, const StitchTensor* tensors,
                int32_t count, int64_t* batch, ErrorText* error) {
  *batch = 0;
  if (tables.batch_axis_count == 0) {
    return STITCH_OK;
  }
  const AxisTable& first = tables.batch_axes[0];
  const int64_t shown = inputs[first.index].extents[first.axis];
  *batch = (shown - first.extent.base) / first.extent.per_batch;
  for (int32_t index = 0; index < tables.batch_axis_count; ++index) {
    const AxisTable& axis = tables.batch_axes[index];
    if (axis.role != role || axis.index >= count) {
      continue;
    }
    const int64_t extent = tensors[axis.index].extents[axis.axis];
    const auto wanted = static_cast<int64_t>(axis.extent.at(*batch));
    if (extent != wanted) {
      error->set(
          "%s %d has extent %lld on axis %d; at a batch of %lld, which axis %d of input %d shows, it must be "
          "%lld.",
          role == STITCH_INPUT ? "input" : "output", axis.index, static_cast<long long>(extent), axis.axis,
          static_cast<long long>(*batch), first.axis, first.index, static_cast<long long>(wanted));
      return STITCH_INVALID_SHAPE;
    }
  }
  return STITCH_OK;
}

int check_version(const char* what, uint32_t struct_size, uint32_t expected_size, uint32_t abi_version,
                  ErrorText* error) {
  if (struct_size == expected_size && abi_version == STITCH_ABI_VERSION) {
    return STITCH_OK;
  }
  error->set(
      "%s says struct_size %u and abi_version %u; this program was built for %u and %u. Build the caller "
      "against the stitch_program.h that came with it.",
      what, struct_size, abi_version, expected_size, STITCH_ABI_VERSION);
  return STITCH_INVALID_ARGUMENT;
}

}  // namespace stitch
