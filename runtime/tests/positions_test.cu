// SPDX-License-Identifier: Apache-2.0
// Positions of extremes and exact sums, by every kernel, against a plain loop: ragged rows and columns, ties, NaN,
// infinities, rows of equal elements, and parts that have nothing to do.
#include "kernels/reduce/position_columns.cuh"
#include "row_load.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

struct Sizes {
  int64_t kept;
  int64_t columns;
};

template <typename T>
struct StorePosition {
  int64_t* out;
  template <bool kLargest>
  __device__ void operator()(int64_t kept, const ArgAccumulator<T, kLargest>& total) const {
    out[kept] = total.index;
  }
  __device__ void operator()(int64_t kept, const ExactSumAccumulator<T>& total) const {
    out[kept] = static_cast<int64_t>(total.sum);
  }
};

template <typename Accumulator, int kSharers, int kLanes, typename Load, typename Store>
cudaError_t columns_of(const Load& load, const Store& store, const Sizes& sizes) {
  return reduce_detail::launch_position_columns_of_lanes<Accumulator, kSharers, kLanes>(load, store, sizes.kept,
                                                                                        sizes.columns, 1, nullptr);
}

constexpr const char* kKernels[] = {"rows of 1",         "rows of 32",        "rows of 128",       "rows in 5 parts",
                                    "8 sharers",         "8 sharers, 4 each", "32 sharers",        "32 sharers, 4 each",
                                    "4 sharers, 4 each", "alone, 4 each",     "columns in 3 parts"};
constexpr int kKernelCount = sizeof(kKernels) / sizeof(kKernels[0]);

template <typename Accumulator, typename Load, typename Store>
cudaError_t launch(int kernel, const Load& load, const Store& store, const Sizes& sizes, void* scratch) {
  const auto [kept, columns] = sizes;
  switch (kernel) {
    case 0:
      return launch_reduce_positions<Accumulator, 1>(load, store, kept, columns, nullptr);
    case 1:
      return launch_reduce_positions<Accumulator, 32>(load, store, kept, columns, nullptr);
    case 2:
      return launch_reduce_positions<Accumulator, 128>(load, store, kept, columns, nullptr);
    case 3:
      return launch_reduce_positions_split<Accumulator, 128>(load, store, kept, columns, 5, scratch, nullptr);
    case 4:
      return launch_reduce_position_columns<Accumulator, 8>(load, store, kept, columns, nullptr);
    case 5:
      return columns_of<Accumulator, 8, 4>(load, store, sizes);
    case 6:
      return launch_reduce_position_columns<Accumulator, 32>(load, store, kept, columns, nullptr);
    case 7:
      return columns_of<Accumulator, 32, 4>(load, store, sizes);
    case 8:
      return columns_of<Accumulator, 4, 4>(load, store, sizes);
    case 9:
      return columns_of<Accumulator, 1, 4>(load, store, sizes);
    default:
      return launch_reduce_position_columns_split<Accumulator, 8>(load, store, kept, columns, 3, scratch, nullptr);
  }
}

// The first NaN, or the first of the largest (smallest).
template <typename T, bool kLargest, typename Element>
int64_t first_of_row(const Element& element, int64_t columns) {
  int64_t found = 0;
  for (int64_t column = 0; column < columns; ++column) {
    if (element(column) != element(column)) {
      return column;
    }
    if (kLargest ? element(column) > element(found) : element(column) < element(found)) {
      found = column;
    }
  }
  return found;
}

template <typename T, typename Accumulator, typename Want>
void check(Checker& checker, const std::string& what, const std::vector<T>& x, const Sizes& sizes,
           const Want& want_of) {
  std::vector<int64_t> want;
  for (int64_t kept = 0; kept < sizes.kept; ++kept) {
    want.push_back(want_of([&](int64_t column) { return x[static_cast<size_t>(column * sizes.kept + kept)]; }));
  }
  const DeviceArray<T> input(x);
  const DeviceArray<int64_t> scratch(2 * 5 * sizes.kept);
  for (int kernel = 0; kernel < kKernelCount; ++kernel) {
    const DeviceArray<int64_t> positions(sizes.kept);
    const std::string name =
        what + ", " + kKernels[kernel] + ": " + std::to_string(sizes.columns) + " by " + std::to_string(sizes.kept);
    const RowLoad<T> load{input.data(), 1, sizes.kept};
    const StorePosition<T> store{positions.data()};
    checker.launched(name, launch<Accumulator>(kernel, load, store, sizes, scratch.data()));
    checker.same(name, positions.values(), want);
  }
}

template <typename T>
void check_extremes(Checker& checker, const std::string& what, const std::vector<T>& x, const Sizes& sizes) {
  check<T, ArgAccumulator<T, true>>(checker, what + ", largest", x, sizes,
                                    [&](const auto& element) { return first_of_row<T, true>(element, sizes.columns); });
  check<T, ArgAccumulator<T, false>>(checker, what + ", smallest", x, sizes, [&](const auto& element) {
    return first_of_row<T, false>(element, sizes.columns);
  });
}

// Of few different values, so that ties are many.
template <typename T>
std::vector<T> drawn(const Sizes& sizes, uint64_t seed, const std::vector<T>& values) {
  std::vector<T> result;
  for (const float place : random_floats(sizes.kept * sizes.columns, seed, 0.0f, static_cast<float>(values.size()))) {
    result.push_back(values[static_cast<size_t>(place)]);
  }
  return result;
}

void check_sizes(Checker& checker, const Sizes& sizes, uint64_t seed) {
  const std::vector<float> numbers{-3, -2, -1, 0, 1, 2, 3};
  check_extremes<float>(checker, "ties", drawn<float>(sizes, seed, numbers), sizes);
  check_extremes<float>(checker, "fractions", random_floats(sizes.kept * sizes.columns, seed), sizes);
  const std::vector<float> few_nan{1, 2, 3, 4, 5, 6, -INFINITY, INFINITY, 7, 8, 9, NAN};
  check_extremes<float>(checker, "NaN and infinities", drawn<float>(sizes, seed, few_nan), sizes);
  check_extremes<float>(checker, "equals", drawn<float>(sizes, seed, {-INFINITY}), sizes);
  check_extremes<double>(checker, "doubles", drawn<double>(sizes, seed, {1, 1 + 1e-12, -INFINITY}), sizes);
  check_extremes<int64_t>(checker, "integers", drawn<int64_t>(sizes, seed, {INT64_MIN, 0, INT64_MAX - 1}), sizes);
  const auto integers = drawn<int64_t>(sizes, seed, {-5, 1, 1LL << 40});
  check<int64_t, ExactSumAccumulator<int64_t>>(checker, "sums", integers, sizes, [&](const auto& element) {
    int64_t sum = 0;
    for (int64_t column = 0; column < sizes.columns; ++column) {
      sum += element(column);
    }
    return sum;
  });
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_sizes(checker, {1, 1}, 1);
  check_sizes(checker, {7, 3}, 2);
  check_sizes(checker, {33, 131}, 3);
  check_sizes(checker, {131, 17}, 4);
  check_sizes(checker, {129, 150}, 5);
  check_sizes(checker, {2, 700}, 6);
  return checker.finish();
}
