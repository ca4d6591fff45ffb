// SPDX-License-Identifier: Apache-2.0
// Attention on the fp32 pipes and on the tensor cores: causal and not, an additive mask that bars whole queries,
// grouped heads, ragged lengths and dimensions.
#include "kernels/attention/flash.cuh"
#include "kernels/attention/flash_mma.cuh"
#include "kernels/common/half.cuh"
#include "support.h"

namespace {

using namespace stitch;
using namespace stitch_test;

struct Store {
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
      want.push_back(total == 0.0 ? 0.0 : sum / total);
    }
  }
};

AttentionOperand operand(const DeviceFloats& data, int64_t heads, int64_t rows, int64_t dimensions) {
  return {data.data(), heads * rows * dimensions, rows * dimensions, dimensions};
}

template <bool kTensorCores, int kHeadDimension, bool kCausal, typename Mask>
cudaError_t launch(const AttentionShape& shape, const AttentionOperand& q, const AttentionOperand& k,
                   const AttentionOperand& v, const Mask& mask, const Store& store) {
  if constexpr (kTensorCores) {
    return launch_flash_attention_mma<Tf32x3, kHeadDimension, kCausal>(shape, q, k, v, mask, store, nullptr);
  } else {
    return launch_flash_attention<kHeadDimension, kCausal>(shape, q, k, v, mask, store, nullptr);
  }
}

template <bool kTensorCores, int kHeadDimension, bool kCausal, bool kMasked>
void check_one(Checker& checker, const AttentionShape& shape) {
  const AttentionCase problem(shape, kCausal, kMasked);
  const DeviceFloats q(problem.q);
  const DeviceFloats k(problem.k);
  const DeviceFloats v(problem.v);
  const DeviceFloats out(shape.batch * shape.heads * shape.queries * shape.value_head_dimension);
  const std::string name = std::string(kTensorCores ? "mma " : "ffma ") + std::to_string(kHeadDimension) +
                           (kCausal ? " causal" : "") + (kMasked ? " masked" : "") + " " +
                           std::to_string(shape.queries) + "x" + std::to_string(shape.keys);
  const auto run = [&](const auto& mask) {
    return launch<kTensorCores, kHeadDimension, kCausal>(
        shape, operand(q, shape.heads, shape.queries, shape.head_dimension),
        operand(k, shape.key_heads, shape.keys, shape.head_dimension),
        operand(v, shape.key_heads, shape.keys, shape.value_head_dimension), mask, Store{out.data(), shape});
  };
  if constexpr (kMasked) {
    checker.launched(name, run(SomeBarred{}));
  } else {
    checker.launched(name, run(NoMask{}));
  }
  checker.close(name, out.values(), problem.expected(), 5e-6);
}

template <int kHeadDimension, bool kCausal, bool kMasked>
void check(Checker& checker, const AttentionShape& shape) {
  check_one<false, kHeadDimension, kCausal, kMasked>(checker, shape);
  check_one<true, kHeadDimension, kCausal, kMasked>(checker, shape);
}

// Operands stored in 16 bits: what they hold exactly is the reference's operand too.
template <typename T, bool kTensorCores>
void check_stored_as(Checker& checker, const AttentionShape& shape, double tolerance) {
  AttentionCase problem(shape, true, false);
  T* stored[3] = {};
  std::vector<float>* const floats[3] = {&problem.q, &problem.k, &problem.v};
  for (int i = 0; i < 3; ++i) {
    std::vector<T> narrow;
    for (float& value : *floats[i]) {
      narrow.push_back(from_float<T>(value));
      value = to_float(narrow.back());
    }
    cudaMalloc(reinterpret_cast<void**>(&stored[i]), narrow.size() * sizeof(T));
    cudaMemcpy(stored[i], narrow.data(), narrow.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  const auto view = [](const T* data, int64_t heads, int64_t rows, int64_t dimensions) {
    return AttentionOperandOf<T>{data, heads * rows * dimensions, rows * dimensions, dimensions};
  };
  const DeviceFloats out(shape.batch * shape.heads * shape.queries * shape.value_head_dimension);
  const Store store{out.data(), shape};
  const auto q = view(stored[0], shape.heads, shape.queries, shape.head_dimension);
  const auto k = view(stored[1], shape.key_heads, shape.keys, shape.head_dimension);
  const auto v = view(stored[2], shape.key_heads, shape.keys, shape.value_head_dimension);
  if constexpr (kTensorCores) {
    checker.launched("16-bit", launch_flash_attention_mma<Tf32, 64, true>(shape, q, k, v, NoMask{}, store, nullptr));
  } else {
    checker.launched("16-bit", launch_flash_attention<64, true>(shape, q, k, v, NoMask{}, store, nullptr));
  }
  checker.close(kTensorCores ? "16-bit mma" : "16-bit ffma", out.values(), problem.expected(), tolerance);
  for (T* data : stored) {
    cudaFree(data);
  }
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check<32, false, false>(checker, {2, 2, 2, 70, 65, 32, 32, 0.2f});
  check<32, true, false>(checker, {1, 2, 2, 130, 130, 24, 24, 0.2f});
  check<64, true, true>(checker, {1, 4, 2, 65, 80, 64, 64, 0.125f});
  check<64, false, true>(checker, {1, 2, 1, 3, 200, 50, 34, 0.125f});
  check<128, true, false>(checker, {1, 1, 1, 66, 40, 128, 128, 0.09f});
  check<128, false, false>(checker, {1, 1, 1, 20, 70, 97, 128, 0.09f});
  const AttentionShape stored{1, 4, 2, 70, 65, 50, 36, 0.125f};
  constexpr double kWeightsInTf32 = 1e-3;
  check_stored_as<__half, false>(checker, stored, 5e-6);
  check_stored_as<__half, true>(checker, stored, kWeightsInTf32);
  check_stored_as<__nv_bfloat16, true>(checker, stored, kWeightsInTf32);
  return checker.finish();
}
