// SPDX-License-Identifier: Apache-2.0
// Attention on the fp32 pipes and on the tensor cores: causal and not, an additive mask that bars whole queries, which
// are zero or no number then, grouped heads, ragged lengths and dimensions.
#include <cstring>

#include "attention_support.cuh"
#include "kernels/attention/flash.cuh"
#include "kernels/attention/flash_mma.cuh"

namespace {

using namespace stitch;
using namespace stitch_test;

AttentionOperand operand(const DeviceFloats& data, int64_t heads, int64_t rows, int64_t dimensions) {
  return {data.data(), heads * rows * dimensions, rows * dimensions, dimensions};
}

template <bool kTensorCores, int kHeadDimension, bool kCausal, typename Mask>
cudaError_t launch(const AttentionShape& shape, const AttentionOperand& q, const AttentionOperand& k,
                   const AttentionOperand& v, const Mask& mask, const StoreAttention& store) {
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
        operand(v, shape.key_heads, shape.keys, shape.value_head_dimension), mask, StoreAttention{out.data(), shape});
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

// A key whose score is minus infinity for every query weighs nothing, on the tensor cores too, which cannot split it.
void check_infinite_key(Checker& checker, const AttentionShape& shape) {
  AttentionCase problem(shape, false, false);
  for (size_t at = 0; at < problem.q.size(); at += static_cast<size_t>(shape.head_dimension)) {
    problem.q[at] = -0.5f - std::fabs(problem.q[at]);
  }
  problem.k[static_cast<size_t>(5 * shape.head_dimension)] = INFINITY;
  const DeviceFloats q(problem.q);
  const DeviceFloats k(problem.k);
  const DeviceFloats v(problem.v);
  const DeviceFloats out(shape.batch * shape.heads * shape.queries * shape.value_head_dimension);
  checker.launched("infinite key",
                   launch<true, 64, false>(shape, operand(q, shape.heads, shape.queries, shape.head_dimension),
                                           operand(k, shape.key_heads, shape.keys, shape.head_dimension),
                                           operand(v, shape.key_heads, shape.keys, shape.value_head_dimension),
                                           NoMask{}, StoreAttention{out.data(), shape}));
  checker.close("infinite key", out.values(), problem.expected(), 5e-6);
}

// The NaN that a GPU makes, every bit set but the sign's, survives the rounding to TF32.
void check_undefined_query(Checker& checker, const AttentionShape& shape) {
  AttentionCase problem(shape, false, false);
  const uint32_t bits = 0x7fffffffu;
  std::memcpy(&problem.q[0], &bits, sizeof(bits));
  const DeviceFloats q(problem.q);
  const DeviceFloats k(problem.k);
  const DeviceFloats v(problem.v);
  const DeviceFloats out(shape.batch * shape.heads * shape.queries * shape.value_head_dimension);
  checker.launched("undefined query",
                   launch_flash_attention_mma<Tf32, 64, false>(
                       shape, operand(q, shape.heads, shape.queries, shape.head_dimension),
                       operand(k, shape.key_heads, shape.keys, shape.head_dimension),
                       operand(v, shape.key_heads, shape.keys, shape.value_head_dimension), NoMask{},
                       StoreAttention{out.data(), shape}, nullptr));
  checker.close("undefined query", out.values(), problem.expected(), 2e-2);
}

// Operands stored in 16 bits: what they hold exactly is the reference's operand too.
template <typename T, bool kTensorCores>
void check_stored_as(Checker& checker, const AttentionShape& shape, double tolerance) {
  AttentionCase problem(shape, true, false);
  const StoredAttention<T> stored(problem);
  const DeviceFloats out(shape.batch * shape.heads * shape.queries * shape.value_head_dimension);
  const StoreAttention store{out.data(), shape};
  const auto& q = stored.q.view();
  const auto& k = stored.k.view();
  const auto& v = stored.v.view();
  if constexpr (kTensorCores) {
    checker.launched("16-bit", launch_flash_attention_mma<Tf32, 64, true>(shape, q, k, v, NoMask{}, store, nullptr));
  } else {
    checker.launched("16-bit", launch_flash_attention<64, true>(shape, q, k, v, NoMask{}, store, nullptr));
  }
  checker.close(kTensorCores ? "16-bit mma" : "16-bit ffma", out.values(), problem.expected(), tolerance);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check<32, false, false>(checker, {2, 2, 2, 70, 65, 32, 32, 0.2f});
  check<32, true, false>(checker, {1, 2, 2, 130, 130, 24, 24, 0.2f});
  check<64, true, true>(checker, {1, 4, 2, 65, 80, 64, 64, 0.125f});
  check<64, false, true>(checker, {1, 2, 1, 3, 200, 50, 34, 0.125f});
  check<64, false, true>(checker, {1, 2, 1, 3, 200, 50, 34, 0.125f, NAN});
  check<128, true, true>(checker, {1, 1, 1, 66, 40, 100, 97, 0.09f, NAN});
  check<128, true, false>(checker, {1, 1, 1, 66, 40, 128, 128, 0.09f});
  check<128, false, false>(checker, {1, 1, 1, 20, 70, 97, 128, 0.09f});
  check_infinite_key(checker, {1, 2, 1, 70, 65, 40, 36, 0.125f});
  check_undefined_query(checker, {1, 2, 1, 70, 65, 40, 36, 0.125f});
  const AttentionShape stored{1, 4, 2, 70, 65, 50, 36, 0.125f};
  constexpr double kWeightsInTf32 = 1e-3;
  check_stored_as<__half, false>(checker, stored, 5e-6);
  check_stored_as<__half, true>(checker, stored, kWeightsInTf32);
  check_stored_as<__nv_bfloat16, true>(checker, stored, kWeightsInTf32);
  return checker.finish();
}
