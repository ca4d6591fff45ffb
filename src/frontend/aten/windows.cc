// SPDX-License-Identifier: Apache-2.0
// Windows over an axis, diagonals and strides: views that one slice or reshape does not say.
#include <algorithm>

#include "frontend/aten/converters.h"

namespace stitch::frontend {
namespace {

Result<ValueId> windows(Call& call, ValueId x, int64_t dim, int64_t size, int64_t step) {
  return call.emit(Op::kUnfold, {x}, {{"dim", dim}, {"size", size}, {"step", step}});
}

Result<ValueId> sliced(Call& call, ValueId x, int64_t dim, int64_t start, int64_t end, int64_t step = 1) {
  if (start == 0 && end == call.shape(x)[static_cast<size_t>(dim)] && step == 1) {
    return x;
  }
  return call.emit(Op::kSlice, {x}, {{"dim", dim}, {"start", start}, {"end", end}, {"step", step}});
}

Result<ValueId> permuted_to(Call& call, ValueId x, std::vector<int64_t> dims) {
  if (std::is_sorted(dims.begin(), dims.end())) {
    return x;
  }
  return call.emit(Op::kPermute, {x}, {{"dims", std::move(dims)}});
}

// The axes of `rank` but two, in order, then those two.
std::vector<int64_t> two_last(size_t rank, int64_t first, int64_t second) {
  std::vector<int64_t> order;
  for (int64_t axis = 0; axis < static_cast<int64_t>(rank); ++axis) {
    if (axis != first && axis != second) {
      order.push_back(axis);
    }
  }
  order.insert(order.end(), {first, second});
  return order;
}

// One value for height and width, or one each.
std::vector<int64_t> pair_of(std::vector<int64_t> values) {
  return values.size() == 1 ? std::vector<int64_t>{values[0], values[0]} : values;
}

struct Window {
  std::vector<int64_t> kernel, dilation, padding, stride;
};

// (kernel_size, dilation, padding, stride) from argument `position` on
Result<Window> window_arguments(Call& call, size_t position) {
  Window window;
  STITCH_ASSIGN(window.kernel, call.integers(position, "kernel_size"));
  STITCH_ASSIGN(window.dilation, call.integers(position + 1, "dilation"));
  STITCH_ASSIGN(window.padding, call.integers(position + 2, "padding"));
  STITCH_ASSIGN(window.stride, call.integers(position + 3, "stride"));
  for (auto* values : {&window.kernel, &window.dilation, &window.padding, &window.stride}) {
    *values = pair_of(*values);
    STITCH_TRY(call.require(values->size() == 2, "a window has a height and a width"));
  }
  return window;
}

// The windows along one spatial axis: they stay there, their elements become the last axis.
Result<ValueId> dilated_windows(Call& call, ValueId x, int64_t dim, const Window& window, size_t i) {
  const int64_t span = window.dilation[i] * (window.kernel[i] - 1) + 1;
  STITCH_ASSIGN(const ValueId all, windows(call, x, dim, span, window.stride[i]));
  const auto last = static_cast<int64_t>(call.shape(all).size()) - 1;
  return sliced(call, all, last, 0, span, window.dilation[i]);
}

// Which of its own axes a diagonal lies in, and where.
struct Diagonal {
  int64_t first = 0, second = 1, offset = 0;
};

Result<Diagonal> diagonal_arguments(Call& call, size_t position, size_t rank, int64_t dim1, int64_t dim2) {
  Diagonal diagonal;
  STITCH_ASSIGN(diagonal.offset, call.integer(position, "offset", 0));
  STITCH_ASSIGN(dim1, call.integer(position + 1, "dim1", dim1));
  STITCH_ASSIGN(dim2, call.integer(position + 2, "dim2", dim2));
  STITCH_ASSIGN(diagonal.first, call.axis(dim1, rank));
  STITCH_ASSIGN(diagonal.second, call.axis(dim2, rank));
  STITCH_TRY(call.require(diagonal.first != diagonal.second, "a diagonal lies in two different axes"));
  return diagonal;
}

// Whether an element of [rows, columns] lies on the diagonal `offset` columns right of the main one.
Result<ValueId> on_diagonal(Call& call, int64_t rows, int64_t columns, int64_t offset) {
  const auto counted = [&](int64_t start, int64_t count) {
    return call.emit(Op::kArange, {},
                     {{"start", static_cast<double>(start)},
                      {"end", static_cast<double>(start + count)},
                      {"step", 1.0},
                      {"dtype", DataType::kInt64}});
  };
  STITCH_ASSIGN(const ValueId row, counted(offset, rows));
  STITCH_ASSIGN(const ValueId as_column, call.reshape(row, {rows, 1}));
  STITCH_ASSIGN(const ValueId column, counted(0, columns));
  return call.emit(Op::kEq, {as_column, column});
}

// x [..., k] stood up as [..., rows, 1], its first element in row `first`.
Result<ValueId> stood_up(Call& call, ValueId x, int64_t rows, int64_t first) {
  std::vector<int64_t> shape = call.shape(x);
  std::vector<int64_t> before(shape.size(), 0), after(shape.size(), 0);
  before.back() = first;
  after.back() = rows - first - shape.back();
  if (before.back() != 0 || after.back() != 0) {
    STITCH_ASSIGN(
        x, call.emit(Op::kPad, {x}, {{"before", before}, {"after", after}, {"mode", "constant"}, {"value", 0.0}}));
  }
  shape.back() = rows;
  shape.push_back(1);
  return call.reshape(x, shape);
}

}  // namespace

Converted convert_unfold(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const int64_t dim, call.integer(1, "dimension"));
  STITCH_ASSIGN(const int64_t size, call.integer(2, "size"));
  STITCH_ASSIGN(const int64_t step, call.integer(3, "step"));
  STITCH_TRY(call.require(!call.shape(x).empty(), "a single number has no windows"));
  STITCH_ASSIGN(const int64_t axis, call.axis(dim, call.shape(x).size()));
  return call.finish(Op::kUnfold, {x}, {{"dim", axis}, {"size", size}, {"step", step}});
}

// im2col(x [n, c, h, w] or [c, h, w], kernel_size, dilation, padding, stride) -> [n, c * kernel, windows]
Converted convert_im2col(Call& call) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const Window window, window_arguments(call, 1));
  const bool is_batched = call.shape(x).size() == 4;
  std::vector<int64_t> shape = call.shape(x);
  if (!is_batched) {
    shape.insert(shape.begin(), 1);
    STITCH_ASSIGN(x, call.reshape(x, shape));
  }
  const std::vector<int64_t> amounts = {0, 0, window.padding[0], window.padding[1]};
  if (window.padding[0] != 0 || window.padding[1] != 0) {
    STITCH_ASSIGN(
        x, call.emit(Op::kPad, {x}, {{"before", amounts}, {"after", amounts}, {"mode", "constant"}, {"value", 0.0}}));
  }
  STITCH_ASSIGN(const ValueId rows, dilated_windows(call, x, 2, window, 0));
  STITCH_ASSIGN(const ValueId both, dilated_windows(call, rows, 3, window, 1));  // [n, c, oh, ow, kh, kw]
  STITCH_ASSIGN(const ValueId ordered, permuted_to(call, both, {0, 1, 4, 5, 2, 3}));
  const std::vector<int64_t>& seen = call.shape(ordered);
  std::vector<int64_t> columns = {shape[0], shape[1] * seen[2] * seen[3], seen[4] * seen[5]};
  if (!is_batched) {
    columns.erase(columns.begin());
  }
  STITCH_ASSIGN(const ValueId result, call.reshape(ordered, columns));
  return std::vector<ValueId>{result};
}

// col2im(x [n, c * kernel, windows], output_size, ...), where windows do not overlap: nothing has to be summed.
Converted convert_col2im(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const auto output_size, call.integers(1, "output_size"));
  STITCH_ASSIGN(const Window window, window_arguments(call, 2));
  const std::vector<int64_t> size = pair_of(output_size);
  const bool is_tiling = window.stride == window.kernel && window.padding == std::vector<int64_t>{0, 0} &&
                         window.dilation == std::vector<int64_t>{1, 1} && size[0] % window.kernel[0] == 0 &&
                         size[1] % window.kernel[1] == 0;
  if (!is_tiling) {
    return call.unsupported("fold is supported where windows tile the image: stride = kernel size, no padding");
  }
  const std::vector<int64_t> shape = call.shape(x);
  const int64_t batch = shape.size() == 3 ? shape[0] : 1;
  const int64_t channels = shape[shape.size() - 2] / (window.kernel[0] * window.kernel[1]);
  STITCH_ASSIGN(const ValueId tiles, call.reshape(x, {batch, channels, window.kernel[0], window.kernel[1],
                                                      size[0] / window.kernel[0], size[1] / window.kernel[1]}));
  STITCH_ASSIGN(const ValueId ordered, permuted_to(call, tiles, {0, 1, 4, 2, 5, 3}));
  std::vector<int64_t> image = {batch, channels, size[0], size[1]};
  if (shape.size() != 3) {
    image.erase(image.begin());
  }
  STITCH_ASSIGN(const ValueId result, call.reshape(ordered, image));
  return std::vector<ValueId>{result};
}

// Of the two axes as one line, every (columns + 1)-th element.
Converted convert_diagonal(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  const size_t rank = call.shape(x).size();
  STITCH_ASSIGN(const Diagonal diagonal, diagonal_arguments(call, 1, rank, 0, 1));
  STITCH_ASSIGN(const ValueId last, permuted_to(call, x, two_last(rank, diagonal.first, diagonal.second)));
  std::vector<int64_t> shape = call.shape(last);
  const int64_t columns = shape.back();
  const int64_t rows = shape[rank - 2];
  const int64_t first_row = std::max<int64_t>(0, -diagonal.offset);
  const int64_t first_column = std::max<int64_t>(0, diagonal.offset);
  const int64_t length = std::min(rows - first_row, columns - first_column);
  STITCH_TRY(call.require(length > 0, "the diagonal is empty"));
  shape.pop_back();
  shape.back() = rows * columns;
  STITCH_ASSIGN(const ValueId line, call.reshape(last, shape));
  const int64_t start = first_row * columns + first_column;
  STITCH_ASSIGN(const ValueId result, sliced(call, line, static_cast<int64_t>(rank) - 2, start,
                                             start + (length - 1) * (columns + 1) + 1, columns + 1));
  return std::vector<ValueId>{result};
}

// Zeros but for a diagonal in two new axes.
Converted convert_diag_embed(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  const size_t rank = call.shape(x).size() + 1;
  STITCH_ASSIGN(const Diagonal diagonal, diagonal_arguments(call, 1, rank, -2, -1));
  const int64_t side = call.shape(x).back() + std::abs(diagonal.offset);
  STITCH_ASSIGN(const ValueId column, stood_up(call, x, side, std::max<int64_t>(0, -diagonal.offset)));
  STITCH_ASSIGN(const ValueId here, on_diagonal(call, side, side, diagonal.offset));
  const ir::Scalar zero = is_floating_point(call.type(x).dtype) ? ir::Scalar(0.0) : ir::Scalar(int64_t{0});
  const bool is_truth = call.type(x).dtype == DataType::kBool;
  STITCH_ASSIGN(const ValueId square, call.emit(Op::kWhere, {here, column, is_truth ? ir::Scalar(false) : zero}));
  // From "two axes last" to where the call wants them.
  const std::vector<int64_t> order = two_last(rank, diagonal.first, diagonal.second);
  std::vector<int64_t> back(rank);
  for (size_t i = 0; i < rank; ++i) {
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  STITCH_ASSIGN(const ValueId result, permuted_to(call, square, back));
  return std::vector<ValueId>{result};
}

// diagonal_scatter(x, source, offset, dim1, dim2): the source on the diagonal, x elsewhere
Converted convert_diagonal_scatter(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const ValueId source, call.tensor(1, "src"));
  const size_t rank = call.shape(x).size();
  STITCH_ASSIGN(const Diagonal diagonal, diagonal_arguments(call, 2, rank, 0, 1));
  STITCH_TRY(call.require(
      diagonal.first == static_cast<int64_t>(rank) - 2 && diagonal.second == static_cast<int64_t>(rank) - 1,
      "a diagonal is written in the last two axes"));
  const int64_t rows = call.shape(x)[rank - 2];
  STITCH_ASSIGN(const ValueId column, stood_up(call, source, rows, std::max<int64_t>(0, -diagonal.offset)));
  STITCH_ASSIGN(const ValueId here, on_diagonal(call, rows, call.shape(x)[rank - 1], diagonal.offset));
  return call.finish(Op::kWhere, {here, column, x});
}

// as_strided(x, size, stride, storage_offset) of an input of the program, whose elements lie one after another: each
// axis is windows over what is left of them.
Converted convert_as_strided(Call& call) {
  STITCH_ASSIGN(const ValueId x, call.tensor(0, "self"));
  STITCH_ASSIGN(const auto size, call.integers(1, "size"));
  STITCH_ASSIGN(const auto stride, call.integers(2, "stride"));
  STITCH_ASSIGN(const int64_t offset, call.integer(3, "storage_offset", 0));
  STITCH_TRY(call.require(!call.graph().value(x).producer.is_valid(),
                          "strides are supported over an input, parameter or buffer, not over a computed value"));
  std::vector<int64_t> span(size.size() + 1, 1);  // elements that axis i and those after it reach over
  for (size_t i = size.size(); i-- > 0;) {
    STITCH_TRY(call.require(size[i] >= 1 && stride[i] >= 0, "a stride is negative or an extent empty"));
    span[i] = span[i + 1] + (size[i] - 1) * stride[i];
  }
  STITCH_TRY(call.require(offset + span[0] <= call.type(x).element_count(), "the strides reach beyond the tensor"));
  STITCH_ASSIGN(const ValueId line, call.reshape(x, {call.type(x).element_count()}));
  STITCH_ASSIGN(ValueId view, sliced(call, line, 0, offset, offset + span[0]));
  for (size_t i = 0; i < size.size(); ++i) {
    const auto axis = static_cast<int64_t>(i);
    if (stride[i] > 0) {
      STITCH_ASSIGN(view, windows(call, view, axis, span[i + 1], stride[i]));
      continue;
    }
    std::vector<int64_t> repeated = call.shape(view);
    repeated.insert(repeated.begin() + axis, 1);
    STITCH_ASSIGN(view, call.reshape(view, repeated));
    repeated[i] = size[i];
    STITCH_ASSIGN(view, call.expand(view, repeated));
  }
  STITCH_ASSIGN(view, call.reshape(view, size));
  return std::vector<ValueId>{view};
}

}  // namespace stitch::frontend
