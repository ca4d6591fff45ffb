// SPDX-License-Identifier: Apache-2.0
// Reductions: every accumulator, rows and columns, one block and split over blocks, ragged lengths.
#include <algorithm>

#include "kernels/reduce/split.cuh"
#include "row_access.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

// The kept axis is the contiguous one.
struct LoadColumn {
  const float* x;
  int64_t stride;

  __device__ float operator()(int64_t reduced, int64_t kept) const { return x[reduced * stride + kept]; }
};

struct LoadColumnLanes : LoadColumn {
  template <int kLanes>
  __device__ Lanes<float, kLanes> lanes(int64_t reduced, int64_t kept) const {
    return load_float_lanes<kLanes>(x + reduced * stride + kept);
  }
};

__device__ float result_of(const SumAccumulator& total) { return total.sum; }
__device__ float result_of(const MaxAccumulator& total) { return total.value; }
__device__ float result_of(const MinAccumulator& total) { return total.value; }
__device__ float result_of(const ProductAccumulator& total) { return total.product; }
__device__ float result_of(const WelfordAccumulator& total) { return total.mean + total.variance(1.0f); }
__device__ float result_of(const LogSumExpAccumulator& total) { return total.value(); }

template <typename Accumulator>
struct Store {
  float* y;
  __device__ void operator()(int64_t kept, const Accumulator& total) const { y[kept] = result_of(total); }
};

double reference(const std::vector<double>& v, SumAccumulator*) {
  double sum = 0.0;
  for (const double x : v) sum += x;
  return sum;
}
double reference(const std::vector<double>& v, MaxAccumulator*) { return *std::max_element(v.begin(), v.end()); }
double reference(const std::vector<double>& v, MinAccumulator*) { return *std::min_element(v.begin(), v.end()); }
double reference(const std::vector<double>& v, ProductAccumulator*) {
  double product = 1.0;
  for (const double x : v) product *= x;
  return product;
}
double reference(const std::vector<double>& v, WelfordAccumulator*) {
  const double mean = reference(v, static_cast<SumAccumulator*>(nullptr)) / v.size();
  double squares = 0.0;
  for (const double x : v) squares += (x - mean) * (x - mean);
  return mean + squares / (v.size() - 1.0);
}
double reference(const std::vector<double>& v, LogSumExpAccumulator*) {
  double sum = 0.0;
  for (const double x : v) sum += std::exp(x);
  return std::log(sum);
}

// x is kept x reduced, or reduced x kept for the column forms.
struct Case {
  int64_t kept;
  int64_t reduced;
};

template <typename Accumulator>
std::vector<double> expected(const std::vector<float>& x, const Case& size, bool columns) {
  std::vector<double> want;
  for (int64_t kept = 0; kept < size.kept; ++kept) {
    std::vector<double> values;
    for (int64_t reduced = 0; reduced < size.reduced; ++reduced) {
      values.push_back(x[columns ? reduced * size.kept + kept : kept * size.reduced + reduced]);
    }
    want.push_back(reference(values, static_cast<Accumulator*>(nullptr)));
  }
  return want;
}

template <typename Accumulator>
void check_rows(Checker& checker, const Case& size, const std::string& name) {
  const auto x = random_floats(size.kept * size.reduced, 1, 0.5f, 1.5f);
  const DeviceFloats device_x(x);
  const auto want = expected<Accumulator>(x, size, false);
  const RowLanesLoad load{device_x.data(), size.reduced};
  const ReduceShape shape{size.kept, size.reduced, lanes_aligned(device_x.data(), size.reduced)};
  const auto check = [&](const char* form, const auto& launch) {
    const DeviceFloats y(size.kept);
    checker.launched(name + form, launch(Store<Accumulator>{y.data()}));
    checker.close(name + form, y.values(), want, 1e-5);
  };
  check(" warp", [&](auto store) { return launch_reduce_rows<Accumulator, 32>(load, store, shape, nullptr); });
  check(" 8 threads", [&](auto store) { return launch_reduce_rows<Accumulator, 8>(load, store, shape, nullptr); });
  check(" block", [&](auto store) { return launch_reduce_rows<Accumulator, 256>(load, store, shape, nullptr); });
  constexpr int64_t kSplits = 5;
  constexpr int64_t kManySplits = 131;  // joined by more than a warp
  const DeviceFloats scratch(reduce_split_scratch_bytes<Accumulator>(size.kept, kManySplits) / 4);
  check(" split in many", [&](auto store) {
    return launch_reduce_rows_split<Accumulator, 128>(load, store, shape, kManySplits, scratch.data(), nullptr);
  });
  check(" split", [&](auto store) {
    return launch_reduce_rows_split<Accumulator, 128>(load, store, shape, kSplits, scratch.data(), nullptr);
  });
}

template <typename Accumulator>
void check_columns(Checker& checker, const Case& size, const std::string& name) {
  const auto x = random_floats(size.kept * size.reduced, 2, 0.5f, 1.5f);
  const DeviceFloats device_x(x);
  const auto want = expected<Accumulator>(x, size, true);
  const LoadColumnLanes load{{device_x.data(), size.kept}};
  const ReduceShape shape{size.kept, size.reduced, lanes_aligned(device_x.data(), size.kept)};
  const auto check = [&](const char* form, const auto& launch) {
    const DeviceFloats y(size.kept);
    checker.launched(name + form, launch(Store<Accumulator>{y.data()}));
    checker.close(name + form, y.values(), want, 1e-5);
  };
  check(" alone", [&](auto store) { return launch_reduce_columns<Accumulator, 1>(load, store, shape, nullptr); });
  check(" shared", [&](auto store) { return launch_reduce_columns<Accumulator>(load, store, shape, nullptr); });
  check(" scalar", [&](auto store) {
    return launch_reduce_columns<Accumulator, 4>(LoadColumn{device_x.data(), size.kept}, store, shape, nullptr);
  });
  constexpr int64_t kSplits = 3;
  const DeviceFloats scratch(reduce_split_scratch_bytes<Accumulator>(size.kept, kSplits) / 4);
  check(" split", [&](auto store) {
    return launch_reduce_columns_split<Accumulator>(load, store, shape, kSplits, scratch.data(), nullptr);
  });
}

template <typename Accumulator>
void check_all(Checker& checker, const std::string& name) {
  for (const Case& size : {Case{5, 1024}, Case{130, 37}, Case{3, 2}, Case{2, 5003}, Case{136, 85}}) {
    const std::string what = name + " " + std::to_string(size.kept) + "x" + std::to_string(size.reduced);
    check_rows<Accumulator>(checker, size, what + " rows");
    check_columns<Accumulator>(checker, size, what + " columns");
  }
}

// So many columns that each thread takes several, a warp apart.
void check_many_columns(Checker& checker) {
  check_columns<SumAccumulator>(checker, {kMinKeptApart + 5, 7}, "sum of many columns");
  check_columns<WelfordAccumulator>(checker, {kMinKeptApart + 130, 35}, "welford of many columns");
}

void check_special_values(Checker& checker) {
  const float inf = INFINITY;
  const DeviceFloats x(std::vector<float>{1.0f, NAN, 2.0f, 0.0f, -inf, -inf, -inf, -inf, 1.0f, inf, 0.0f, 0.0f});
  const ReduceShape shape{3, 4, true};
  const DeviceFloats largest(3);
  checker.launched("max", launch_reduce_rows<MaxAccumulator, 32>(
                              RowLanesLoad{x.data(), 4}, Store<MaxAccumulator>{largest.data()}, shape, nullptr));
  checker.close("max of special values", largest.values(), {NAN, -inf, inf}, 0.0);
  const DeviceFloats log_sum(3);
  checker.launched("logsumexp",
                   launch_reduce_rows<LogSumExpAccumulator, 32>(
                       RowLanesLoad{x.data(), 4}, Store<LogSumExpAccumulator>{log_sum.data()}, shape, nullptr));
  checker.close("logsumexp of special values", log_sum.values(), {NAN, -inf, inf}, 0.0);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_all<SumAccumulator>(checker, "sum");
  check_all<MaxAccumulator>(checker, "max");
  check_all<MinAccumulator>(checker, "min");
  check_all<WelfordAccumulator>(checker, "welford");
  check_all<LogSumExpAccumulator>(checker, "logsumexp");
  check_rows<ProductAccumulator>(checker, {7, 12}, "product");
  check_many_columns(checker);
  check_special_values(checker);
  return checker.finish();
}
