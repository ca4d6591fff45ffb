// SPDX-License-Identifier: Apache-2.0
// Factors of matrices and systems of triangles: products of factors against the matrix, solutions against a plain loop;
// one column, ragged ones, matrices that do not fit into shared memory, rows read down the columns, singular matrices.
#include "kernels/linalg/cholesky.cuh"
#include "kernels/linalg/lu.cuh"
#include "kernels/linalg/solve_triangular.cuh"
#include "row_load.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

template <typename T>
struct Store {
  T* y;
  int64_t columns;
  __device__ void operator()(int64_t row, int64_t column, T value) const { y[row * columns + column] = value; }
};

struct Sizes {
  int64_t matrices;
  int64_t columns;
};

std::string named(const std::string& what, const Sizes& sizes, size_t element_bytes) {
  return what + " of " + std::to_string(sizes.matrices) + " x " + std::to_string(sizes.columns) + ", " +
         std::to_string(element_bytes) + " bytes";
}

template <typename T>
std::vector<T> random_values(int64_t count, uint64_t seed) {
  const std::vector<float> drawn = random_floats(count, seed);
  return std::vector<T>(drawn.begin(), drawn.end());
}

// M times its transpose, and something on the diagonal.
template <typename T>
std::vector<T> positive(const Sizes& sizes, uint64_t seed) {
  const int64_t n = sizes.columns;
  const std::vector<T> m = random_values<T>(sizes.matrices * n * n, seed);
  std::vector<T> made(m.size());
  for (int64_t row = 0; row < sizes.matrices * n; ++row) {
    for (int64_t column = 0; column < n; ++column) {
      double sum = row % n == column ? 1.0 : 0.0;
      for (int64_t k = 0; k < n; ++k) {
        sum += static_cast<double>(m[row * n + k]) * m[(row / n * n + column) * n + k];
      }
      made[row * n + column] = static_cast<T>(sum);
    }
  }
  return made;
}

template <typename T>
RowLoad<T> rows_of(const T* x, int64_t columns) {
  return {x, columns, 1};
}

template <typename T>
double tolerance_of(int64_t columns) {
  return (sizeof(T) == 8 ? 1e-14 : 2e-6) * static_cast<double>(columns);
}

template <typename T, int kThreads>
void check_cholesky(Checker& checker, const Sizes& sizes) {
  const int64_t n = sizes.columns;
  std::vector<T> a = positive<T>(sizes, 3);
  const std::vector<double> want(a.begin(), a.end());
  for (int64_t row = 0; row < sizes.matrices * n; ++row) {
    for (int64_t column = row % n + 1; column < n; ++column) {
      a[row * n + column] = NAN;  // nobody reads it
    }
  }
  const DeviceArray<T> input(a);
  const DeviceArray<T> y(sizes.matrices * n * n);
  const DeviceArray<char> scratch(sizes.matrices * linalg_detail::matrix_scratch_bytes<T>(n) + 16);
  const std::string name = named("cholesky", sizes, sizeof(T));
  checker.launched(name, launch_cholesky<T, kThreads>(rows_of(input.data(), n), Store<T>{y.data(), n},
                                                      {sizes.matrices, n}, scratch.data(), nullptr));
  const std::vector<T> factor = y.values();
  std::vector<double> product(want.size());
  for (int64_t row = 0; row < sizes.matrices * n; ++row) {
    for (int64_t column = 0; column < n; ++column) {
      for (int64_t k = 0; k < n; ++k) {
        product[row * n + column] += static_cast<double>(factor[row * n + k]) * factor[(row / n * n + column) * n + k];
      }
    }
  }
  checker.close(name, product, want, tolerance_of<T>(n));
  std::vector<T> above;
  for (int64_t row = 0; row < sizes.matrices * n; ++row) {
    above.insert(above.end(), factor.begin() + row * n + row % n + 1, factor.begin() + (row + 1) * n);
  }
  checker.same(name + ", above the diagonal", above, std::vector<T>(above.size(), T(0)));
}

template <typename T, int kThreads>
void check_lu(Checker& checker, const Sizes& sizes) {
  const int64_t n = sizes.columns;
  const std::vector<T> a = random_values<T>(sizes.matrices * n * n, 5);
  const DeviceArray<T> input(a);
  const DeviceArray<T> y(sizes.matrices * n * (n + 1));
  const DeviceArray<char> scratch(sizes.matrices * linalg_detail::matrix_scratch_bytes<T>(n) + 16);
  const std::string name = named("lu", sizes, sizeof(T));
  checker.launched(name, launch_lu<T, kThreads>(rows_of(input.data(), n), Store<T>{y.data(), n + 1},
                                                {sizes.matrices, n}, scratch.data(), nullptr));
  const std::vector<T> factors = y.values();
  std::vector<double> product(a.size());
  std::vector<double> want(a.size());
  std::vector<double> greatest;  // multiple of a row
  for (int64_t row = 0; row < sizes.matrices * n; ++row) {
    const T* own = &factors[row * (n + 1)];
    const T* upper = &factors[row / n * n * (n + 1)];
    const int64_t from = row / n * n + static_cast<int64_t>(own[n]);
    greatest.push_back(1.0);
    for (int64_t column = 0; column < n; ++column) {
      want[row * n + column] = from >= 0 && from < sizes.matrices * n ? a[from * n + column] : NAN;
      for (int64_t k = 0; k <= column && k <= row % n; ++k) {
        const double multiple = k == row % n ? 1.0 : own[k];
        greatest.back() = std::fmax(greatest.back(), std::fabs(multiple));
        product[row * n + column] += multiple * upper[k * (n + 1) + column];
      }
    }
  }
  checker.close(name, product, want, tolerance_of<T>(n));
  checker.close(name + ", pivots", greatest, std::vector<double>(greatest.size(), 1.0), 0.0);
}

template <typename T, int kThreads, bool kUpper, bool kUnitriangular>
void check_solve(Checker& checker, const Sizes& sizes, int64_t sides, bool turned) {
  const int64_t n = sizes.columns;
  std::vector<T> a = random_values<T>(sizes.matrices * n * n, 7);
  for (int64_t row = 0; row < sizes.matrices * n; ++row) {
    for (int64_t column = 0; column < n; ++column) {
      const bool is_read = kUpper ? column > row % n : column < row % n;
      T& element = a[row * n + column];
      element = is_read ? element / static_cast<T>(n) : column == row % n && !kUnitriangular ? element + T(2) : T(NAN);
    }
  }
  const std::vector<T> b = random_values<T>(sizes.matrices * n * sides, 9);
  std::vector<double> want(b.begin(), b.end());
  for (int64_t matrix = 0; matrix < sizes.matrices; ++matrix) {
    for (int64_t step = 0; step < n; ++step) {
      const int64_t row = matrix * n + (kUpper ? n - 1 - step : step);
      for (int64_t side = 0; side < sides; ++side) {
        for (int64_t before = 0; before < step; ++before) {
          const int64_t k = kUpper ? n - 1 - before : before;
          want[row * sides + side] -= a[row * n + k] * want[(matrix * n + k) * sides + side];
        }
        want[row * sides + side] /= kUnitriangular ? 1.0 : static_cast<double>(a[row * n + row % n]);
      }
    }
  }
  std::vector<T> kept = b;
  for (int64_t row = 0; turned && row < sizes.matrices * n; ++row) {
    for (int64_t side = 0; side < sides; ++side) {
      kept[side * sizes.matrices * n + row] = b[row * sides + side];
    }
  }
  const DeviceArray<T> triangle(a);
  const DeviceArray<T> right(kept);
  const DeviceArray<T> y(sizes.matrices * n * sides);
  const RowLoad<T> load = turned ? RowLoad<T>{right.data(), 1, sizes.matrices * n} : rows_of(right.data(), sides);
  const std::string name = named("triangles", sizes, sizeof(T)) + ", " + std::to_string(sides) + " sides";
  checker.launched(name, launch_solve_triangular<T, kThreads, kUpper, kUnitriangular>(
                             rows_of(triangle.data(), n), load, Store<T>{y.data(), sides},
                             TriangularShape{sizes.matrices, n, sides}, nullptr));
  checker.close(name, y.values(), want, tolerance_of<T>(n));
}

// Nothing below a pivot of zero, NaN and infinities where PyTorch gives up.
void check_singular(Checker& checker) {
  const std::vector<float> a = {1, 2, 2, 4, 0, 3, 0, 5};
  const DeviceFloats input(a);
  const DeviceFloats y(2 * 2 * 3);
  checker.launched("singular",
                   launch_lu<float, 32>(rows_of(input.data(), 2), Store<float>{y.data(), 3}, {2, 2}, nullptr, nullptr));
  checker.same("singular", y.values(), std::vector<float>{2, 4, 1, 0.5, 0, 0, 0, 3, 0, 0, 5, 1});
  const DeviceFloats z(2 * 2 * 2);
  checker.launched("not positive", launch_cholesky<float, 32>(rows_of(input.data(), 2), Store<float>{z.data(), 2},
                                                              {2, 2}, nullptr, nullptr));
  const std::vector<float> values = z.values();
  checker.same("singular, its factor", std::vector<float>(values.begin(), values.begin() + 4),
               std::vector<float>{1, 0, 2, 0});
  checker.same("not positive", std::vector<float>{values[6]}, std::vector<float>{NAN});
}

template <typename T>
void check_type(Checker& checker) {
  const std::vector<Sizes> all = {{0, 3}, {3, 1}, {4, 2}, {2, 31}, {3, 33}, {1, 64}, {2, 163}};
  for (const Sizes& sizes : all) {
    check_cholesky<T, 32>(checker, sizes);
    check_cholesky<T, 128>(checker, sizes);
    check_lu<T, 32>(checker, sizes);
    check_lu<T, 128>(checker, sizes);
    for (const int64_t sides : {1, 5, 32, 70}) {
      check_solve<T, 32, false, false>(checker, sizes, sides, false);
      check_solve<T, 128, true, false>(checker, sizes, sides, true);
      check_solve<T, 128, false, true>(checker, sizes, sides, false);
      check_solve<T, 32, true, true>(checker, sizes, sides, true);
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_type<float>(checker);
  check_type<double>(checker);
  check_singular(checker);
  return checker.finish();
}
