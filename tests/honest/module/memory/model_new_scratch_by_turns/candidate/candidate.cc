// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

extern "C" {

void linear(const float* x, const float* w, const float* b, float* y, int64_t m, int64_t k, int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = b[j];
      for (int64_t t = 0; t < k; ++t) {
        sum += x[i * k + t] * w[j * k + t];
      }
      y[i * n + j] = sum;
    }
  }
}

void relu(float* y, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    y[i] = y[i] > 0 ? y[i] : 0;
  }
}
}
