// SPDX-License-Identifier: Apache-2.0
// Attention by wgmma in fp16 parts: causal and not, masks that bar whole queries, grouped heads, ragged lengths and
// dimensions, operands of very different size, and what fp16 does not hold.
#include <cstring>

#include "attention_support.cuh"
#include "kernels/attention/flash_wgmma.cuh"

namespace {

using namespace stitch;
using namespace stitch_test;

constexpr double kFp32Class = 5e-6;

AttentionOperand operand(const DeviceFloats& data, int64_t heads, int64_t rows, int64_t dimensions) {
  return {data.data(), heads * rows * dimensions, rows * dimensions, dimensions};
}

template <int kProducts, int kHeadDimension, bool kCausal, typename Mask>
std::vector<float> attend(Checker& checker, const std::string& name, const AttentionCase& problem, const Mask& mask) {
  const AttentionShape& shape = problem.shape;
  const DeviceFloats q(problem.q);
  const DeviceFloats k(problem.k);
  const DeviceFloats v(problem.v);
  const DeviceFloats out(shape.batch * shape.heads * shape.queries * shape.value_head_dimension);
  const DeviceFloats scratch(key_plane_bytes<kHeadDimension>(shape.batch, shape.key_heads, shape.keys) / 4);
  checker.launched(name, launch_flash_attention_wgmma<kProducts, kHeadDimension, kCausal>(
                             shape, operand(q, shape.heads, shape.queries, shape.head_dimension),
                             operand(k, shape.key_heads, shape.keys, shape.head_dimension),
                             operand(v, shape.key_heads, shape.keys, shape.value_head_dimension), mask,
                             StoreAttention{out.data(), shape}, scratch.data(), nullptr));
  return out.values();
}

template <int kProducts, int kHeadDimension, bool kCausal, bool kMasked>
void check(Checker& checker, const AttentionShape& shape, double tolerance = kFp32Class) {
  const AttentionCase problem(shape, kCausal, kMasked);
  const std::string name = std::to_string(kProducts) + " products, " + std::to_string(kHeadDimension) +
                           (kCausal ? " causal" : "") + (kMasked ? " masked" : "") + " " +
                           std::to_string(shape.queries) + "x" + std::to_string(shape.keys);
  const std::conditional_t<kMasked, SomeBarred, NoMask> mask;
  checker.close(name, attend<kProducts, kHeadDimension, kCausal>(checker, name, problem, mask), problem.expected(),
                tolerance);
}

// Heads, rows and single elements of very different size, which scores bear as long as they are not large.
void check_wide(Checker& checker, const AttentionShape& shape, float query_size, float key_size, float value_size) {
  AttentionCase problem(shape, false, false);
  const auto spread = [](std::vector<float>& values, int64_t row, float size) {
    for (size_t at = 0; at < values.size(); ++at) {
      const auto wide = static_cast<int>(at / static_cast<size_t>(row) * 5 % 13) - 12;
      values[at] *= std::ldexp(size, wide);
    }
  };
  spread(problem.q, shape.head_dimension, query_size);
  spread(problem.k, shape.head_dimension, key_size);
  spread(problem.v, 3 * shape.value_head_dimension, value_size);
  checker.close("wide", attend<3, 64, false>(checker, "wide", problem, NoMask{}), problem.expected(),
                kFp32Class * static_cast<double>(value_size));
}

// A key whose score is minus infinity for every query weighs nothing.
void check_infinite_key(Checker& checker, const AttentionShape& shape) {
  AttentionCase problem(shape, false, false);
  for (size_t at = 0; at < problem.q.size(); at += static_cast<size_t>(shape.head_dimension)) {
    problem.q[at] = -0.5f - std::fabs(problem.q[at]);
  }
  problem.k[static_cast<size_t>(5 * shape.head_dimension)] = INFINITY;
  checker.close("infinite key", attend<3, 64, false>(checker, "infinite key", problem, NoMask{}), problem.expected(),
                kFp32Class);
}

// Elements that planes do not hold, whose products are no number, are computed in plain fp32: here all of them.
void check_out_of_range(Checker& checker, const AttentionShape& shape) {
  AttentionCase problem(shape, true, false);
  for (float& value : problem.v) {
    value *= 1e-30f;
  }
  const std::vector<float> got = attend<3, 32, true>(checker, "tiny values", problem, NoMask{});
  checker.close("tiny values", got, problem.expected(), 5e-36);
}

// Most elements of a tile are so much smaller than the largest that fp16 parts lose bits of them. The scores do not
// have the large ones.
void check_uneven_keys(Checker& checker, const AttentionShape& shape) {
  AttentionCase problem(shape, false, false);
  const auto dimensions = static_cast<size_t>(shape.head_dimension);
  for (size_t at = 0; at < problem.q.size(); at += dimensions) {
    problem.q[at] = 0.0f;
  }
  for (size_t at = 0; at < problem.k.size(); at += dimensions) {
    problem.k[at] = 0x1p26f;
  }
  checker.close("uneven keys", attend<3, 32, false>(checker, "uneven keys", problem, NoMask{}), problem.expected(),
                kFp32Class);
}

struct CausalMatrix {
  __device__ float operator()(int64_t, int64_t, int64_t query, int64_t key, float score) const {
    return key > query ? -INFINITY : score;
  }
};

// Whole tiles are barred by a mask, of some groups' queries. A value there that is infinite counts all the same.
void check_barred_tiles(Checker& checker, const AttentionShape& shape, bool has_infinite_value) {
  AttentionCase problem(shape, true, false);
  const std::string name = has_infinite_value ? "barred tiles, infinite value" : "barred tiles";
  if (has_infinite_value) {
    problem.v[static_cast<size_t>(100 * shape.value_head_dimension)] = INFINITY;
  }
  checker.close(name, attend<3, 64, false>(checker, name, problem, CausalMatrix{}), problem.expected(), kFp32Class);
}

struct CountScores {
  unsigned* calls;
  __device__ float operator()(int64_t, int64_t, int64_t, int64_t, float score) const {
    atomicAdd(calls, 1u);
    return score;
  }
};

// Ordinary queries are not computed again in plain fp32, which would hide what is wrong with their products.
template <int kHeadDimension>
void check_done_once(Checker& checker, const AttentionShape& shape) {
  const AttentionCase problem(shape, false, false);
  const DeviceArray<unsigned> calls(std::vector<unsigned>{0});
  const std::string name = "done once, " + std::to_string(kHeadDimension);
  const std::vector<float> got = attend<3, kHeadDimension, false>(checker, name, problem, CountScores{calls.data()});
  checker.close(name, got, problem.expected(), kFp32Class);
  const int64_t scores = shape.batch * shape.heads * shape.queries * shape.keys;
  checker.is_true(name, calls.values()[0] == static_cast<unsigned>(scores));
}

// Not a number in a query, of which the other queries know nothing.
void check_undefined_query(Checker& checker, const AttentionShape& shape) {
  AttentionCase problem(shape, false, false);
  const uint32_t bits = 0x7fffffffu;
  std::memcpy(&problem.q[0], &bits, sizeof(bits));
  checker.close("undefined query", attend<1, 64, false>(checker, "undefined query", problem, NoMask{}),
                problem.expected(), 2e-2);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check<3, 32, false, false>(checker, {2, 2, 2, 70, 65, 32, 32, 0.2f});
  check<3, 32, true, false>(checker, {1, 2, 1, 200, 330, 24, 24, 0.2f});
  check<3, 64, true, true>(checker, {1, 4, 2, 65, 80, 64, 64, 0.125f});
  check<3, 64, false, true>(checker, {1, 2, 1, 3, 200, 50, 34, 0.125f});
  check<3, 64, false, true>(checker, {1, 2, 1, 3, 200, 50, 34, 0.125f, NAN});
  check<3, 64, false, false>(checker, {1, 1, 1, 20, 500, 40, 40, -0.125f});
  check<3, 96, true, false>(checker, {1, 1, 1, 140, 150, 96, 90, 0.1f});
  check<3, 128, true, true>(checker, {1, 1, 1, 66, 40, 100, 97, 0.09f, NAN});
  check<3, 128, false, false>(checker, {1, 1, 1, 70, 140, 128, 128, 0.09f});
  check<1, 32, true, false>(checker, {1, 1, 1, 130, 130, 32, 32, 0.2f}, 2e-3);
  check<1, 128, false, false>(checker, {1, 1, 1, 20, 70, 97, 128, 0.09f}, 2e-3);
  check_wide(checker, {1, 2, 1, 70, 130, 64, 64, 0.125f}, 1.0f, 4.0f, 1.0f);
  check_wide(checker, {1, 2, 1, 70, 130, 64, 64, 0.125f}, 1048576.0f, 0x1p-20f, 1048576.0f);
  check_infinite_key(checker, {1, 2, 1, 70, 65, 40, 36, 0.125f});
  check_out_of_range(checker, {1, 2, 1, 70, 70, 32, 32, 0.2f});
  check_barred_tiles(checker, {1, 2, 1, 200, 330, 64, 40, 0.125f}, false);
  check_barred_tiles(checker, {1, 1, 1, 130, 200, 64, 40, 0.125f}, true);
  check_uneven_keys(checker, {1, 1, 1, 70, 70, 32, 32, 0.2f});
  check_done_once<32>(checker, {1, 1, 1, 70, 140, 32, 32, 0.2f});
  check_done_once<64>(checker, {1, 2, 1, 64, 70, 40, 64, 0.2f});
  check_done_once<96>(checker, {1, 1, 1, 70, 70, 96, 96, 0.1f});
  check_done_once<128>(checker, {1, 1, 1, 70, 128, 128, 128, 0.1f});
  check_undefined_query(checker, {1, 2, 1, 70, 65, 40, 36, 0.125f});
  return checker.finish();
}
