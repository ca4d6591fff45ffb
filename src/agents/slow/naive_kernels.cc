// SPDX-License-Identifier: Apache-2.0
#include "agents/slow/naive_kernels.h"

#include <algorithm>
#include <array>

namespace stitch::agents {
namespace {

constexpr std::array kNaiveKernels = std::to_array<NaiveKernel>({
    {"launch_map", 3, R"(// Each thread takes 16 neighbouring elements, one after another.
template <int kRank, typename Map>
__global__ void naive_map(Map map, stitch::MapShape<kRank> shape, int64_t elements) {
  const int64_t first = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * 16;
  for (int64_t element = first; element < first + 16 && element < elements; ++element) {
    stitch::Index<kRank> at;
    int64_t rest = element;
    for (int axis = kRank - 1; axis > 0; --axis) {
      at.axis[axis] = rest % shape.extents[axis];
      rest /= shape.extents[axis];
    }
    at.axis[0] = rest;
    map.template apply<1>(at);
  }
}
)",
     R"(  int64_t elements = 1;
  for (const int64_t extent : $2.extents) {
    elements *= extent;
  }
  if (elements == 0) {
    return cudaSuccess;
  }
  naive_map<<<static_cast<unsigned>((elements + 1023) / 1024), 64, 0, stream>>>($1, $2, elements);
  return cudaGetLastError();
)"},
    {"launch_reduce_rows", 4, R"(// One thread sums up a whole row.
template <typename Accumulator, typename Load, typename Store>
__global__ void naive_rows(Load load, Store store, stitch::ReduceShape shape) {
  const int64_t row = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= shape.kept) {
    return;
  }
  Accumulator total = Accumulator::identity();
  for (int64_t column = 0; column < shape.reduced; ++column) {
    const float values[1] = {load(row, column)};
    total.add(values);
  }
  store(row, total);
}
)",
     R"(  if ($3.kept == 0) {
    return cudaSuccess;
  }
  naive_rows<$0><<<static_cast<unsigned>(($3.kept + 63) / 64), 64, 0, stream>>>($1, $2, $3);
  return cudaGetLastError();
)"},
    {"launch_gemm_ffma", 5, R"(// One thread an element of the product, without shared memory.
template <typename Epilogue>
__global__ void naive_gemm(stitch::GemmShape shape, stitch::StridedMatrix<float> lhs, stitch::StridedMatrix<float> rhs,
                           Epilogue epilogue) {
  const int64_t place = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= shape.batch * shape.m * shape.n) {
    return;
  }
  const int64_t row = place % shape.m;
  const int64_t column = place / shape.m % shape.n;
  const int64_t batch = place / shape.m / shape.n;
  const float* left = stitch::batch_start(lhs, batch, shape.levels()) + row * lhs.row_stride;
  const float* right = stitch::batch_start(rhs, batch, shape.levels()) + column * rhs.column_stride;
  float sum = 0;
  for (int64_t k = 0; k < shape.k; ++k) {
    sum += left[k * lhs.column_stride] * right[k * rhs.row_stride];
  }
  epilogue(batch, row, column, sum);
}
)",
     R"(  const int64_t elements = $1.batch * $1.m * $1.n;
  if (elements == 0) {
    return cudaSuccess;
  }
  naive_gemm<<<static_cast<unsigned>((elements + 63) / 64), 64, 0, stream>>>($1, $2, $3, $4);
  return cudaGetLastError();
)"},
});

}  // namespace

const NaiveKernel* naive_kernel_for(std::string_view launch) {
  const auto* found = std::find_if(kNaiveKernels.begin(), kNaiveKernels.end(),
                                   [&](const NaiveKernel& each) { return each.launch == launch; });
  return found == kNaiveKernels.end() ? nullptr : found;
}

}  // namespace stitch::agents
