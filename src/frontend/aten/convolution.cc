// SPDX-License-Identifier: Apache-2.0
// Convolutions: defaults and single numbers spelled out, 1-D as 2-D of height one, one image as a batch of one.
#include "frontend/aten/converters.h"
#include "frontend/aten/spatial.h"

namespace stitch::frontend {
namespace {

struct ConvolutionSetting {
  std::vector<int64_t> stride, padding, dilation;
  std::vector<int64_t> output_padding = {};  // of transposed convolutions
  int64_t groups = 1;
  bool transposed = false;
  // Axes whose padding is one larger in front than it should be: their first output is left out again.
  std::vector<bool> padded_too_far = {};
};

// "same" and "valid" by name. An odd total for "same" is one more behind than in front: it is padded so on both sides.
Result<void> read_named_padding(Call& call, ValueId weight, ConvolutionSetting& setting) {
  STITCH_ASSIGN(const std::string name, call.text(4, "padding"));
  const size_t axes = setting.dilation.size();
  setting.padding.assign(axes, 0);
  setting.padded_too_far.assign(axes, false);
  for (size_t i = 0; i < axes && name == "same"; ++i) {
    const int64_t total = setting.dilation[i] * (call.shape(weight)[i + 2] - 1);
    setting.padding[i] = (total + 1) / 2;
    setting.padded_too_far[i] = total % 2 != 0;
  }
  return {};
}

// conv(input, weight, bias, stride, padding, dilation, groups)
Result<ConvolutionSetting> read_forward(Call& call, ValueId weight) {
  const size_t axes = call.shape(weight).size() - 2;
  ConvolutionSetting setting;
  STITCH_ASSIGN(setting.stride, per_axis(call, 3, "stride", std::vector<int64_t>(axes, 1)));
  STITCH_ASSIGN(setting.dilation, per_axis(call, 5, "dilation", std::vector<int64_t>(axes, 1)));
  if (call.node().overload == "padding") {
    STITCH_TRY(read_named_padding(call, weight, setting));
  } else {
    STITCH_ASSIGN(setting.padding, per_axis(call, 4, "padding", std::vector<int64_t>(axes, 0)));
  }
  STITCH_ASSIGN(setting.groups, call.integer(6, "groups", 1));
  return setting;
}

// conv_transpose(input, weight, bias, stride, padding, output_padding, groups, dilation)
Result<ConvolutionSetting> read_transposed(Call& call, ValueId weight) {
  const size_t axes = call.shape(weight).size() - 2;
  ConvolutionSetting setting;
  setting.transposed = true;
  STITCH_ASSIGN(setting.stride, per_axis(call, 3, "stride", std::vector<int64_t>(axes, 1)));
  STITCH_ASSIGN(setting.padding, per_axis(call, 4, "padding", std::vector<int64_t>(axes, 0)));
  STITCH_ASSIGN(setting.output_padding, per_axis(call, 5, "output_padding", std::vector<int64_t>(axes, 0)));
  STITCH_ASSIGN(setting.groups, call.integer(6, "groups", 1));
  STITCH_ASSIGN(setting.dilation, per_axis(call, 7, "dilation", std::vector<int64_t>(axes, 1)));
  return setting;
}

// convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
Result<ConvolutionSetting> read_general(Call& call, ValueId weight) {
  const size_t axes = call.shape(weight).size() - 2;
  ConvolutionSetting setting;
  STITCH_ASSIGN(setting.stride, per_axis(call, 3, "stride", axes));
  STITCH_ASSIGN(setting.padding, per_axis(call, 4, "padding", axes));
  STITCH_ASSIGN(setting.dilation, per_axis(call, 5, "dilation", axes));
  STITCH_ASSIGN(setting.transposed, call.boolean(6, "transposed"));
  if (setting.transposed) {
    STITCH_ASSIGN(setting.output_padding, per_axis(call, 7, "output_padding", axes));
  }
  STITCH_ASSIGN(setting.groups, call.integer(8, "groups", 1));
  return setting;
}

void add_row(ConvolutionSetting& setting) {
  setting.stride = with_row(setting.stride, 1);
  setting.padding = with_row(setting.padding, 0);
  setting.dilation = with_row(setting.dilation, 1);
  if (setting.transposed) {
    setting.output_padding = with_row(setting.output_padding, 0);
  }
}

Attributes attributes_of(const ConvolutionSetting& setting) {
  Attributes attributes = {{"stride", setting.stride}, {"padding", setting.padding}};
  if (setting.transposed) {
    attributes.emplace_back("output_padding", setting.output_padding);
  }
  attributes.emplace_back("dilation", setting.dilation);
  attributes.emplace_back("groups", setting.groups);
  return attributes;
}

Result<ValueId> without_first_outputs(Call& call, ValueId y, const std::vector<bool>& padded_too_far) {
  for (size_t i = 0; i < padded_too_far.size(); ++i) {
    const size_t axis = call.shape(y).size() - padded_too_far.size() + i;
    const Attributes part = {
        {"dim", static_cast<int64_t>(axis)}, {"start", 1}, {"end", call.shape(y)[axis]}, {"step", 1}};
    if (padded_too_far[i]) {
      STITCH_ASSIGN(y, call.emit(Op::kSlice, {y}, part));
    }
  }
  return y;
}

Converted convolve(Call& call, Result<ConvolutionSetting> (*read)(Call&, ValueId)) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "input"));
  STITCH_ASSIGN(ValueId weight, call.tensor(1, "weight"));
  STITCH_ASSIGN(const Operand bias, call.optional_tensor(2, "bias"));
  const size_t rank = call.shape(weight).size();
  if (rank < 3 || rank > 5) {
    return call.unsupported("convolution is supported over one, two or three axes");
  }
  STITCH_ASSIGN(ConvolutionSetting setting, read(call, weight));
  const bool one_image = call.shape(x).size() + 1 == rank;
  if (one_image) {
    std::vector<int64_t> shape = call.shape(x);
    shape.insert(shape.begin(), 1);
    STITCH_ASSIGN(x, call.reshape(x, shape));
  }
  if (rank == 3) {
    STITCH_ASSIGN(x, with_row_axis(call, x));
    STITCH_ASSIGN(weight, with_row_axis(call, weight));
    add_row(setting);
  }
  const Op flat = setting.transposed ? Op::kConvTranspose2d : Op::kConv2d;
  const Op deep = setting.transposed ? Op::kConvTranspose3d : Op::kConv3d;
  STITCH_ASSIGN(ValueId y, call.emit(rank == 5 ? deep : flat, {x, weight, bias}, attributes_of(setting)));
  if (rank == 3) {
    STITCH_ASSIGN(y, without_row_axis(call, y));
  }
  STITCH_ASSIGN(y, without_first_outputs(call, y, setting.padded_too_far));
  if (one_image) {
    const std::vector<int64_t> shape = call.shape(y);
    STITCH_ASSIGN(y, call.reshape(y, {shape.begin() + 1, shape.end()}));
  }
  return std::vector<ValueId>{y};
}

}  // namespace

Converted convert_conv(Call& call) { return convolve(call, read_forward); }
Converted convert_conv_transpose(Call& call) { return convolve(call, read_transposed); }
Converted convert_convolution(Call& call) { return convolve(call, read_general); }

}  // namespace stitch::frontend
