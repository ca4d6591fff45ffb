// SPDX-License-Identifier: Apache-2.0
// The units of recurrent layers once more, in double precision.
#pragma once

#include <cmath>

#include "kernels/rnn/cells.cuh"
#include "support.h"

namespace stitch_test {

using stitch::GruCell;
using stitch::LstmCell;
using stitch::RnnReluCell;
using stitch::RnnTanhCell;

inline double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

inline double reference_unit(const LstmCell&, const double* x, const double* h, double, double& cell) {
  cell = logistic(x[1] + h[1]) * cell + logistic(x[0] + h[0]) * std::tanh(x[2] + h[2]);
  return logistic(x[3] + h[3]) * std::tanh(cell);
}
inline double reference_unit(const GruCell&, const double* x, const double* h, double before, double&) {
  const double update = logistic(x[1] + h[1]);
  return (1.0 - update) * std::tanh(x[2] + logistic(x[0] + h[0]) * h[2]) + update * before;
}
inline double reference_unit(const RnnTanhCell&, const double* x, const double* h, double, double&) {
  return std::tanh(x[0] + h[0]);
}
inline double reference_unit(const RnnReluCell&, const double* x, const double* h, double, double&) {
  return std::fmax(0.0, x[0] + h[0]);
}

}  // namespace stitch_test
