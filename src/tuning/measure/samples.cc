// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/samples.h"

#include <cstring>
#include <random>

namespace stitch::tuning {
namespace {

HostTensor sample(const TensorSpec& spec, uint32_t seed) {
  std::vector<std::byte> bytes(static_cast<size_t>(spec.type.bytes()));
  std::minstd_rand generator(seed + 1);
  const auto fill = [&](auto make) {
    auto value = make(0.0F);
    for (size_t at = 0; at + sizeof(value) <= bytes.size(); at += sizeof(value)) {
      value = make(static_cast<float>(generator()) / static_cast<float>(std::minstd_rand::max()) - 0.5F);
      std::memcpy(bytes.data() + at, &value, sizeof(value));
    }
  };
  const auto upper_bits = [](float value) {  // of bfloat16; as float16 they are ordinary small numbers as well
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    return static_cast<uint16_t>(bits >> 16);
  };
  switch (spec.type.dtype) {
    case DataType::kFloat32:
      fill([](float value) { return value; });
      break;
    case DataType::kFloat64:
      fill([](float value) { return static_cast<double>(value); });
      break;
    case DataType::kFloat16:
    case DataType::kBfloat16:
      fill(upper_bits);
      break;
    default:
      break;
  }
  return HostTensor::from_bytes(spec, std::move(bytes));
}

}  // namespace

std::vector<HostTensor> samples(const ir::Graph& graph, const std::vector<TensorRole>& roles, uint32_t draw) {
  constexpr uint32_t kApart = 1000;  // seeds of two draws
  std::vector<HostTensor> tensors;
  for (const TensorRole role : roles) {
    for (const ir::GraphInput& input : graph.inputs) {
      if (input.role == role) {
        const TensorSpec spec{input.binding, role, graph.type(input.value)};
        tensors.push_back(sample(spec, draw * kApart + static_cast<uint32_t>(tensors.size())));
      }
    }
  }
  return tensors;
}

std::vector<evaluate::TimedDraw> sample_draws(const ir::Graph& graph) {
  constexpr uint32_t kMaxDraws = 4;
  constexpr int64_t kMaxBytes = int64_t{1} << 30;
  int64_t bytes = 0;
  for (const ir::GraphInput& input : graph.inputs) {
    bytes += graph.type(input.value).bytes();
  }
  std::vector<evaluate::TimedDraw> draws;
  while (draws.size() < kMaxDraws && (draws.empty() || static_cast<int64_t>(draws.size() + 1) * bytes <= kMaxBytes)) {
    const auto number = static_cast<uint32_t>(draws.size());
    evaluate::TimedDraw draw;
    draw.inputs = samples(graph, {TensorRole::kInput}, number);
    draw.states = samples(graph, {TensorRole::kState}, number);
    draws.push_back(std::move(draw));
  }
  return draws;
}

}  // namespace stitch::tuning
