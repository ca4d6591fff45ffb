// SPDX-License-Identifier: Apache-2.0
// An attention problem with its answer in double precision, for the tests of all attention kernels.
#pragma once

#include <type_traits>

#include "kernels/attention/operands.cuh"
#include "kernels/common/half.cuh"
#include "support.h"

namespace stitch_test {

using namespace stitch;

struct StoreAttention {
  float* out;
  AttentionShape shape;
  __device__ void operator()(int64_t batch, int64_t head, int64_t query, int64_t dimension, float value) const {
    out[((batch * shape.heads + head) * shape.queries + query) * shape.value_head_dimension + dimension] = value;
  }
};

// Bars every third key, and all keys of query 1.
struct SomeBarred {
  __host__ __device__ static bool barred(int64_t query, int64_t key) { return query == 1 || key % 3 == 2; }
  __device__ float operator()(int64_t, int64_t, int64_t query, int64_t key, float score) const {
    return barred(query, key) ? -INFINITY : score + 0.25f * static_cast<float>(key % 2);
  }
};

struct AttentionCase {
  AttentionShape shape;
  bool causal;
  bool masked;
  std::vector<float> q;
  std::vector<float> k;
  std::vector<float> v;

  AttentionCase(const AttentionShape& shape, bool causal, bool masked)
      : shape(shape),
        causal(causal),
        masked(masked),
        q(random_floats(shape.batch * shape.heads * shape.queries * shape.head_dimension, 1, -2.0f, 2.0f)),
        k(random_floats(shape.batch * shape.key_heads * shape.keys * shape.head_dimension, 2, -2.0f, 2.0f)),
        v(random_floats(shape.batch * shape.key_heads * shape.keys * shape.value_head_dimension, 3)) {}

  std::vector<double> expected() const {
    std::vector<double> want;
    for (int64_t row = 0; row < shape.batch * shape.heads * shape.queries; ++row) {
      append_row(row, want);
    }
    return want;
  }

 private:
  void append_row(int64_t row, std::vector<double>& want) const {
    const int64_t query = row % shape.queries;
    const int64_t head = row / shape.queries % shape.heads;
    const int64_t key_plane =
        row / shape.queries / shape.heads * shape.key_heads + head / (shape.heads / shape.key_heads);
    std::vector<double> weights;
    double total = 0.0;
    for (int64_t key = 0; key < shape.keys; ++key) {
      double score = 0.0;
      for (int64_t d = 0; d < shape.head_dimension; ++d) {
        score += static_cast<double>(q[row * shape.head_dimension + d]) *
                 k[(key_plane * shape.keys + key) * shape.head_dimension + d];
      }
      const bool barred = (causal && key > query) || (masked && SomeBarred::barred(query, key));
      weights.push_back(barred ? 0.0 : std::exp(score * shape.scale + (masked ? 0.25 * (key % 2) : 0.0)));
      total += weights.back();
    }
    for (int64_t d = 0; d < shape.value_head_dimension; ++d) {
      double sum = 0.0;
      for (int64_t key = 0; key < shape.keys; ++key) {
        sum += weights[key] * v[(key_plane * shape.keys + key) * shape.value_head_dimension + d];
      }
      want.push_back(total == 0.0 ? shape.barred : sum / total);
    }
  }
};

// Values as they are stored; what 16 bits hold exactly is written back, so that the reference sees the same.
template <typename T>
class StoredOperand {
 public:
  StoredOperand(std::vector<float>& values, int64_t heads, int64_t rows, int64_t dimensions)
      : view_{nullptr, heads * rows * dimensions, rows * dimensions, dimensions} {
    std::vector<T> stored;
    for (float& value : values) {
      stored.push_back(from_float<T>(value));
      value = to_float(stored.back());
    }
    cudaMalloc(reinterpret_cast<void**>(&data_), stored.size() * sizeof(T));
    cudaMemcpy(data_, stored.data(), stored.size() * sizeof(T), cudaMemcpyHostToDevice);
    view_.data = data_;
  }
  StoredOperand(const StoredOperand&) = delete;
  StoredOperand& operator=(const StoredOperand&) = delete;
  ~StoredOperand() { cudaFree(data_); }

  const AttentionOperandOf<T>& view() const { return view_; }

 private:
  T* data_ = nullptr;
  AttentionOperandOf<T> view_;
};

// The three operands of a problem, whose values become those that T holds.
template <typename T>
struct StoredAttention {
  StoredOperand<T> q;
  StoredOperand<T> k;
  StoredOperand<T> v;

  explicit StoredAttention(AttentionCase& problem)
      : q(problem.q, problem.shape.heads, problem.shape.queries, problem.shape.head_dimension),
        k(problem.k, problem.shape.key_heads, problem.shape.keys, problem.shape.head_dimension),
        v(problem.v, problem.shape.key_heads, problem.shape.keys, problem.shape.value_head_dimension) {}
};

}  // namespace stitch_test
