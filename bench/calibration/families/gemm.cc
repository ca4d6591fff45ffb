// SPDX-License-Identifier: Apache-2.0
// y = scale * x w^T + bias: orders of summation and precisions of a contraction.
#include <algorithm>
#include <cmath>
#include <utility>

#include "calibration/arithmetic.h"
#include "calibration/family.h"
#include "calibration/sums.h"

namespace stitch::calibration {
namespace {

constexpr int64_t kRows = 4;
constexpr int64_t kColumns = 256;
constexpr int64_t kTile = 16;        // of K
constexpr int64_t kPromotion = 32;  // of K, between moves of tensor-core sums into fp32 registers

float scale_of(int64_t length) { return 1.0F / std::sqrt(static_cast<float>(length)); }

Sample draw(int64_t length, int number, Random& random) {
  const float bound = 1.0F / std::sqrt(static_cast<float>(length));
  const auto parameter = [&] { return random.uniform(-bound, bound) * random.uniform(0.5F, 1.5F); };
  const auto element = [&] { return number % 2 == 0 ? random.normal() : random.uniform(0, 1); };
  return {{make_tensor({kRows, length}, element), make_tensor({kColumns, length}, parameter),
           make_tensor({kColumns}, parameter)}};
}

template <typename Sums>
auto compute(const Sample& sample, const Sums& sums) {
  using Real = typename Sums::Real;
  const auto& [x, w, bias] = std::tie(sample.tensors[0], sample.tensors[1], sample.tensors[2]);
  const int64_t length = x.extent(1);
  std::vector<Real> result;
  for (int64_t row = 0; row < kRows; ++row) {
    for (int64_t column = 0; column < kColumns; ++column) {
      const float* a = x.row(row);
      const float* b = w.row(column);
      const Real total =
          sums.contraction(length, [&](int64_t k) { return static_cast<Real>(a[k]) * static_cast<Real>(b[k]); });
      result.push_back(total * static_cast<Real>(scale_of(length)) +
                       static_cast<Real>(bias.data[static_cast<size_t>(column)]));
    }
  }
  return result;
}

using Dot = std::function<float(const float* a, const float* b, int64_t length)>;

std::vector<float> with_dot(const Sample& sample, const Dot& dot) {
  const int64_t length = sample.tensors[0].extent(1);
  std::vector<float> result;
  for (int64_t row = 0; row < kRows; ++row) {
    for (int64_t column = 0; column < kColumns; ++column) {
      result.push_back(dot(sample.tensors[0].row(row), sample.tensors[1].row(column), length) * scale_of(length) +
                       sample.tensors[2].data[static_cast<size_t>(column)]);
    }
  }
  return result;
}

float sequential(const float* a, const float* b, int64_t length) {
  float sum = 0;
  for (int64_t k = 0; k < length; ++k) {
    sum += a[k] * b[k];
  }
  return sum;
}

float fused_chain(const float* a, const float* b, int64_t length) {
  float sum = 0;
  for (int64_t k = 0; k < length; ++k) {
    sum = std::fmaf(a[k], b[k], sum);
  }
  return sum;
}

float split_k(const float* a, const float* b, int64_t length) {
  constexpr int64_t kParts = 4;
  float sum = 0;
  for (int64_t part = 0; part < kParts; ++part) {
    const int64_t begin = length * part / kParts;
    sum += sequential(a + begin, b + begin, length * (part + 1) / kParts - begin);
  }
  return sum;
}

float blocked(const float* a, const float* b, int64_t length) {
  float sum = 0;
  for (int64_t k = 0; k < length; k += kTile) {
    sum += sequential(a + k, b + k, std::min(kTile, length - k));
  }
  return sum;
}

float tree(const float* a, const float* b, int64_t length) {
  std::vector<float> products(static_cast<size_t>(length));
  for (int64_t k = 0; k < length; ++k) {
    products[static_cast<size_t>(k)] = a[k] * b[k];
  }
  return pairwise_sum(products);
}

// Three products of TF32 parts. One instruction takes 8 of K, adds its products exactly and drops what lies below the
// accumulator's last bit; its sums move to fp32 registers every kPromotion of K.
float tf32_times_three(const float* a, const float* b, int64_t length) {
  constexpr int64_t kInstruction = 8;
  float sum = 0;
  float partial = 0;
  for (int64_t begin = 0; begin < length; begin += kInstruction) {
    double high = 0;
    double low_b = 0;
    double low_a = 0;
    for (int64_t k = begin; k < std::min(length, begin + kInstruction); ++k) {
      const float high_a = round_to_tf32(a[k]);
      const float high_b = round_to_tf32(b[k]);
      high += static_cast<double>(high_a) * static_cast<double>(high_b);
      low_b += static_cast<double>(high_a) * static_cast<double>(round_to_tf32(b[k] - high_b));
      low_a += static_cast<double>(round_to_tf32(a[k] - high_a)) * static_cast<double>(high_b);
    }
    for (const double products : {low_a, low_b, high}) {
      partial = truncate_to_float(static_cast<double>(partial) + products);
    }
    if ((begin + kInstruction) % kPromotion == 0) {
      sum += partial;
      partial = 0;
    }
  }
  return sum + partial;
}

Dot with_operands(float (*round)(float)) {
  return [round](const float* a, const float* b, int64_t length) {
    float sum = 0;
    for (int64_t k = 0; k < length; ++k) {
      sum += round(a[k]) * round(b[k]);
    }
    return sum;
  };
}

float half_accumulator(const float* a, const float* b, int64_t length) {
  float sum = 0;
  for (int64_t k = 0; k < length; ++k) {
    sum = round_to_half(sum + a[k] * b[k]);
  }
  return sum;
}

float stale_tile(const float* a, const float* b, int64_t length) {
  float sum = 0;
  for (int64_t k = 0; k < length; ++k) {
    // The last tile of b is what the tile before left in shared memory.
    const bool last = k / kTile == (length - 1) / kTile;
    sum += a[k] * b[last && k >= kTile ? k - kTile : k];
  }
  return sum;
}

float late_row(const float* a, const float* b, int64_t length) {
  float sum = 0;
  for (int64_t k = 0; k < length; ++k) {
    sum += a[k] * b[std::min(k + 1, length - 1)];
  }
  return sum;
}

Kernel honest(std::string name, Dot dot) {
  return {std::move(name), Expectation::kHonest, [dot](const Sample& sample) { return with_dot(sample, dot); }};
}
Kernel bug(std::string name, Dot dot, int64_t minimum_length = 0) {
  return {std::move(name), Expectation::kBug, [dot](const Sample& sample) { return with_dot(sample, dot); },
          minimum_length};
}

std::vector<Kernel> epilogue_bugs() {
  return {{"missing bias", Expectation::kBug,
           [](const Sample& sample) {
             Sample without = sample;
             std::fill(without.tensors[2].data.begin(), without.tensors[2].data.end(), 0.0F);
             return with_dot(without, sequential);
           }},
          {"bias of the next column", Expectation::kBug,
           [](const Sample& sample) {
             Sample moved = sample;
             std::rotate(moved.tensors[2].data.begin(), moved.tensors[2].data.begin() + 1, moved.tensors[2].data.end());
             return with_dot(moved, sequential);
           }},
          {"scale of K + 1", Expectation::kBug,
           [](const Sample& sample) {
             const auto length = sample.tensors[0].extent(1);
             const float factor = scale_of(length + 1) / scale_of(length);
             return with_dot(sample,
                             [&](const float* a, const float* b, int64_t k) { return sequential(a, b, k) * factor; });
           }},
          {"last element not written", Expectation::kBug, [](const Sample& sample) {
             auto result = with_dot(sample, sequential);
             result.back() = 0;
             return result;
           }}};
}

}  // namespace

Family gemm_family() {
  Family family;
  family.name = "linear";
  family.draw = draw;
  family.output_shape = [](const Sample&) { return std::vector<int64_t>{kRows, kColumns}; };
  family.truth = [](const Sample& sample) { return compute(sample, ExactSums()); };
  family.native = [](const Sample& sample, Random* random) { return compute(sample, NativeSums(random)); };
  family.kernels = {
      honest("one accumulator", sequential),
      honest("one accumulator, fused multiply-add", fused_chain),
      honest("split K in four", split_k),
      honest("blocks of 16", blocked),
      honest("tree", tree),
      honest("3xTF32, promoted every 32", tf32_times_three),
      bug("half accumulator", half_accumulator),
      bug("bf16 operands", with_operands(round_to_bfloat16)),
      bug("single TF32", with_operands(round_to_tf32)),
      bug("last K tile missing", [](const float* a, const float* b,
                                    int64_t length) { return sequential(a, b, (length - 1) / kTile * kTile); }),
      bug("last K element missing",
          [](const float* a, const float* b, int64_t length) { return sequential(a, b, length - 1); }),
      bug("stale last tile", stale_tile, 2 * kTile),
      bug("operand index off by one", late_row)};
  for (Kernel& kernel : epilogue_bugs()) {
    family.kernels.push_back(std::move(kernel));
  }
  return family;
}

}  // namespace stitch::calibration
