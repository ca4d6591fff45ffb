// SPDX-License-Identifier: Apache-2.0
// Normalisations and softmax. Batch norm has many names in ATen, one for each way of treating its statistics.
#include <algorithm>
#include <limits>

#include "frontend/aten/converters.h"

namespace stitch::frontend {
namespace {

// x, weight, bias, running mean, running variance
Result<std::vector<Operand>> batch_norm_operands(Call& call, bool tracks) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "input"));
  STITCH_ASSIGN(const Operand weight, call.optional_tensor(1, "weight"));
  STITCH_ASSIGN(const Operand bias, call.optional_tensor(2, "bias"));
  Operand mean = Absent{};
  Operand variance = Absent{};
  if (tracks) {
    STITCH_ASSIGN(mean, call.optional_tensor(3, "running_mean"));
    STITCH_ASSIGN(variance, call.optional_tensor(4, "running_var"));
  }
  return std::vector<Operand>{x, weight, bias, mean, variance};
}

// The batch_norm node. 16-bit operands, beside which PyTorch takes parameters and statistics of 16 or 32 bits, are
// widened in front of it, and its results narrowed again to what PyTorch gives.
Converted finish_batch_norm(Call& call, std::vector<Operand> operands, Attributes attributes) {
  const auto is_narrow = [&](const Operand& operand) {
    const ValueId* id = std::get_if<ValueId>(&operand);
    return id != nullptr && is_floating_point(call.type(*id).dtype) && element_bytes(call.type(*id).dtype) == 2;
  };
  if (std::any_of(operands.begin(), operands.end(), is_narrow)) {
    for (Operand& operand : operands) {
      if (const ValueId* id = std::get_if<ValueId>(&operand)) {
        STITCH_ASSIGN(operand, call.cast(*id, DataType::kFloat32));
      }
    }
  }
  STITCH_ASSIGN(std::vector<ValueId> results,
                call.finish_all(Op::kBatchNorm, std::move(operands), std::move(attributes)));
  for (size_t i = 0; i < results.size() && i < call.node().outputs.size(); ++i) {
    if (call.node().outputs[i].type.has_value()) {
      STITCH_ASSIGN(results[i], call.cast(results[i], call.node().outputs[i].type->dtype));
    }
  }
  return results;
}

Attributes batch_norm_attributes(bool training, double momentum, double eps) {
  return {{"training", training}, {"momentum", momentum}, {"eps", eps}};
}

// x seen under the shape `rows`, normalised along the last axis, and back in its own shape.
Result<ValueId> normalized_rows(Call& call, ValueId x, std::vector<int64_t> rows, double eps) {
  const std::vector<int64_t> shape = call.shape(x);
  const int64_t columns = rows.back();
  STITCH_ASSIGN(const ValueId merged, call.reshape(x, std::move(rows)));
  STITCH_ASSIGN(const ValueId normalized,
                call.emit(Op::kLayerNorm, {merged, Absent{}, Absent{}},
                          {{"normalized_shape", std::vector<int64_t>{columns}}, {"eps", eps}}));
  return call.reshape(normalized, shape);
}

// Times weight plus bias, vectors along axis 1; either may be none.
Result<ValueId> scaled_per_channel(Call& call, ValueId x, const Operand& weight, const Operand& bias) {
  std::vector<int64_t> shape(call.shape(x).size() - 1, 1);
  shape[0] = call.shape(x)[1];
  const auto apply = [&](Op op, ValueId value, const Operand& vector) -> Result<ValueId> {
    if (!ir::is_tensor(vector)) {
      return value;
    }
    STITCH_ASSIGN(const ValueId column, call.reshape(std::get<ValueId>(vector), shape));
    return call.emit(op, {value, column});
  };
  STITCH_ASSIGN(const ValueId product, apply(Op::kMul, x, weight));
  return apply(Op::kAdd, product, bias);
}

Converted softmax_of_dim(Call& call, Op op) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const int64_t dim, call.integer(1, "dim"));
  STITCH_ASSIGN(const int64_t axis, call.axis(dim, call.shape(x).size()));
  // The public form takes an element type; the inner one a flag for half precision.
  if (call.node().base == to_string(op)) {
    STITCH_ASSIGN(const auto dtype, call.dtype(2, "dtype"));
    STITCH_ASSIGN(x, call.cast(x, dtype.value_or(call.type(x).dtype)));
  } else {
    STITCH_ASSIGN(const bool half_to_float, call.boolean(2, "half_to_float", false));
    STITCH_ASSIGN(x, call.cast(x, half_to_float ? DataType::kFloat32 : call.type(x).dtype));
  }
  return call.finish(op, {x}, {{"dim", axis}});
}

}  // namespace

Converted convert_batch_norm_functional(Call& call) {
  STITCH_ASSIGN(auto operands, batch_norm_operands(call, true));
  STITCH_ASSIGN(const bool training, call.boolean(5, "training"));
  STITCH_ASSIGN(const double momentum, call.number(6, "momentum"));
  STITCH_ASSIGN(const double eps, call.number(7, "eps"));
  STITCH_ASSIGN(std::vector<ValueId> results,
                finish_batch_norm(call, operands, batch_norm_attributes(training, momentum, eps)));
  if (!training) {  // the statistics stay as they were
    return std::vector<ValueId>{results[0], kNotComputed, kNotComputed, std::get<ValueId>(operands[3]),
                                std::get<ValueId>(operands[4])};
  }
  return results;
}

Converted convert_batch_norm_no_statistics(Call& call) {
  if (call.node().overload != "no_stats") {
    return call.unsupported("this form changes its statistics in place");
  }
  STITCH_ASSIGN(auto operands, batch_norm_operands(call, false));
  STITCH_ASSIGN(const double momentum, call.number(4, "momentum"));
  STITCH_ASSIGN(const double eps, call.number(5, "eps"));
  return finish_batch_norm(call, operands, batch_norm_attributes(true, momentum, eps));
}

Converted convert_batch_norm_no_training(Call& call) {
  STITCH_ASSIGN(auto operands, batch_norm_operands(call, true));
  STITCH_ASSIGN(const double momentum, call.number(5, "momentum"));
  STITCH_ASSIGN(const double eps, call.number(6, "eps"));
  STITCH_ASSIGN(const std::vector<ValueId> results,
                finish_batch_norm(call, operands, batch_norm_attributes(false, momentum, eps)));
  return std::vector<ValueId>{results[0], kNotComputed, kNotComputed};
}

Converted convert_batch_norm(Call& call) {
  STITCH_ASSIGN(auto operands, batch_norm_operands(call, true));
  STITCH_ASSIGN(const bool training, call.boolean(5, "training"));
  STITCH_ASSIGN(const double momentum, call.number(6, "momentum"));
  STITCH_ASSIGN(const double eps, call.number(7, "eps"));
  STITCH_ASSIGN(const std::vector<ValueId> results,
                finish_batch_norm(call, operands, batch_norm_attributes(training, momentum, eps)));
  return std::vector<ValueId>{results[0]};
}

Converted convert_layer_norm(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "input"));
  STITCH_ASSIGN(const auto normalized_shape, call.integers(1, "normalized_shape"));
  STITCH_ASSIGN(const Operand weight, call.optional_tensor(2, "weight"));
  STITCH_ASSIGN(const Operand bias, call.optional_tensor(3, "bias"));
  STITCH_ASSIGN(const double eps, call.number(4, "eps", 1e-5));
  STITCH_ASSIGN(std::vector<ValueId> results,
                call.finish(Op::kLayerNorm, {x, weight, bias}, {{"normalized_shape", normalized_shape}, {"eps", eps}}));
  results.resize(call.node().outputs.size(), kNotComputed);  // native_layer_norm's mean and deviation
  return results;
}

// The channels of one group of one sample are one row of a layer norm without scale.
Converted convert_group_norm(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "input"));
  STITCH_ASSIGN(const int64_t groups, call.integer(1, "num_groups"));
  STITCH_ASSIGN(const Operand weight, call.optional_tensor(2, "weight"));
  STITCH_ASSIGN(const Operand bias, call.optional_tensor(3, "bias"));
  STITCH_ASSIGN(const double eps, call.number(4, "eps", 1e-5));
  STITCH_TRY(call.require(call.shape(x).size() >= 2, "needs a batch and a channel axis"));
  const int64_t batch = call.shape(x)[0];
  const int64_t columns = batch * groups == 0 ? 0 : call.type(x).element_count() / (batch * groups);
  STITCH_ASSIGN(const ValueId normalized, normalized_rows(call, x, {batch, groups, columns}, eps));
  STITCH_ASSIGN(const ValueId result, scaled_per_channel(call, normalized, weight, bias));
  return std::vector<ValueId>{result};
}

// instance_norm(x, weight, bias, running mean, running variance, use_input_stats, momentum, eps, cudnn)
Converted convert_instance_norm(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "input"));
  STITCH_ASSIGN(const Operand weight, call.optional_tensor(1, "weight"));
  STITCH_ASSIGN(const Operand bias, call.optional_tensor(2, "bias"));
  STITCH_ASSIGN(const bool use_input_statistics, call.boolean(5, "use_input_stats"));
  if (!use_input_statistics || call.has(3, "running_mean")) {
    return call.unsupported("instance norm is supported without running statistics");
  }
  STITCH_ASSIGN(const double eps, call.number(7, "eps"));
  STITCH_TRY(call.require(call.shape(x).size() >= 2, "needs a batch and a channel axis"));
  const int64_t rows = call.shape(x)[0] * call.shape(x)[1];
  const int64_t columns = rows == 0 ? 0 : call.type(x).element_count() / rows;
  STITCH_ASSIGN(const ValueId normalized, normalized_rows(call, x, {rows, columns}, eps));
  STITCH_ASSIGN(const ValueId result, scaled_per_channel(call, normalized, weight, bias));
  return std::vector<ValueId>{result};
}

// x / sqrt(mean(x * x) + eps) * weight, over the trailing axes; of 16-bit elements in float, rounded once at the end
Converted convert_rms_norm(Call& call) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "input"));
  STITCH_ASSIGN(const auto normalized_shape, call.integers(1, "normalized_shape"));
  STITCH_ASSIGN(const Operand weight, call.optional_tensor(2, "weight"));
  const DataType own = call.type(x).dtype;
  const DataType inner = own == DataType::kFloat64 ? own : DataType::kFloat32;
  const double epsilon = inner == DataType::kFloat64 ? std::numeric_limits<double>::epsilon()
                                                     : double{std::numeric_limits<float>::epsilon()};
  STITCH_ASSIGN(const double eps, call.number(3, "eps", epsilon));
  STITCH_TRY(call.require(is_floating_point(own), "RMS norm is supported for floating-point elements"));
  STITCH_ASSIGN(x, call.cast(x, inner));
  std::vector<int64_t> axes;
  const size_t rank = call.shape(x).size();
  for (size_t i = rank - normalized_shape.size(); i < rank; ++i) {
    axes.push_back(static_cast<int64_t>(i));
  }
  STITCH_ASSIGN(const ValueId squares, call.emit(Op::kMul, {x, x}));
  STITCH_ASSIGN(const ValueId mean, call.emit(Op::kMean, {squares}, {{"dim", axes}, {"keepdim", true}}));
  STITCH_ASSIGN(const ValueId shifted, call.emit(Op::kAdd, {mean, Scalar(eps)}));
  STITCH_ASSIGN(const ValueId factor, call.emit(Op::kRsqrt, {shifted}));
  STITCH_ASSIGN(ValueId normalized, call.emit(Op::kMul, {x, factor}));
  if (ir::is_tensor(weight)) {
    STITCH_ASSIGN(normalized, call.pointwise(Op::kMul, {normalized, weight}));
  }
  STITCH_ASSIGN(const ValueId result, call.cast(normalized, own));
  return std::vector<ValueId>{result};
}

// Softmax of rows that may be masked throughout: those become zero.
Converted convert_safe_softmax(Call& call) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const int64_t dim, call.integer(1, "dim"));
  STITCH_ASSIGN(const int64_t axis, call.axis(dim, call.shape(x).size()));
  STITCH_ASSIGN(const auto dtype, call.dtype(2, "dtype"));
  STITCH_ASSIGN(x, call.cast(x, dtype.value_or(call.type(x).dtype)));
  STITCH_ASSIGN(const ValueId largest,
                call.emit(Op::kAmax, {x}, {{"dim", std::vector<int64_t>{axis}}, {"keepdim", true}}));
  STITCH_ASSIGN(const ValueId is_masked,
                call.emit(Op::kEq, {largest, Scalar(-std::numeric_limits<double>::infinity())}));
  STITCH_ASSIGN(const ValueId softmax, call.emit(Op::kSoftmax, {x}, {{"dim", axis}}));
  return call.finish(Op::kWhere, {is_masked, Scalar(0.0), softmax});
}

Converted convert_softmax(Call& call) { return softmax_of_dim(call, Op::kSoftmax); }
Converted convert_log_softmax(Call& call) { return softmax_of_dim(call, Op::kLogSoftmax); }

}  // namespace stitch::frontend
