// SPDX-License-Identifier: Apache-2.0
// Factors of small square matrices, the last two axes of a tensor, and systems of equations whose matrix is a triangle.
// In the element types that PyTorch has them for.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"

namespace stitch::ir {
namespace {

// A block of threads works on one matrix: for larger ones it would take many milliseconds.
constexpr int64_t kMaxColumns = 512;

Result<const TensorType*> square_matrices(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* a, tensor_type(graph, node, 0));
  STITCH_TRY(require(a->dtype == DataType::kFloat32 || a->dtype == DataType::kFloat64,
                     fmt::format("{} is neither f32 nor f64", to_string(a->dtype))));
  const size_t rank = a->shape.size();
  STITCH_TRY(require(rank >= 2 && a->shape[rank - 1] == a->shape[rank - 2],
                     fmt::format("matrices of shape {} are not square", to_string(a->shape))));
  STITCH_TRY(require(a->shape.back() >= 1, "matrices need a column"));
  STITCH_TRY(require(a->shape.back() <= kMaxColumns, fmt::format("matrices of {} columns are too large, {} is the most",
                                                                 a->shape.back(), kMaxColumns)));
  return a;
}

// One matrix of a reference, row after row.
struct Matrix {
  double* data;
  size_t columns;
  double& at(size_t row, size_t column) const { return data[row * columns + column]; }
};

void factor_cholesky(const Matrix& a, const Matrix& result) {
  for (size_t row = 0; row < a.columns; ++row) {
    for (size_t column = 0; column <= row; ++column) {
      double rest = a.at(row, column);
      for (size_t k = 0; k < column; ++k) {
        rest -= result.at(row, k) * result.at(column, k);
      }
      result.at(row, column) = row == column ? std::sqrt(rest) : rest / result.at(column, column);
    }
  }
}

size_t pivot_row(const Matrix& rows, size_t column) {
  size_t best = column;
  for (size_t row = column + 1; row < rows.columns - 1; ++row) {
    best = std::fabs(rows.at(row, column)) > std::fabs(rows.at(best, column)) ? row : best;
  }
  return best;
}

// `rows` holds the matrix, and in one column more the numbers of its rows.
void factor_lu(const Matrix& rows) {
  const size_t count = rows.columns - 1;
  for (size_t column = 0; column < count; ++column) {
    const size_t pivot = pivot_row(rows, column);
    for (size_t k = 0; k < rows.columns; ++k) {
      std::swap(rows.at(column, k), rows.at(pivot, k));
    }
    if (rows.at(column, column) == 0) {
      continue;  // nothing is left below it either
    }
    for (size_t row = column + 1; row < count; ++row) {
      rows.at(row, column) /= rows.at(column, column);
      for (size_t k = column + 1; k < count; ++k) {
        rows.at(row, k) -= rows.at(row, column) * rows.at(column, k);
      }
    }
  }
}

// `x` holds the right-hand sides, and then the solutions.
void solve(const Matrix& a, const Matrix& x, bool is_upper, bool is_unitriangular) {
  for (size_t step = 0; step < a.columns; ++step) {
    const size_t row = is_upper ? a.columns - 1 - step : step;
    for (size_t column = 0; column < x.columns; ++column) {
      double rest = x.at(row, column);
      for (size_t before = 0; before < step; ++before) {
        const size_t k = is_upper ? a.columns - 1 - before : before;
        rest -= a.at(row, k) * x.at(k, column);
      }
      x.at(row, column) = is_unitriangular ? rest : rest / a.at(row, row);
    }
  }
}

Types infer_lu(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* a, square_matrices(graph, node));
  TensorType result = *a;
  result.shape.back() += 1;
  return std::vector<TensorType>{result};
}

Types infer_cholesky(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* a, square_matrices(graph, node));
  return std::vector<TensorType>{*a};
}

Types infer_solve(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* a, square_matrices(graph, node));
  STITCH_ASSIGN(const TensorType* b, tensor_type(graph, node, 1, a->dtype));
  std::vector<int64_t> wanted = a->shape;
  wanted.back() = b->shape.empty() ? 0 : b->shape.back();
  STITCH_TRY(require(b->shape == wanted, fmt::format("right-hand sides of shape {} do not fit matrices of shape {}",
                                                     to_string(b->shape), to_string(a->shape))));
  return std::vector<TensorType>{*b};
}

}  // namespace

// The lower triangular factor L of each matrix, L times its transpose, read from the lower triangle alone; 0 above. NaN
// from the column on where a matrix is not positive definite.
OpDef cholesky_def() {
  OpDef def{.infer = infer_cholesky};
  def.reference = [](const Graph& graph, const Node& node, const auto& operands) {
    ReferenceTensor a = *operands[0];
    ReferenceTensor result = make_reference(output_type(graph, node));
    const auto columns = static_cast<size_t>(a.type.shape.back());
    for (size_t first = 0; first < a.data.size(); first += columns * columns) {
      factor_cholesky({&a.data[first], columns}, {&result.data[first], columns});
    }
    return std::vector<ReferenceTensor>{result};
  };
  return def;
}

// Both factors of each matrix with its rows in another order: U on and above the diagonal, below it L, which has ones
// on its own. In one column more, which row of the matrix each was. The largest of a column is taken first, of equal
// ones the upper.
OpDef lu_def() {
  OpDef def{.infer = infer_lu};
  def.reference = [](const Graph& graph, const Node& node, const auto& operands) {
    const ReferenceTensor& a = *operands[0];
    ReferenceTensor result = make_reference(output_type(graph, node));
    const auto columns = static_cast<size_t>(a.type.shape.back());
    for (size_t row = 0; row < a.data.size() / columns; ++row) {
      for (size_t column = 0; column < columns; ++column) {
        result.data[row * (columns + 1) + column] = a.data[row * columns + column];
      }
      result.data[row * (columns + 1) + columns] = static_cast<double>(row % columns);
    }
    for (size_t first = 0; first < result.data.size(); first += columns * (columns + 1)) {
      factor_lu({&result.data[first], columns + 1});
    }
    return std::vector<ReferenceTensor>{result};
  };
  return def;
}

// The X of A X = B, column by column, for matrices A of which one triangle is read: the upper one or the lower one,
// with ones for its diagonal where it is unitriangular.
OpDef solve_triangular_def() {
  OpDef def{.min_operands = 2,
            .max_operands = 2,
            .attributes = {{"upper", AttributeKind::kBool}, {"unitriangular", AttributeKind::kBool}},
            .infer = infer_solve};
  def.reference = [](const Graph&, const Node& node, const auto& operands) {
    ReferenceTensor a = *operands[0];
    ReferenceTensor x = *operands[1];
    const auto rows = static_cast<size_t>(a.type.shape.back());
    const auto columns = static_cast<size_t>(x.type.shape.back());
    for (size_t matrix = 0; matrix < a.data.size() / (rows * rows); ++matrix) {
      if (columns > 0) {
        solve({&a.data[matrix * rows * rows], rows}, {&x.data[matrix * rows * columns], columns},
              bool_attribute(node, "upper"), bool_attribute(node, "unitriangular"));
      }
    }
    return std::vector<ReferenceTensor>{x};
  };
  return def;
}

}  // namespace stitch::ir
