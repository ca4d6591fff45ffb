// SPDX-License-Identifier: Apache-2.0
// Attention of few queries: one split and many (some without keys), rows that share a key head, rows that are none,
// ragged lengths and dimensions, masks, operands of 16 bits.
#include "attention_support.cuh"
#include "kernels/attention/split_keys.cuh"

namespace {

using namespace stitch_test;

constexpr double kTolerance = 5e-6;

template <int kHeadDimension, int kRows, bool kCausal, bool kMasked, typename T>
cudaError_t launch(const StoredAttention<T>& stored, const AttentionShape& shape, float* out, int64_t splits,
                   float* scratch) {
  const StoreAttention store{out, shape};
  if constexpr (kMasked) {
    return launch_split_keys_attention<kHeadDimension, kRows, kCausal>(
        shape, stored.q.view(), stored.k.view(), stored.v.view(), SomeBarred{}, store, splits, scratch, nullptr);
  } else {
    return launch_split_keys_attention<kHeadDimension, kRows, kCausal>(
        shape, stored.q.view(), stored.k.view(), stored.v.view(), NoMask{}, store, splits, scratch, nullptr);
  }
}

template <int kHeadDimension, int kRows, bool kCausal, bool kMasked, typename T>
void check(Checker& checker, const AttentionShape& shape) {
  AttentionCase problem(shape, kCausal, kMasked);
  const StoredAttention<T> stored(problem);
  const std::vector<double> expected = problem.expected();
  const int64_t rows = shape.batch * shape.heads * shape.queries;
  for (const int64_t splits : {1, 2, 5}) {
    const std::string name = std::to_string(kHeadDimension) + "x" + std::to_string(kRows) + (kCausal ? " causal" : "") +
                             (kMasked ? " masked" : "") + " of " + std::to_string(sizeof(T)) + " bytes, " +
                             std::to_string(shape.queries) + "x" + std::to_string(shape.keys) + ", splits " +
                             std::to_string(splits);
    const DeviceFloats out(rows * shape.value_head_dimension);
    const DeviceFloats scratch(splits * rows * (shape.value_head_dimension + 2));
    checker.launched(name, launch<kHeadDimension, kRows, kCausal, kMasked, T>(stored, shape, out.data(), splits,
                                                                              splits > 1 ? scratch.data() : nullptr));
    checker.close(name, out.values(), expected, kTolerance);
  }
}

// What does not fit is refused, and nothing starts.
void check_refusals(Checker& checker) {
  const AttentionShape too_wide{1, 1, 1, 1, 8, 65, 64, 1.0f};
  AttentionCase problem(too_wide, false, false);
  const StoredAttention<float> stored(problem);
  const DeviceFloats out(64);
  const cudaError_t error = launch<64, 1, false, false, float>(stored, too_wide, out.data(), 1, nullptr);
  checker.is_true("heads wider than the tile are refused", error == cudaErrorInvalidValue);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  // batch, heads, key heads, queries, keys, head dimensions, scale
  check<64, 1, false, false, float>(checker, {2, 3, 3, 1, 301, 64, 64, 0.125f});
  check<32, 1, false, true, float>(checker, {1, 2, 2, 2, 67, 30, 17, 0.2f});
  check<128, 1, false, false, float>(checker, {1, 2, 2, 1, 130, 128, 97, 0.09f});
  check<128, 4, false, true, float>(checker, {1, 8, 2, 1, 95, 100, 128, 0.09f});
  check<64, 4, true, false, float>(checker, {2, 2, 1, 3, 70, 64, 50, 0.125f});
  check<64, 8, true, true, float>(checker, {1, 4, 2, 5, 4, 64, 64, 0.125f});
  check<32, 2, false, true, float>(checker, {1, 2, 2, 2, 67, 30, 17, 0.2f, NAN});
  check<32, 2, false, false, float>(checker, {1, 4, 2, 1, 1, 32, 32, 0.2f});
  check<64, 1, false, false, __half>(checker, {1, 2, 2, 1, 260, 64, 64, 0.125f});
  check<128, 8, false, false, __nv_bfloat16>(checker, {1, 8, 1, 1, 150, 128, 128, 0.09f});
  check<64, 2, false, true, __nv_bfloat16>(checker, {1, 4, 2, 2, 75, 50, 36, 0.125f});
  check<32, 4, true, false, __half>(checker, {1, 3, 1, 3, 33, 32, 32, 0.2f});
  check_refusals(checker);
  return checker.finish();
}
