// SPDX-License-Identifier: Apache-2.0
// Convolutions: defaults and single numbers spelled out, 1-D as 2-D of height one.
#include "frontend/aten/converters.h"

namespace stitch::frontend {
namespace {

struct ConvolutionSetting {
  std::vector<int64_t> stride, padding, dilation;
  int64_t groups = 1;
};

// One number stands for all axes.
Result<std::vector<int64_t>> per_axis(Call& call, size_t position, const char* name, int64_t missing, size_t axes) {
  STITCH_ASSIGN(std::vector<int64_t> values, call.integers(position, name, std::vector<int64_t>(axes, missing)));
  if (values.size() == 1) {
    values.resize(axes, values[0]);
  }
  if (values.size() != axes) {
    return call.unsupported(std::string(name) + " has another number of axes");
  }
  return values;
}

// "same" and "valid" by name; an odd total for "same" would need another amount on each side.
Result<std::vector<int64_t>> named_padding(Call& call, ValueId weight, const std::vector<int64_t>& dilation) {
  STITCH_ASSIGN(const std::string name, call.text(4, "padding"));
  std::vector<int64_t> padding(dilation.size(), 0);
  for (size_t i = 0; i < dilation.size() && name == "same"; ++i) {
    const int64_t total = dilation[i] * (call.shape(weight)[i + 2] - 1);
    if (total % 2 != 0) {
      return call.unsupported("padding \"same\" of an even kernel differs between the two sides");
    }
    padding[i] = total / 2;
  }
  return padding;
}

Result<ConvolutionSetting> read_setting(Call& call, ValueId weight) {
  const size_t axes = call.shape(weight).size() - 2;
  ConvolutionSetting setting;
  STITCH_ASSIGN(setting.stride, per_axis(call, 3, "stride", 1, axes));
  STITCH_ASSIGN(setting.dilation, per_axis(call, 5, "dilation", 1, axes));
  if (call.node().overload == "padding") {
    STITCH_ASSIGN(setting.padding, named_padding(call, weight, setting.dilation));
  } else {
    STITCH_ASSIGN(setting.padding, per_axis(call, 4, "padding", 0, axes));
  }
  return setting;
}

Attributes attributes_of(const ConvolutionSetting& setting) {
  return {{"stride", setting.stride},
          {"padding", setting.padding},
          {"dilation", setting.dilation},
          {"groups", setting.groups}};
}

// [n, c, l] as [n, c, 1, l], and the setting with it.
Converted convolve_one_axis(Call& call, ValueId x, ValueId weight, Operand bias, ConvolutionSetting setting) {
  const auto widened = [&](ValueId tensor) {
    std::vector<int64_t> shape = call.shape(tensor);
    shape.insert(shape.end() - 1, 1);
    return call.reshape(tensor, shape);
  };
  STITCH_ASSIGN(const ValueId wide_x, widened(x));
  STITCH_ASSIGN(const ValueId wide_weight, widened(weight));
  setting.stride.insert(setting.stride.begin(), 1);
  setting.padding.insert(setting.padding.begin(), 0);
  setting.dilation.insert(setting.dilation.begin(), 1);
  STITCH_ASSIGN(const ValueId wide, call.emit("conv2d", {wide_x, wide_weight, bias}, attributes_of(setting)));
  std::vector<int64_t> shape = call.shape(wide);
  shape.erase(shape.end() - 2);
  return call.finish("reshape", {wide}, {{"shape", shape}});
}

Converted convolve(Call& call, size_t groups_position) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "input"));
  STITCH_ASSIGN(const ValueId weight, call.tensor(1, "weight"));
  STITCH_ASSIGN(const Operand bias, call.optional_tensor(2, "bias"));
  const size_t rank = call.shape(weight).size();
  if ((rank != 3 && rank != 4) || call.shape(x).size() != rank) {
    return call.unsupported("convolution is supported over one or two axes of a batch");
  }
  STITCH_ASSIGN(ConvolutionSetting setting, read_setting(call, weight));
  STITCH_ASSIGN(setting.groups, call.integer(groups_position, "groups", 1));
  if (rank == 3) {
    return convolve_one_axis(call, x, weight, bias, setting);
  }
  return call.finish("conv2d", {x, weight, bias}, attributes_of(setting));
}

}  // namespace

Converted convert_conv1d(Call& call) { return convolve(call, 6); }
Converted convert_conv2d(Call& call) { return convolve(call, 6); }

// convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
Converted convert_convolution(Call& call) {
  STITCH_ASSIGN(const bool transposed, call.boolean(6, "transposed"));
  if (transposed) {
    return call.unsupported("transposed convolution is not supported");
  }
  return convolve(call, 8);
}

}  // namespace stitch::frontend
