// SPDX-License-Identifier: Apache-2.0
// Tensors made from nothing. Their shape and element type are PyTorch's metadata; only the contents are arguments.
#include <cmath>

#include "frontend/aten/converters.h"

namespace stitch::frontend {
namespace {

// What PyTorch makes of a value in a tensor of this type.
double as_element(double value, DataType dtype) {
  if (dtype == DataType::kBool) {
    return value != 0.0 ? 1.0 : 0.0;
  }
  return is_floating_point(dtype) ? value : std::trunc(value);
}

Converted filled(Call& call, double value) {
  if (call.node().outputs.size() != 1 || !call.node().outputs[0].type.has_value()) {
    return call.unsupported("its result has no shape");
  }
  const TensorType& type = *call.node().outputs[0].type;
  return call.finish(Op::kFull, {},
                     {{"shape", type.shape}, {"value", as_element(value, type.dtype)}, {"dtype", type.dtype}});
}

Converted triangle(Call& call, Op op) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const int64_t diagonal, call.integer(1, "diagonal", 0));
  return call.finish(op, {x}, {{"diagonal", diagonal}});
}

}  // namespace

Converted convert_zeros(Call& call) { return filled(call, 0.0); }
Converted convert_ones(Call& call) { return filled(call, 1.0); }

// full(size, value)
Converted convert_full(Call& call) {
  STITCH_ASSIGN(const double value, call.number(1, "fill_value"));
  return filled(call, value);
}

// Memory whose contents nobody may rely on: zeros are as good as any.
Converted convert_empty(Call& call) { return filled(call, 0.0); }

// full_like(x, value), fill.Scalar(x, value), fill.Tensor(x, single number), new_full(x, size, value)
Converted convert_full_of_kind(Call& call) {
  if (call.node().overload == "Tensor") {
    STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
    STITCH_ASSIGN(const ValueId value, call.tensor(1, "value"));
    STITCH_ASSIGN(const ValueId cast, call.cast(value, call.type(x).dtype));
    STITCH_ASSIGN(const ValueId result, call.expand(cast, call.shape(x)));
    return std::vector<ValueId>{result};
  }
  STITCH_ASSIGN(const double value, call.number(call.node().base == "new_full" ? 2 : 1, "fill_value"));
  return filled(call, value);
}

Converted convert_scalar_tensor(Call& call) {
  STITCH_ASSIGN(const double value, call.number(0, "s"));
  return filled(call, value);
}

// arange(end), arange.start(start, end), arange.start_step(start, end, step)
Converted convert_arange(Call& call) {
  if (call.node().outputs.size() != 1 || !call.node().outputs[0].type.has_value()) {
    return call.unsupported("its result has no shape");
  }
  const bool has_start = call.node().overload != "default";
  double start = 0.0;
  double step = 1.0;
  if (has_start) {
    STITCH_ASSIGN(start, call.number(0, "start"));
    STITCH_ASSIGN(step, call.number(2, "step", 1.0));
  }
  STITCH_ASSIGN(const double end, call.number(has_start ? 1 : 0, "end"));
  return call.finish(Op::kArange, {},
                     {{"start", start}, {"end", end}, {"step", step}, {"dtype", call.node().outputs[0].type->dtype}});
}

Converted convert_tril(Call& call) { return triangle(call, Op::kTril); }
Converted convert_triu(Call& call) { return triangle(call, Op::kTriu); }

}  // namespace stitch::frontend
