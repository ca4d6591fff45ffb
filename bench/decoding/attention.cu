// SPDX-License-Identifier: Apache-2.0
// The kernel for attention of few queries, as functions that the script beside this calls with PyTorch's memory.
#include "kernels/attention/split_keys.cuh"
#include "kernels/common/half.cuh"

namespace {

using namespace stitch;

template <typename T>
struct StoreMixture {
  T* out;
  int64_t heads;
  int64_t queries;
  int64_t dimensions;
  __device__ void operator()(int64_t batch, int64_t head, int64_t query, int64_t dimension, float value) const {
    out[((batch * heads + head) * queries + query) * dimensions + dimension] = from_float<T>(value);
  }
};

template <int kHeadDimension, int kRows, typename T>
int attend(const AttentionShape& shape, const void* q, const void* k, const void* v, void* out, int64_t splits,
           void* scratch, void* stream) {
  const auto operand = [&](const void* data, int64_t heads, int64_t rows) {
    return AttentionOperandOf<T>{static_cast<const T*>(data), heads * rows * shape.head_dimension,
                                 rows * shape.head_dimension, shape.head_dimension};
  };
  return launch_split_keys_attention<kHeadDimension, kRows, false>(
      shape, operand(q, shape.heads, shape.queries), operand(k, shape.key_heads, shape.keys),
      operand(v, shape.key_heads, shape.keys), NoMask{},
      StoreMixture<T>{static_cast<T*>(out), shape.heads, shape.queries, shape.head_dimension}, splits, scratch,
      static_cast<cudaStream_t>(stream));
}

}  // namespace

#define ATTEND(width, rows, type, name)                                                                                \
  extern "C" int attend_##name##_##width##x##rows(int64_t batch, int64_t heads, int64_t key_heads, int64_t keys,       \
                                                  float scale, const void* q, const void* k, const void* v, void* out, \
                                                  int64_t splits, void* scratch, void* stream) {                       \
    return attend<width, rows, type>({batch, heads, key_heads, 1, keys, width, width, scale}, q, k, v, out, splits,    \
                                     scratch, stream);                                                                 \
  }
#define ATTEND_ROWS(width, type, name) \
  ATTEND(width, 1, type, name)         \
  ATTEND(width, 2, type, name)         \
  ATTEND(width, 4, type, name)         \
  ATTEND(width, 8, type, name)
ATTEND_ROWS(64, float, float32)
ATTEND_ROWS(128, float, float32)
ATTEND_ROWS(64, __nv_bfloat16, bfloat16)
ATTEND_ROWS(128, __nv_bfloat16, bfloat16)
