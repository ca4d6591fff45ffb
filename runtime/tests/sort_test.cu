// SPDX-License-Identifier: Apache-2.0
// Sorting, by every kernel, against std::stable_sort: ragged rows, rows of one element, ties, NaN, infinities and both
// zeros, rows beyond one block's shared memory, and the first few of a row.
#include "kernels/sort/bitonic.cuh"
#include "kernels/sort/rank.cuh"
#include "kernels/sort/select.cuh"
#include "row_load.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

template <typename T>
struct Store {
  T* values;
  int64_t* positions;
  int64_t kept;
  __device__ void operator()(int64_t row, int64_t rank, T value, int64_t position) const {
    values[row * kept + rank] = value;
    positions[row * kept + rank] = position;
  }
};

constexpr int kCapacity = 64;  // of shared memory: small, so that rows go beyond it soon

enum class Kernel { kRank, kBlock32, kBlock128, kLong, kSelect1, kSelect32, kSelect256 };

const char* name_of(Kernel kernel) {
  constexpr const char* kNames[] = {"by rank",     "block of 32",  "block of 128", "long rows",
                                    "select by 1", "select by 32", "select by 256"};
  return kNames[static_cast<int>(kernel)];
}

template <typename T, bool kDescending>
cudaError_t launch(Kernel kernel, const RowLoad<T>& load, const Store<T>& store, const SortShape& shape,
                   void* scratch) {
  switch (kernel) {
    case Kernel::kRank:
      return launch_sort_by_rank<T, kDescending>(load, store, shape, nullptr);
    case Kernel::kBlock32:
      return launch_sort_rows<T, kDescending, 32, kCapacity>(load, store, shape, nullptr);
    case Kernel::kBlock128:
      return launch_sort_rows<T, kDescending, 128, 1024>(load, store, shape, nullptr);
    case Kernel::kLong:
      return launch_sort_long_rows<T, kDescending, 32, kCapacity>(load, store, shape, scratch, nullptr);
    case Kernel::kSelect1:
      return launch_select<T, kDescending, 1>(load, store, shape, nullptr);
    case Kernel::kSelect32:
      return launch_select<T, kDescending, 32>(load, store, shape, nullptr);
    default:
      return launch_select<T, kDescending, 256>(load, store, shape, nullptr);
  }
}

bool takes(Kernel kernel, const SortShape& shape) {
  constexpr int64_t kFew = 7;
  switch (kernel) {
    case Kernel::kBlock32:
      return shape.columns <= kCapacity;
    case Kernel::kBlock128:
      return shape.columns <= 1024;
    case Kernel::kSelect1:
    case Kernel::kSelect32:
    case Kernel::kSelect256:
      return shape.kept <= kFew;
    default:
      return true;
  }
}

template <typename T>
bool is_less(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(b) ? !std::isnan(a) : a < b;  // NaN is the greatest
  } else {
    return a < b;
  }
}

template <typename T, bool kDescending>
void check(Checker& checker, const std::string& what, const std::vector<T>& x, const SortShape& shape, bool is_column) {
  const int64_t row_stride = is_column ? 1 : shape.columns;
  const int64_t column_stride = is_column ? shape.rows : 1;
  std::vector<T> want_values;
  std::vector<int64_t> want_positions;
  for (int64_t row = 0; row < shape.rows; ++row) {
    const auto element = [&](int64_t column) {
      return x[static_cast<size_t>(row * row_stride + column * column_stride)];
    };
    std::vector<int64_t> order(static_cast<size_t>(shape.columns));
    for (size_t column = 0; column < order.size(); ++column) {
      order[column] = static_cast<int64_t>(column);
    }
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return kDescending ? is_less<T>(element(b), element(a)) : is_less<T>(element(a), element(b));
    });
    for (int64_t rank = 0; rank < shape.kept; ++rank) {
      want_values.push_back(element(order[static_cast<size_t>(rank)]));
      want_positions.push_back(order[static_cast<size_t>(rank)]);
    }
  }
  const DeviceArray<T> input(x);
  constexpr int64_t kMostPadded = 8192;
  const DeviceArray<int64_t> scratch(2 * shape.rows * kMostPadded);
  for (const Kernel kernel : {Kernel::kRank, Kernel::kBlock32, Kernel::kBlock128, Kernel::kLong, Kernel::kSelect1,
                              Kernel::kSelect32, Kernel::kSelect256}) {
    if (!takes(kernel, shape)) {
      continue;
    }
    const DeviceArray<T> values(shape.rows * shape.kept);
    const DeviceArray<int64_t> positions(shape.rows * shape.kept);
    const std::string name = what + (kDescending ? " falling, " : " rising, ") + name_of(kernel) + ": " +
                             std::to_string(shape.kept) + " of " + std::to_string(shape.rows) + " rows of " +
                             std::to_string(shape.columns);
    checker.launched(name,
                     launch<T, kDescending>(kernel, {input.data(), row_stride, column_stride},
                                            {values.data(), positions.data(), shape.kept}, shape, scratch.data()));
    checker.same(name, values.values(), want_values);
    checker.same(name + ", positions", positions.values(), want_positions);
  }
}

// Values from few: ties are many.
template <typename T>
std::vector<T> drawn(int64_t count, uint64_t seed) {
  std::vector<T> values;
  for (const float value : random_floats(count, seed, -20.0f, 20.0f)) {
    values.push_back(static_cast<T>(std::floor(value)));
  }
  return values;
}
template <>
std::vector<bool> drawn<bool>(int64_t count, uint64_t seed) {
  std::vector<bool> values;
  for (const float value : random_floats(count, seed)) {
    values.push_back(value > 0.3f);
  }
  return values;
}

template <typename T>
std::vector<T> special(int64_t count, uint64_t seed) {
  const T specials[] = {T(NAN), T(INFINITY), T(-INFINITY), T(0.0), T(-0.0), T(1), T(-1e-45)};
  std::vector<T> values;
  for (const float place : random_floats(count, seed, 0.0f, 7.0f)) {
    values.push_back(specials[static_cast<int>(place)]);
  }
  return values;
}

template <typename T>
void check_both(Checker& checker, const std::string& what, const std::vector<T>& x, const SortShape& shape,
                bool is_column) {
  check<T, false>(checker, what, x, shape, is_column);
  check<T, true>(checker, what, x, shape, is_column);
}

void check_shape(Checker& checker, const SortShape& shape, bool is_column, uint64_t seed) {
  const int64_t count = shape.rows * shape.columns;
  check_both<float>(checker, "floats", drawn<float>(count, seed), shape, is_column);
  check_both<float>(checker, "special floats", special<float>(count, seed), shape, is_column);
  check_both<double>(checker, "special doubles", special<double>(count, seed + 1), shape, is_column);
  auto integers = drawn<int64_t>(count, seed);
  integers.front() = INT64_MIN;
  integers.back() = INT64_MAX;
  check_both<int64_t>(checker, "integers", integers, shape, is_column);
  check_both<bool>(checker, "truth values", drawn<bool>(count, seed), shape, is_column);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_shape(checker, {1, 1, 1}, false, 1);
  check_shape(checker, {5, 1, 1}, true, 2);
  check_shape(checker, {3, 2, 2}, false, 3);
  check_shape(checker, {40, 7, 7}, true, 4);
  check_shape(checker, {2, 63, 63}, false, 5);
  check_shape(checker, {2, 64, 5}, true, 6);
  check_shape(checker, {3, 65, 65}, false, 7);
  check_shape(checker, {2, 129, 1}, false, 8);
  check_shape(checker, {1, 777, 6}, false, 9);
  check_both<float>(checker, "floats", drawn<float>(2 * 1500, 10), {2, 1500, 1500}, false);
  check_both<float>(checker, "fractions", random_floats(4099, 11), {1, 4099, 3}, false);
  // A row that is too long for one block is refused, not cut.
  const DeviceFloats none(1);
  const cudaError_t refused = launch_sort_rows<float, false, 32, kCapacity>(
      RowLoad<float>{none.data(), 1, 1}, Store<float>{none.data(), nullptr, 1}, {1, kCapacity + 1, 1}, nullptr);
  checker.is_true("a row beyond the capacity is refused", refused == cudaErrorInvalidValue);
  return checker.finish();
}
