// SPDX-License-Identifier: Apache-2.0
// Layer norm and softmax: rows in registers and rows too long for them, one warp and one block a row, ragged lengths;
// softmax along an axis that is not contiguous.
#include "kernels/norm/layer_norm_held.cuh"
#include "kernels/norm/layer_norm_lanes.cuh"
#include "kernels/norm/layer_norm_shared.cuh"
#include "kernels/softmax/column.cuh"
#include "kernels/softmax/held.cuh"
#include "kernels/softmax/lanes.cuh"
#include "kernels/softmax/shared.cuh"
#include "kernels/softmax/turned.cuh"
#include "row_access.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

constexpr float kEpsilon = 1e-5f;

enum class What { kLayerNorm, kSoftmax, kLogSoftmax };

void reference_row(What what, const float* x, int64_t columns, std::vector<double>& want) {
  double mean = 0.0;
  double largest = -INFINITY;
  for (int64_t column = 0; column < columns; ++column) {
    mean += x[column] / static_cast<double>(columns);
    largest = std::fmax(largest, x[column]);
  }
  double variance = 0.0;
  double exponentials = 0.0;
  for (int64_t column = 0; column < columns; ++column) {
    variance += (x[column] - mean) * (x[column] - mean) / static_cast<double>(columns);
    exponentials += std::exp(x[column] - largest);
  }
  for (int64_t column = 0; column < columns; ++column) {
    const double value = x[column];
    want.push_back(what == What::kLayerNorm ? (value - mean) / std::sqrt(variance + kEpsilon)
                   : what == What::kSoftmax ? std::exp(value - largest) / exponentials
                                            : value - largest - std::log(exponentials));
  }
}

template <What kWhat>
constexpr SoftmaxKind kSoftmaxKind = kWhat == What::kSoftmax ? SoftmaxKind::kSoftmax : SoftmaxKind::kLogSoftmax;

// Drawn rows on the device, and what they have to become.
struct RowCase {
  What what;
  std::vector<float> drawn;
  DeviceFloats x;
  DeviceFloats y;
  RowShape shape;
  std::vector<double> want{};

  RowCase(What what, int64_t rows, int64_t columns, uint64_t seed, float low, float high)
      : what(what),
        drawn(random_floats(rows * columns, seed, low, high)),
        x(drawn),
        y(rows * columns),
        shape{rows, columns, lanes_aligned(x.data(), columns)} {
    for (int64_t row = 0; row < rows; ++row) {
      reference_row(what, drawn.data() + row * columns, columns, want);
    }
  }

  RowLanesLoad load() const { return {x.data(), shape.columns}; }
  RowLanesStore store() const { return {y.data(), shape.columns}; }
  std::string name(const std::string& how) const {
    return "what " + std::to_string(static_cast<int>(what)) + " " + how + " " + std::to_string(shape.rows) + "x" +
           std::to_string(shape.columns);
  }
};

template <What kWhat, int kThreads, int kPerThread>
void check(Checker& checker, int64_t rows, int64_t columns, float offset) {
  const RowCase problem(kWhat, rows, columns, 1, offset - 2.0f, offset + 2.0f);
  const std::string name = problem.name("threads " + std::to_string(kThreads));
  if constexpr (kWhat == What::kLayerNorm) {
    checker.launched(name, launch_layer_norm<kThreads, kPerThread>(problem.load(), problem.store(), problem.shape,
                                                                   kEpsilon, nullptr));
  } else {
    checker.launched(name, launch_softmax<kSoftmaxKind<kWhat>, kThreads, kPerThread>(problem.load(), problem.store(),
                                                                                     problem.shape, nullptr));
  }
  checker.close(name, problem.y.values(), problem.want, 1e-5 * std::fmax(1.0, std::fabs(offset)));
}

// Rows that lanes of a warp share, more than a block has.
template <What kWhat, int kThreads, int kPerThread>
void check_lanes(Checker& checker, int64_t rows, int64_t columns) {
  const RowCase problem(kWhat, rows, columns, 5, -1.0f, 4.0f);
  const std::string name = problem.name("lanes " + std::to_string(kThreads));
  if constexpr (kWhat == What::kLayerNorm) {
    checker.launched(name, launch_layer_norm_lanes<kThreads, kPerThread>(problem.load(), problem.store(), problem.shape,
                                                                         kEpsilon, nullptr));
  } else {
    checker.launched(name, launch_softmax_lanes<kSoftmaxKind<kWhat>, kThreads, kPerThread>(
                               problem.load(), problem.store(), problem.shape, nullptr));
  }
  checker.close(name, problem.y.values(), problem.want, 1e-5);
}

template <What kWhat>
void check_lane_shapes(Checker& checker) {
  check_lanes<kWhat, 16, 4>(checker, 67, 64);
  check_lanes<kWhat, 8, 4>(checker, 5, 31);
  check_lanes<kWhat, 8, 4>(checker, 131, 4);
  check_lanes<kWhat, 32, 4>(checker, 18, 126);
}

template <What kWhat>
void check_shapes(Checker& checker) {
  for (const int64_t columns : {1, 7, 64, 128, 130}) {  // 128 fill the warp's registers, 130 are streamed
    check<kWhat, 32, 4>(checker, 6, columns, 0.0f);
  }
  for (const int64_t columns : {5, 512, 1023, 1024, 1500, 2048}) {  // 1024 fill the block's
    check<kWhat, 128, 8>(checker, 3, columns, 0.0f);
  }
  check<kWhat, 256, 4>(checker, 2, 1000, 30.0f);
}

// Rows that blocks share, in one group and in several (of 3 << 20 elements), whole and not.
template <What kWhat>
void check_shared(Checker& checker, int64_t rows, int64_t columns, int64_t parts) {
  const RowCase problem(kWhat, rows, columns, 4, -3.0f, 5.0f);
  const DeviceFloats scratch(shared_rows_scratch_bytes<WelfordAccumulator>(rows, parts) / 4);
  const std::string name = problem.name("shared by " + std::to_string(parts));
  if constexpr (kWhat == What::kLayerNorm) {
    checker.launched(name, launch_layer_norm_shared(problem.load(), problem.store(), problem.shape, kEpsilon, parts,
                                                    scratch.data(), nullptr));
  } else {
    checker.launched(name, launch_softmax_shared<kSoftmaxKind<kWhat>>(problem.load(), problem.store(), problem.shape,
                                                                      parts, scratch.data(), nullptr));
  }
  checker.close(name, problem.y.values(), problem.want, 1e-5);
}

template <What kWhat>
void check_shared_shapes(Checker& checker) {
  check_shared<kWhat>(checker, 5, 1, 1);
  check_shared<kWhat>(checker, 3, 4999, 4);
  check_shared<kWhat>(checker, 2, 9000, 7);
  check_shared<kWhat>(checker, 3, 41, 16);  // parts without elements
}

// Rows whose parts blocks hold. Emulated blocks run one after another: all but a row's last leave their parts to it.
template <What kWhat>
void check_held(Checker& checker, int64_t rows, int64_t columns) {
  constexpr int kThreads = 64;
  constexpr int kPerThread = 8;
  const RowCase problem(kWhat, rows, columns, 6, -3.0f, 5.0f);
  const int64_t parts = ceil_divide(columns, kThreads * kPerThread);
  const DeviceFloats scratch(held_rows_scratch_bytes<WelfordAccumulator>(rows, parts) / 4);
  const std::string name = problem.name("held");
  if constexpr (kWhat == What::kLayerNorm) {
    checker.launched(name, launch_layer_norm_held<kThreads, kPerThread>(problem.load(), problem.store(), problem.shape,
                                                                        kEpsilon, scratch.data(), nullptr));
  } else {
    checker.launched(name, launch_softmax_held<kSoftmaxKind<kWhat>, kThreads, kPerThread>(
                               problem.load(), problem.store(), problem.shape, scratch.data(), nullptr));
  }
  checker.close(name, problem.y.values(), problem.want, 1e-5);
}

template <What kWhat>
void check_held_shapes(Checker& checker) {
  check_held<kWhat>(checker, 5, 1);
  check_held<kWhat>(checker, 3, 4999);   // scalars, a last part that is not whole
  check_held<kWhat>(checker, 3, 4096);   // whole parts
  check_held<kWhat>(checker, 2, 40004);  // more parts than threads
}

// What each ticket stands for, for groups of every kind: every part is accumulated once, and written once, later.
void check_tickets(Checker& checker) {
  for (int64_t rows = 1; rows <= 9; ++rows) {
    for (int64_t group_rows = 1; group_rows <= 10; ++group_rows) {
      using namespace shared_rows_detail;
      constexpr int64_t kParts = 3;
      const Parts parts{4, Divider(kParts), Divider(2 * group_rows * kParts), group_rows * kParts, rows * kParts};
      std::vector<double> seen(static_cast<size_t>(parts.all), 0.0);
      for (int64_t ticket = 0; ticket < 2 * parts.all; ++ticket) {
        const Piece piece = piece_of(parts, ticket);
        double& count = seen.at(static_cast<size_t>(piece.part));
        const int64_t row = piece.part / kParts;
        bool is_ready = true;
        for (int64_t part = row * kParts; part < (row + 1) * kParts; ++part) {
          is_ready = is_ready && seen.at(static_cast<size_t>(part)) >= 1.0;
        }
        count += piece.is_result ? (is_ready ? 1.0 : 100.0) : (count == 0.0 ? 1.0 : 100.0);
      }
      checker.close("tickets of " + std::to_string(rows) + " rows, " + std::to_string(group_rows) + " a group",
                    std::vector<double>(seen.begin(), seen.end()), std::vector<double>(seen.size(), 2.0), 0.0);
    }
  }
}

// Rows that lie beside each other in memory: element `column` of `row` is x[column * rows + row].
struct StridedLoad {
  const float* x;
  int64_t rows;
  __device__ float operator()(int64_t row, int64_t column) const { return x[column * rows + row]; }
};

struct StridedStore {
  float* y;
  int64_t rows;
  __device__ void operator()(int64_t row, int64_t column, float value) const { y[column * rows + row] = value; }
};

template <SoftmaxKind kKind, int kSharers, int kPerThread>
void check_columns(Checker& checker, int64_t rows, int64_t columns) {
  const auto x = random_floats(rows * columns, 3, -9.0f, 9.0f);
  std::vector<double> want(x.size());
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<float> elements;
    for (int64_t column = 0; column < columns; ++column) {
      elements.push_back(x[static_cast<size_t>(column * rows + row)]);
    }
    std::vector<double> want_row;
    reference_row(kKind == SoftmaxKind::kSoftmax ? What::kSoftmax : What::kLogSoftmax, elements.data(), columns,
                  want_row);
    for (int64_t column = 0; column < columns; ++column) {
      want[static_cast<size_t>(column * rows + row)] = want_row[static_cast<size_t>(column)];
    }
  }
  const DeviceFloats device_x(x);
  const DeviceFloats y(rows * columns);
  const std::string name = "columns of " + std::to_string(kSharers) + "x" + std::to_string(kPerThread) + " " +
                           std::to_string(rows) + "x" + std::to_string(columns);
  checker.launched(name, launch_softmax_columns<kKind, kSharers, kPerThread>(StridedLoad{device_x.data(), rows},
                                                                             StridedStore{y.data(), rows},
                                                                             RowShape{rows, columns, false}, nullptr));
  checker.close(name, y.values(), want, 1e-5);
}

template <SoftmaxKind kKind>
void check_strided_shapes(Checker& checker) {
  for (const int64_t columns : {1, 3, 31, 32, 33, 150}) {  // 32 fill the registers, 33 are streamed
    check_columns<kKind, 4, 8>(checker, 37, columns);
  }
  for (const int64_t columns : {5, 16, 17}) {
    check_columns<kKind, 1, 16>(checker, 300, columns);
    check_columns<kKind, 2, 8>(checker, 33, columns);
  }
  check_columns<kKind, 16, 16>(checker, 33, 250);
  check_columns<kKind, 32, 32>(checker, 1, 1000);
}

// Read along rows, written across them.
template <SoftmaxKind kKind, int kPerThread>
void check_turned(Checker& checker, int64_t rows, int64_t columns) {
  const auto x = random_floats(rows * columns, 3, -9.0f, 9.0f);
  std::vector<double> want(x.size());
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<double> want_row;
    reference_row(kKind == SoftmaxKind::kSoftmax ? What::kSoftmax : What::kLogSoftmax, x.data() + row * columns,
                  columns, want_row);
    for (int64_t column = 0; column < columns; ++column) {
      want[static_cast<size_t>(column * rows + row)] = want_row[static_cast<size_t>(column)];
    }
  }
  const DeviceFloats device_x(x);
  const DeviceFloats y(rows * columns);
  const std::string name = "turned, " + std::to_string(rows) + "x" + std::to_string(columns);
  checker.launched(name, launch_softmax_turned<kKind, kPerThread>(RowLanesLoad{device_x.data(), columns},
                                                                  StridedStore{y.data(), rows},
                                                                  RowShape{rows, columns, columns % 4 == 0}, nullptr));
  checker.close(name, y.values(), want, 1e-5);
}

template <SoftmaxKind kKind>
void check_turned_shapes(Checker& checker) {
  for (const int64_t columns : {1, 3, 32, 64, 127, 128, 129, 200}) {  // 128 fill the registers, more are streamed
    check_turned<kKind, 4>(checker, 45, columns);
  }
  check_turned<kKind, 8>(checker, 32, 250);
  check_turned<kKind, 8>(checker, 1, 256);
}

void check_barred_row(Checker& checker) {
  const float inf = INFINITY;
  const DeviceFloats x(std::vector<float>{-inf, 0.0f, 0.0f, -inf});
  const DeviceFloats y(4);
  const RowLanesLoad load{x.data(), 4};
  const RowLanesStore store{y.data(), 4};
  const RowShape shape{1, 4, true};
  checker.launched("barred", launch_softmax<SoftmaxKind::kSoftmax, 32, 4>(load, store, shape, nullptr));
  checker.close("softmax of barred elements", y.values(), {0.0, 0.5, 0.5, 0.0}, 1e-6);
  checker.launched("barred", launch_softmax_lanes<SoftmaxKind::kSoftmax, 8, 4>(load, store, shape, nullptr));
  checker.close("softmax of barred elements by lanes", y.values(), {0.0, 0.5, 0.5, 0.0}, 1e-6);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_lane_shapes<What::kLayerNorm>(checker);
  check_lane_shapes<What::kSoftmax>(checker);
  check_lane_shapes<What::kLogSoftmax>(checker);
  check_shapes<What::kLayerNorm>(checker);
  check_shapes<What::kSoftmax>(checker);
  check_shapes<What::kLogSoftmax>(checker);
  check_strided_shapes<SoftmaxKind::kSoftmax>(checker);
  check_strided_shapes<SoftmaxKind::kLogSoftmax>(checker);
  check_shared_shapes<What::kLayerNorm>(checker);
  check_shared_shapes<What::kSoftmax>(checker);
  check_shared_shapes<What::kLogSoftmax>(checker);
  check_held_shapes<What::kLayerNorm>(checker);
  check_held_shapes<What::kSoftmax>(checker);
  check_held_shapes<What::kLogSoftmax>(checker);
  check_tickets(checker);
  check_turned_shapes<SoftmaxKind::kSoftmax>(checker);
  check_turned_shapes<SoftmaxKind::kLogSoftmax>(checker);
  check_barred_row(checker);
  return checker.finish();
}
