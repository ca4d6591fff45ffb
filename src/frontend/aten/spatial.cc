// SPDX-License-Identifier: Apache-2.0
#include "frontend/aten/spatial.h"

namespace stitch::frontend {
namespace {

Result<std::vector<int64_t>> spread(Call& call, const char* name, std::vector<int64_t> values, size_t axes) {
  if (values.size() == 1) {
    values.resize(axes, values[0]);
  }
  if (values.size() != axes) {
    return call.unsupported(std::string(name) + " has another number of axes");
  }
  return values;
}

}  // namespace

Result<std::vector<int64_t>> per_axis(Call& call, size_t position, const char* name,
                                      const std::vector<int64_t>& missing) {
  STITCH_ASSIGN(const std::vector<int64_t> values, call.integers(position, name, missing));
  return values.empty() ? missing : spread(call, name, values, missing.size());
}

Result<std::vector<int64_t>> per_axis(Call& call, size_t position, const char* name, size_t axes) {
  STITCH_ASSIGN(const std::vector<int64_t> values, call.integers(position, name));
  return spread(call, name, values, axes);
}

Result<ValueId> with_row_axis(Call& call, ValueId x) {
  std::vector<int64_t> shape = call.shape(x);
  shape.insert(shape.end() - 1, 1);
  return call.reshape(x, shape);
}

Result<ValueId> without_row_axis(Call& call, ValueId x) {
  std::vector<int64_t> shape = call.shape(x);
  shape.erase(shape.end() - 2);
  return call.reshape(x, shape);
}

std::vector<int64_t> with_row(std::vector<int64_t> numbers, int64_t one) {
  numbers.insert(numbers.begin(), one);
  return numbers;
}

}  // namespace stitch::frontend
