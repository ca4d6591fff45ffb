// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/correlation.h"

#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

namespace stitch::evaluate {
namespace {

using Complex = std::complex<double>;

// Cooley and Tukey's, of a power of two, in place.
void fourier_transform(std::vector<Complex>& values) {
  const size_t count = values.size();
  for (size_t i = 1, reversed = 0; i < count; ++i) {
    size_t bit = count >> 1;
    for (; (reversed & bit) != 0; bit >>= 1) {
      reversed ^= bit;
    }
    reversed |= bit;
    if (i < reversed) {
      std::swap(values[i], values[reversed]);
    }
  }
  for (size_t length = 2; length <= count; length *= 2) {
    const Complex step = std::polar(1.0, -2.0 * std::numbers::pi / static_cast<double>(length));
    for (size_t begin = 0; begin < count; begin += length) {
      Complex turn = 1.0;
      for (size_t i = begin; i < begin + length / 2; ++i) {
        const Complex odd = values[i + length / 2] * turn;
        values[i + length / 2] = values[i] - odd;
        values[i] += odd;
        turn *= step;
      }
    }
  }
}

std::vector<Complex> spectrum_of(const std::vector<double>& stream, size_t padded) {
  std::vector<Complex> values(stream.begin(), stream.end());
  values.resize(padded);
  fourier_transform(values);
  return values;
}

}  // namespace

std::vector<double> products_at_all_distances(const std::vector<std::vector<double>>& ones,
                                              const std::vector<std::vector<double>>& others) {
  const size_t count = ones.front().size();
  size_t padded = 1;
  while (padded < 2 * count) {
    padded *= 2;
  }
  std::vector<Complex> sum(padded);
  for (size_t pair = 0; pair < ones.size(); ++pair) {
    const std::vector<Complex> one = spectrum_of(ones[pair], padded);
    const std::vector<Complex> other = &ones[pair] == &others[pair] ? one : spectrum_of(others[pair], padded);
    for (size_t i = 0; i < padded; ++i) {
      sum[i] += one[i] * std::conj(other[i]);  // its transform has the products at i places on
    }
  }
  fourier_transform(sum);
  std::vector<double> products;
  for (size_t i = 1; i < 2 * count; ++i) {
    const size_t at = (padded + i - count) % padded;
    products.push_back(sum[at].real() / static_cast<double>(padded));
  }
  return products;
}

}  // namespace stitch::evaluate
