// SPDX-License-Identifier: Apache-2.0
// Running reductions: every state and every launch against a plain loop; ragged rows, rows of one element and of none,
// ties, NaN and infinities, rows read backwards and down the columns.
#include "kernels/scan/reordered.cuh"
#include "kernels/scan/row.cuh"
#include "row_access.cuh"
#include "row_load.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

template <typename T>
__device__ T value_of(const SumScan<T>& total) {
  return total.value;
}
template <typename T>
__device__ T value_of(const ProductScan<T>& total) {
  return total.value;
}
template <typename T, bool kLargest>
__device__ T value_of(const ExtremeScan<T, kLargest>& total) {
  return total.value;
}
__device__ float value_of(const LogSumExpScan& total) { return total.total.value(); }

template <typename State>
__device__ int64_t index_of(const State&) {
  return 0;
}
template <typename T, bool kLargest>
__device__ int64_t index_of(const ExtremeScan<T, kLargest>& total) {
  return total.index;
}

template <typename T>
struct Store {
  T* y;
  int64_t* index;
  int64_t columns;
  template <typename State>
  __device__ void operator()(int64_t row, int64_t column, const State& total) const {
    y[row * columns + column] = value_of(total);
    index[row * columns + column] = index_of(total);
  }
};

// What a plain loop keeps.
template <typename T>
struct Loop {
  double value;
  T exact;
  int64_t index = 0;
};

template <typename T>
void step(Loop<T>& loop, T element, int64_t column, SumScan<T>*) {
  loop.value = column == 0 ? static_cast<double>(element) : loop.value + static_cast<double>(element);
}
void step(Loop<float>& loop, float element, int64_t column, ProductScan<float>*) {
  loop.value = column == 0 ? element : loop.value * element;
}
// As torch.cummax: the last of equal elements, and the last NaN.
template <typename T, bool kLargest>
void step(Loop<T>& loop, T element, int64_t column, ExtremeScan<T, kLargest>*) {
  const bool is_nan = element != element;
  const bool is_as_good = kLargest ? element >= loop.exact : element <= loop.exact;
  if (column == 0 || is_nan || (loop.exact == loop.exact && is_as_good)) {
    loop.exact = element;
    loop.index = column;
  }
  loop.value = static_cast<double>(loop.exact);
}
void step(Loop<float>& loop, float element, int64_t column, LogSumExpScan*) {
  if (column == 0) {
    loop.value = element;
    return;
  }
  const double largest = std::fmax(loop.value, element);
  const bool has_nan = std::isnan(loop.value) || std::isnan(element);
  loop.value = has_nan               ? NAN
               : std::isinf(largest) ? largest
                                     : largest + std::log(std::exp(loop.value - largest) + std::exp(element - largest));
}

enum class Order { kRows, kBackwards, kColumns };

struct Layout {
  int64_t rows;
  int64_t columns;
  Order order;

  int64_t at(int64_t row, int64_t column) const {
    return order == Order::kColumns     ? column * rows + row
           : order == Order::kBackwards ? (row + 1) * columns - 1 - column
                                        : row * columns + column;
  }
  template <typename T>
  RowLoad<T> load(const T* x) const {
    switch (order) {
      case Order::kColumns:
        return {x, 1, rows};
      case Order::kBackwards:
        return {x + (columns > 0 ? columns - 1 : 0), columns, -1};
      default:
        return {x, columns, 1};
    }
  }
};

// How a scan is launched: by a thread a row, by a block, or by `splits` blocks.
struct Launch {
  std::string name;
  int threads;
  int64_t splits;
};

const std::vector<Launch>& launches() {
  static const std::vector<Launch> all = {{"serial", 1, 1},     {"block of 32", 32, 1}, {"block of 256", 256, 1},
                                          {"one part", 256, 1}, {"3 parts", 256, 3},    {"64 parts", 256, 64}};
  return all;
}

template <typename State, typename T>
cudaError_t launch(const Launch& how, const RowLoad<T>& load, const Store<T>& store, const ScanShape& shape,
                   void* scratch) {
  if (how.name == "serial") {
    return launch_scan_serial<State>(load, store, shape, nullptr);
  }
  if (how.name.rfind("block", 0) == 0) {
    return how.threads == 32 ? launch_scan_rows<State, 32>(load, store, shape, nullptr)
                             : launch_scan_rows<State, 256>(load, store, shape, nullptr);
  }
  return launch_scan_split<State, 256>(load, store, shape, how.splits, scratch, nullptr);
}

template <typename State, typename T = typename State::Element>
void check(Checker& checker, const std::string& what, const std::vector<T>& x, const Layout& layout, double tolerance) {
  std::vector<double> want;
  std::vector<int64_t> want_index;
  for (int64_t row = 0; row < layout.rows; ++row) {
    Loop<T> loop{};
    for (int64_t column = 0; column < layout.columns; ++column) {
      step(loop, x[static_cast<size_t>(layout.at(row, column))], column, static_cast<State*>(nullptr));
      want.push_back(loop.value);
      want_index.push_back(loop.index);
    }
  }
  const DeviceArray<T> input(x);
  for (const Launch& how : launches()) {
    const DeviceArray<T> y(layout.rows * layout.columns);
    const DeviceArray<int64_t> index(layout.rows * layout.columns);
    const DeviceArray<int64_t> scratch(2 * layout.rows * how.splits);
    const std::string name =
        what + ", " + how.name + ": " + std::to_string(layout.rows) + " rows of " + std::to_string(layout.columns);
    checker.launched(name, launch<State>(how, layout.load(input.data()), {y.data(), index.data(), layout.columns},
                                         {layout.rows, layout.columns}, scratch.data()));
    const std::vector<T> values = y.values();
    checker.close(name, std::vector<double>(values.begin(), values.end()), want, tolerance);
    checker.same(name + ", index", index.values(), want_index);
  }
}

// Whole numbers of few values: sums are exact in any order, and ties are many.
template <typename T>
std::vector<T> whole_numbers(int64_t count, uint64_t seed) {
  std::vector<T> values;
  for (const float value : random_floats(count, seed, -8.0f, 8.0f)) {
    values.push_back(static_cast<T>(std::floor(value)));
  }
  return values;
}

std::vector<float> with_specials(std::vector<float> values, const std::vector<float>& specials, uint64_t seed) {
  for (size_t i = 0; i < specials.size() && !values.empty(); ++i) {
    const auto at = random_floats(1, seed + i, 0.0f, static_cast<float>(values.size())).front();
    values[static_cast<size_t>(at)] = specials[i];
  }
  return values;
}

void check_layout(Checker& checker, const Layout& layout, uint64_t seed) {
  const int64_t count = layout.rows * layout.columns;
  check<SumScan<float>>(checker, "sum", whole_numbers<float>(count, seed), layout, 0.0);
  check<SumScan<float>>(checker, "sum of fractions", random_floats(count, seed), layout, 1e-5);
  check<SumScan<double>>(checker, "sum of doubles", whole_numbers<double>(count, seed), layout, 0.0);
  check<SumScan<int64_t>>(checker, "sum of integers", whole_numbers<int64_t>(count, seed), layout, 0.0);
  check<ProductScan<float>>(checker, "product", random_floats(count, seed, 0.97f, 1.03f), layout, 1e-4);
  check<ExtremeScan<float, true>>(checker, "maximum", whole_numbers<float>(count, seed), layout, 0.0);
  check<ExtremeScan<int64_t, false>>(checker, "minimum", whole_numbers<int64_t>(count, seed), layout, 0.0);
  check<LogSumExpScan>(checker, "logsumexp", random_floats(count, seed, -30.0f, 30.0f), layout, 1e-5);
  const auto odd = with_specials(whole_numbers<float>(count, seed), {NAN, INFINITY, -INFINITY, NAN}, seed);
  check<ExtremeScan<float, true>>(checker, "maximum with NaN", odd, layout, 0.0);
  check<ExtremeScan<float, false>>(checker, "minimum with NaN", odd, layout, 0.0);
  check<LogSumExpScan>(checker, "logsumexp with infinities",
                       with_specials(random_floats(count, seed), {INFINITY, -INFINITY}, seed), layout, 1e-5);
  check<LogSumExpScan>(checker, "logsumexp with NaN", odd, layout, 1e-5);
}

void check_lanes(Checker& checker, int64_t rows, int64_t columns) {
  const auto x = whole_numbers<float>(rows * columns, 5);
  std::vector<double> want;
  for (int64_t row = 0; row < rows; ++row) {
    double sum = 0.0;
    for (int64_t column = 0; column < columns; ++column) {
      want.push_back(sum += x[static_cast<size_t>(row * columns + column)]);
    }
  }
  const DeviceFloats device_x(x);
  const RowLanesLoad load{device_x.data(), columns};
  const ScanShape shape{rows, columns, columns % 4 == 0 && lanes_aligned(device_x.data(), columns)};
  const std::string name = "lanes " + std::to_string(rows) + "x" + std::to_string(columns);
  const auto check_launch = [&](const std::string& how, const auto& launch) {
    const DeviceFloats y(rows * columns);
    checker.launched(name + how, launch(RowLanesStore{y.data(), columns}));
    checker.close(name + how, y.values(), want, 0.0);
  };
  using State = SumScan<float>;
  check_launch(", serial",
               [&](const RowLanesStore& store) { return launch_scan_serial<State>(load, store, shape, nullptr); });
  check_launch(", 32",
               [&](const RowLanesStore& store) { return launch_scan_rows<State, 32>(load, store, shape, nullptr); });
  check_launch(", 128",
               [&](const RowLanesStore& store) { return launch_scan_rows<State, 128>(load, store, shape, nullptr); });
  check_launch(", 3 parts", [&](const RowLanesStore& store) {
    const DeviceFloats scratch(rows * 3);
    return launch_scan_split<State, 128>(load, store, shape, 3, scratch.data(), nullptr);
  });
}

// Rows scanned from their ends, and with each element a place later.
void check_reordered(Checker& checker, int64_t rows, int64_t columns) {
  const auto x = random_floats(rows * columns, 9, -1.0f, 1.0f);
  const DeviceFloats device_x(x);
  const RowLanesLoad load{device_x.data(), columns};
  const ScanShape shape{rows, columns, columns % 4 == 0};
  std::vector<double> backwards(x.size());
  std::vector<double> later(x.size());
  for (int64_t row = 0; row < rows; ++row) {
    double sum = 0.0;
    for (int64_t column = columns - 1; column >= 0; --column) {
      backwards[row * columns + column] = sum += x[row * columns + column];
    }
    sum = 2.0;
    for (int64_t column = 0; column < columns; ++column) {
      later[row * columns + column] = sum;
      sum += x[row * columns + column];
    }
  }
  const std::string name = " " + std::to_string(rows) + "x" + std::to_string(columns);
  using State = SumScan<float>;
  const DeviceFloats y(rows * columns);
  const ReversedStore<RowLanesStore> store{{y.data(), columns}, columns};
  checker.launched("backwards" + name,
                   launch_scan_rows<State, 128>(ReversedLoad<RowLanesLoad>{load, columns}, store, shape, nullptr));
  checker.close("backwards" + name, y.values(), backwards, 1e-4);
  const DeviceFloats z(rows * columns);
  checker.launched("later" + name, launch_scan_rows<State, 128>(LaterLoad<RowLanesLoad, float>{load, 2.0f},
                                                                RowLanesStore{z.data(), columns}, shape, nullptr));
  checker.close("later" + name, z.values(), later, 1e-4);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  const std::vector<Layout> layouts = {{1, 1, Order::kRows},        {3, 0, Order::kRows},      {5, 2, Order::kColumns},
                                       {2, 31, Order::kBackwards},  {130, 5, Order::kColumns}, {1, 129, Order::kRows},
                                       {3, 128, Order::kColumns},   {2, 1024, Order::kRows},   {2, 1025, Order::kRows},
                                       {1, 3001, Order::kBackwards}};
  for (size_t i = 0; i < layouts.size(); ++i) {
    check_layout(checker, layouts[i], i + 1);
  }
  for (const int64_t columns : {4, 129, 516, 2048, 2180, 4101}) {
    check_lanes(checker, 2, columns);
    check_reordered(checker, 3, columns);
  }
  // Nothing but -inf so far is -inf, not NaN; what comes first decides nothing.
  check<LogSumExpScan>(checker, "logsumexp of -inf", {-INFINITY, -INFINITY, 1.0f, INFINITY, 2.0f, NAN, 0.0f},
                       {1, 7, Order::kRows}, 1e-6);
  check<ExtremeScan<float, true>>(checker, "maximum of -inf", {-INFINITY, -INFINITY, -INFINITY, 0.0f},
                                  {2, 2, Order::kRows}, 0.0);
  return checker.finish();
}
