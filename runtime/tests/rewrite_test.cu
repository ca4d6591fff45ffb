// SPDX-License-Identifier: Apache-2.0
// Reductions that lead back to every element: tiles and rows in registers, axes too long for them, ragged extents, with
// lanes and without.
#include "kernels/reduce/rewrite_cluster.cuh"
#include "kernels/reduce/rewrite_columns.cuh"
#include "kernels/reduce/rewrite_held.cuh"
#include "kernels/reduce/rewrite_lanes.cuh"
#include "kernels/reduce/rewrite_rows.cuh"
#include "row_access.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

// An element times a weight that changes along both axes, so that a term at a wrong place shows.
__host__ __device__ float weight(int64_t outer, int64_t inner) {
  return 1.0f + static_cast<float>(outer % 3) - static_cast<float>(inner % 5) * 0.25f;
}
struct Term {
  __device__ float operator()(int64_t outer, int64_t inner, float value) const { return value * weight(outer, inner); }
};

__device__ float result_of(const SumAccumulator& total, float value) { return value - 0.01f * total.sum; }
__device__ float result_of(const MaxAccumulator& total, float value) { return value - total.value; }
__device__ float result_of(const WelfordAccumulator& total, float value) {
  return (value - total.mean) / sqrtf(total.variance(0.0f) + 0.1f);
}

template <typename Accumulator>
struct Store {
  float* y;
  int64_t stride;

  __device__ void operator()(int64_t outer, int64_t inner, const Accumulator& total, float value) const {
    y[outer * stride + inner] = result_of(total, value);
  }
};

template <typename Accumulator>
struct StoreLanes : Store<Accumulator> {
  template <int kLanes>
  __device__ void lanes(int64_t outer, int64_t inner, const Lanes<Accumulator, kLanes>& totals,
                        const Lanes<float, kLanes>& values) const {
    Lanes<float, kLanes> results;
    for (int lane = 0; lane < kLanes; ++lane) {
      results[lane] = result_of(totals[lane], values[lane]);
    }
    store_float_lanes<kLanes>(this->y + outer * this->stride + inner, results);
  }
};

// The result of a row for an element that no row has, and how many threads stored it.
constexpr float kOther = 0.5f;
template <typename Accumulator>
struct StoreRow {
  float* y;
  float* calls;

  __device__ void operator()(int64_t row, const Accumulator& total) const {
    y[row] = result_of(total, kOther);
    atomicAdd(calls + row, 1.0f);
  }
};

double wanted(const std::vector<double>& terms, double value, SumAccumulator*) {
  double sum = 0.0;
  for (const double term : terms) sum += term;
  return value - 0.01 * sum;
}
double wanted(const std::vector<double>& terms, double value, MaxAccumulator*) {
  return value - *std::max_element(terms.begin(), terms.end());
}
double wanted(const std::vector<double>& terms, double value, WelfordAccumulator*) {
  double sum = 0.0;
  double squares = 0.0;
  for (const double term : terms) sum += term;
  const double mean = sum / terms.size();
  for (const double term : terms) squares += (term - mean) * (term - mean);
  return (value - mean) / std::sqrt(squares / terms.size() + 0.1);
}

struct Size {
  int64_t outer;
  int64_t inner;
};

struct Wanted {
  std::vector<double> elements;
  std::vector<double> rows;
};

// outer x inner elements; each column, or each row, is reduced.
template <typename Accumulator>
Wanted expected(const std::vector<float>& x, const Size& size, bool columns) {
  Wanted want{std::vector<double>(x.size()), {}};
  for (int64_t line = 0; line < (columns ? size.inner : size.outer); ++line) {
    const int64_t length = columns ? size.outer : size.inner;
    const auto at = [&](int64_t i) { return columns ? i * size.inner + line : line * size.inner + i; };
    std::vector<double> terms;
    for (int64_t i = 0; i < length; ++i) {
      terms.push_back(x[at(i)] * weight(columns ? i : line, columns ? line : i));
    }
    for (int64_t i = 0; i < length; ++i) {
      want.elements[at(i)] = wanted(terms, x[at(i)], static_cast<Accumulator*>(nullptr));
    }
    want.rows.push_back(wanted(terms, kOther, static_cast<Accumulator*>(nullptr)));
  }
  return want;
}

// launch(store) for a storer of single elements, for one that takes lanes, and for one that stores results of rows too.
template <typename Accumulator, typename Launch>
void check(Checker& checker, const std::string& name, const Size& size, const Wanted& want, const Launch& launch) {
  const auto both = [&](const char* form, auto store) {
    const DeviceFloats y(size.outer * size.inner);
    store.y = y.data();
    store.stride = size.inner;
    checker.launched(name + form, launch(store));
    checker.close(name + form, y.values(), want.elements, 2e-5);
  };
  both("", Store<Accumulator>{});
  both(" lanes", StoreLanes<Accumulator>{});
  const DeviceFloats rows(want.rows.size());
  const DeviceFloats calls(std::vector<float>(want.rows.size(), 0.0f));
  both(" and rows", StoreBesides{StoreLanes<Accumulator>{}, StoreRow<Accumulator>{rows.data(), calls.data()}});
  checker.close(name + " rows", rows.values(), want.rows, 2e-5);
  checker.close(name + " rows once", calls.values(), std::vector<double>(want.rows.size(), 1.0), 0.0);
}

template <typename Accumulator>
void check_size(Checker& checker, const Size& size, const std::string& name) {
  const auto x = random_floats(size.outer * size.inner, 5, -1.0f, 1.5f);
  const DeviceFloats device_x(x);
  // Of (row, column), or of (reduced, kept): the kept axis is the contiguous one.
  const RowLanesLoad load{device_x.data(), size.inner};
  const bool vectorised = size.inner % 4 == 0 && lanes_aligned(device_x.data(), size.inner);
  const auto by_column = expected<Accumulator>(x, size, true);
  const ReduceShape columns{size.inner, size.outer, vectorised};
  const std::string text = name + " " + std::to_string(size.outer) + "x" + std::to_string(size.inner);
  const auto check_columns = [&](const char* form, const auto& launch) {
    check<Accumulator>(checker, text + form, size, by_column, launch);
  };
  check_columns(" 8x8x4", [&](auto store) {
    return launch_rewrite_columns<Accumulator, 8, 8, 4>(load, Term{}, store, columns, nullptr);
  });
  check_columns(" 1x4x4", [&](auto store) {
    return launch_rewrite_columns<Accumulator, 1, 4, 4>(load, Term{}, store, columns, nullptr);
  });
  check_columns(" 16x16x2", [&](auto store) {
    return launch_rewrite_columns<Accumulator, 16, 16, 2>(load, Term{}, store, columns, nullptr);
  });
  check_columns(" 4x32x1", [&](auto store) {
    return launch_rewrite_columns<Accumulator, 4, 32, 1>(load, Term{}, store, columns, nullptr);
  });
  const auto by_row = expected<Accumulator>(x, size, false);
  const RowShape rows{size.outer, size.inner, vectorised};
  check<Accumulator>(checker, text + " row 32x4", size, by_row, [&](auto store) {
    return launch_rewrite_rows<Accumulator, 32, 4>(load, Term{}, store, rows, nullptr);
  });
  check<Accumulator>(checker, text + " row 256x8", size, by_row, [&](auto store) {
    return launch_rewrite_rows<Accumulator, 256, 8>(load, Term{}, store, rows, nullptr);
  });
  const auto check_lanes = [&](const char* form, int64_t capacity, const auto& launch) {
    if (size.inner <= capacity) {
      check<Accumulator>(checker, text + form, size, by_row, launch);
    }
  };
  check_lanes(" lanes 8x4", 32,
              [&](auto store) { return launch_rewrite_lanes<Accumulator, 8, 4>(load, Term{}, store, rows, nullptr); });
  check_lanes(" lanes 16x4", 64,
              [&](auto store) { return launch_rewrite_lanes<Accumulator, 16, 4>(load, Term{}, store, rows, nullptr); });
  check_lanes(" lanes 32x8", 256,
              [&](auto store) { return launch_rewrite_lanes<Accumulator, 32, 8>(load, Term{}, store, rows, nullptr); });
  constexpr int kHeld = 32 * 4;  // elements of a part
  const DeviceFloats scratch(held_rows_scratch_bytes<Accumulator>(size.outer, ceil_divide(size.inner, kHeld)) / 4);
  check<Accumulator>(checker, text + " row held 32x4", size, by_row, [&](auto store) {
    return launch_rewrite_held<Accumulator, 32, 4>(load, Term{}, store, rows, scratch.data(), nullptr);
  });
  const auto check_cluster = [&](const std::string& form, const ClusterRowShape& shape) {
    check<Accumulator>(checker, text + " row cluster" + form, size, by_row, [&](auto store) {
      return launch_rewrite_cluster<Accumulator, 64>(load, Term{}, store, shape, nullptr);
    });
  };
  for (const int64_t blocks : {2, 4, 8}) {
    check_cluster(" of " + std::to_string(blocks), {size.outer, size.inner, vectorised, vectorised, blocks});
  }
  // What takes lanes when it is read need not when it is written.
  check_cluster(", lanes read", {size.outer, size.inner, vectorised, false, 2});
}

template <typename Accumulator>
void check_all(Checker& checker, const std::string& name) {
  for (const Size& size :
       {Size{64, 136}, Size{1, 5}, Size{3, 1}, Size{37, 260}, Size{85, 43}, Size{300, 12}, Size{3, 1033}}) {
    check_size<Accumulator>(checker, size, name);
  }
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_all<SumAccumulator>(checker, "sum");
  check_all<MaxAccumulator>(checker, "max");
  check_all<WelfordAccumulator>(checker, "welford");
  return checker.finish();
}
