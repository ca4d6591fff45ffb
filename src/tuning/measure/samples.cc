// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/samples.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>

namespace stitch::tuning {
namespace {

// As many numbers as are drawn; larger tensors repeat them, since drawing gigabytes takes longer than timing them.
constexpr size_t kDrawnBytes = size_t{1} << 22;

template <typename Make>
void append_drawn(std::vector<std::byte>& bytes, size_t count, uint32_t seed, Make make) {
  std::minstd_rand generator(seed + 1);
  auto value = make(0.0F);
  for (size_t at = 0; at + sizeof(value) <= count; at += sizeof(value)) {
    value = make(static_cast<float>(generator()) / static_cast<float>(std::minstd_rand::max()) - 0.5F);
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), first, first + sizeof(value));
  }
}

uint16_t upper_bits(float value) {  // of bfloat16; as float16 they are ordinary small numbers as well
  uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return static_cast<uint16_t>(bits >> 16);
}

HostTensor sample(const TensorSpec& spec, uint32_t seed) {
  const auto count = static_cast<size_t>(spec.type.bytes());
  const size_t drawn = std::min(count, kDrawnBytes);
  std::vector<std::byte> bytes;
  bytes.reserve(count);
  switch (spec.type.dtype) {
    case DataType::kFloat32:
      append_drawn(bytes, drawn, seed, [](float value) { return value; });
      break;
    case DataType::kFloat64:
      append_drawn(bytes, drawn, seed, [](float value) { return static_cast<double>(value); });
      break;
    case DataType::kFloat16:
    case DataType::kBfloat16:
      append_drawn(bytes, drawn, seed, upper_bits);
      break;
    default:
      bytes.resize(count);
      break;
  }
  const std::vector<std::byte> numbers = bytes.size() < count ? bytes : std::vector<std::byte>();
  while (bytes.size() < count) {
    const size_t more = std::min(numbers.size(), count - bytes.size());
    bytes.insert(bytes.end(), numbers.begin(), numbers.begin() + static_cast<ptrdiff_t>(more));
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

std::vector<evaluate::TimedDraw> sample_draws(const ir::Graph& graph, size_t most) {
  constexpr int64_t kMaxBytes = int64_t{1} << 30;
  int64_t bytes = 0;
  for (const ir::GraphInput& input : graph.inputs) {
    bytes += graph.type(input.value).bytes();
  }
  std::vector<evaluate::TimedDraw> draws;
  while (draws.size() < most && (draws.empty() || static_cast<int64_t>(draws.size() + 1) * bytes <= kMaxBytes)) {
    const auto number = static_cast<uint32_t>(draws.size());
    evaluate::TimedDraw draw;
    draw.inputs = samples(graph, {TensorRole::kInput}, number);
    draw.states = samples(graph, {TensorRole::kState}, number);
    draws.push_back(std::move(draw));
  }
  return draws;
}

}  // namespace stitch::tuning
