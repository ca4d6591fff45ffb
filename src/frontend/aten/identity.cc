// SPDX-License-Identifier: Apache-2.0
// What changes no element: copies, views of the whole; and changes of element type.
#include "frontend/aten/converters.h"

namespace stitch::frontend {

Converted convert_identity(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  return std::vector<ValueId>{x};
}

// Export has evaluated these already; they give no value.
Converted convert_assertion(Call& call) { return std::vector<ValueId>(call.node().outputs.size(), kNotComputed); }

Converted convert_conversion(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  // The element type is the first argument of that kind: to.dtype, to.device and _to_copy put it in different places.
  DataType dtype = call.type(x).dtype;
  STITCH_ASSIGN(const auto keyword, call.dtype(call.node().arguments.size(), "dtype"));
  if (keyword.has_value()) {
    dtype = *keyword;
  } else if (call.node().overload == "other") {
    STITCH_ASSIGN(const ValueId other, call.tensor(1, "other"));
    dtype = call.type(other).dtype;
  } else {
    for (const Argument& argument : call.node().arguments) {
      if (const DataType* given = std::get_if<DataType>(&argument.value)) {
        dtype = *given;
      }
    }
  }
  if (dtype == call.type(x).dtype) {
    return std::vector<ValueId>{x};
  }
  return call.finish(Op::kTo, {x}, {{"dtype", dtype}});
}

Converted convert_type_as(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId other, call.tensor(1, "other"));
  STITCH_ASSIGN(const ValueId cast, call.cast(x, call.type(other).dtype));
  return std::vector<ValueId>{cast};
}

// copy(target, source): the source in the target's type and shape.
Converted convert_copy(Call& call) {
  STITCH_ASSIGN(const ValueId target, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId source, call.tensor(1, "src"));
  STITCH_ASSIGN(const ValueId cast, call.cast(source, call.type(target).dtype));
  STITCH_ASSIGN(const ValueId copy, call.expand(cast, call.shape(target)));
  return std::vector<ValueId>{copy};
}

}  // namespace stitch::frontend
