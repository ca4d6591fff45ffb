// SPDX-License-Identifier: Apache-2.0
#include "calibration/measure.h"

#include <cstring>
#include <utility>

#include "calibration/regimes.h"
#include "verify/compare/constants.h"
#include "verify/compare/regime_judge.h"

namespace stitch::calibration {
namespace {

constexpr int kPerturbedRuns = 2;

template <typename Element>
HostTensor host_tensor(DataType type, const std::vector<int64_t>& shape, const std::vector<Element>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(Element));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return HostTensor::from_bytes({"output", TensorRole::kOutput, {type, shape}}, std::move(bytes));
}

verify::OutputReference reference_of(const Family& family, const Sample& sample, Random& random) {
  const auto shape = family.output_shape(sample);
  const auto single = [&](const std::vector<float>& values) { return host_tensor(DataType::kFloat32, shape, values); };
  verify::OutputReference reference;
  reference.name = "output 0";
  reference.type = {DataType::kFloat32, shape};
  reference.reference = host_tensor(DataType::kFloat64, shape, family.truth(sample));
  reference.native = single(family.native(sample, nullptr));
  for (int run = 0; run < kPerturbedRuns; ++run) {
    reference.perturbed.push_back(single(family.native(perturbed(sample, random), nullptr)));
  }
  reference.disturbed = {single(family.native(sample, &random))};
  return reference;
}

uint64_t seed_of(uint64_t seed, int64_t length, size_t regime, int draw) {
  constexpr uint64_t kStep = 1000003;
  return ((seed * kStep + static_cast<uint64_t>(length)) * kStep + regime) * kStep + static_cast<uint64_t>(draw);
}

// One judge a kernel, over all draws of one regime.
std::vector<verify::RegimeJudge> judge_regime(const Family& family, const std::vector<const Kernel*>& kernels,
                                              int64_t length, size_t regime, int draws, uint64_t seed) {
  std::vector<verify::RegimeJudge> judges(kernels.size(), verify::RegimeJudge(MathMode::kFp32));
  for (int draw = 0; draw < draws; ++draw) {
    Random random(seed_of(seed, length, regime, draw));
    Sample sample = family.draw(length, draw, random);
    apply_regime(regimes()[regime], draw, family.inputs, sample, random);
    const verify::OutputReference reference = reference_of(family, sample, random);
    for (size_t i = 0; i < kernels.size(); ++i) {
      const auto got = host_tensor(DataType::kFloat32, reference.type.shape, kernels[i]->run(sample));
      static_cast<void>(judges[i].add_draw("draw", {reference}, {got}));
    }
  }
  for (auto& judge : judges) {
    static_cast<void>(judge.finish());
  }
  return judges;
}

}  // namespace

std::vector<Row> measure(const Family& family, int64_t length, int draws, uint64_t seed) {
  std::vector<const Kernel*> kernels;
  std::vector<Row> rows;
  for (const Kernel& kernel : family.kernels) {
    if (length >= kernel.minimum_length) {
      kernels.push_back(&kernel);
      rows.push_back({family.name, kernel.name, kernel.expectation, family.has_length ? length : 0, 0, "", false, 0});
    }
  }
  for (size_t regime = 0; regime < regimes().size(); ++regime) {
    const auto judges = judge_regime(family, kernels, length, regime, draws, seed);
    for (size_t i = 0; i < kernels.size(); ++i) {
      if (judges[i].ill_conditioned()) {
        ++rows[i].regimes_left_out;
        continue;
      }
      const double ratio = judges[i].statistics().front().second.max_ratio;
      if (ratio >= rows[i].ratio) {
        rows[i].ratio = ratio;
        rows[i].regime = regimes()[regime];
      }
      rows[i].refused = !(rows[i].ratio <= verify::kErrorMultiple);
    }
  }
  return rows;
}

}  // namespace stitch::calibration
