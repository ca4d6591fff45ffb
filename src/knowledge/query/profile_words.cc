// SPDX-License-Identifier: Apache-2.0
#include "knowledge/query/profile_words.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stitch::knowledge {
namespace {

using Meaning = std::pair<const char*, const char*>;

const char* words_of_bound(Bound bound) {
  switch (bound) {
    case Bound::kMemory:
      return "memory-bound bandwidth dram bytes traffic";
    case Bound::kCompute:
      return "compute-bound arithmetic throughput pipe";
    case Bound::kLatency:
      return "latency-bound stall occupancy parallelism";
    case Bound::kHost:
      return "host-bound launch overhead gaps synchronisation";
  }
  return "";
}

// By the beginning of a name, so that "gemm/epilogue" and "sm_90a" are known.
constexpr auto kStepKinds = std::to_array<Meaning>({{"gemm", "matrix product tile"},
                                                    {"conv", "convolution"},
                                                    {"attention", "attention flash"},
                                                    {"softmax", "softmax rows"},
                                                    {"norm", "normalisation rows"},
                                                    {"reduce", "reduction"},
                                                    {"pointwise", "elementwise pointwise fusion"},
                                                    {"map", "elementwise pointwise fusion"},
                                                    {"pool", "pooling window"},
                                                    {"rnn", "recurrent time step"},
                                                    {"scan", "scan prefix sum"},
                                                    {"movement", "transpose copy layout"},
                                                    {"scatter", "scatter atomics"},
                                                    {"gather", "gather embedding"},
                                                    {"sort", "sort"},
                                                    {"linalg", "factorisation triangular solve barriers"},
                                                    {"loss", "reduction loss"}});

constexpr auto kDtypes = std::to_array<Meaning>({{"f32", "fp32"},
                                                 {"f16", "fp16 half tensor core"},
                                                 {"bf16", "bf16 tensor core"},
                                                 {"f64", "fp64 double"},
                                                 {"f8", "fp8 tensor core"},
                                                 {"tf32", "tf32 tensor core"},
                                                 {"i8", "int8"}});

constexpr auto kDevices = std::to_array<Meaning>({{"sm_80", "ampere"},
                                                  {"sm_86", "ampere"},
                                                  {"sm_89", "ada"},
                                                  {"sm_90", "hopper"},
                                                  {"sm_10", "blackwell"},
                                                  {"sm_12", "blackwell"}});

template <size_t kCount>
std::string meaning(const std::array<Meaning, kCount>& table, const std::string& name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Meaning& each) { return !name.empty() && name.starts_with(each.first); });
  return found == table.end() ? std::string() : std::string(" ") + found->second;
}

}  // namespace

std::string profile_words(const ProfileQuery& profile) {
  std::string words = profile.step_kind + meaning(kStepKinds, profile.step_kind);
  if (profile.bound.has_value()) {
    words += std::string(" ") + words_of_bound(*profile.bound);
  }
  words += " " + profile.dtype + meaning(kDtypes, profile.dtype);
  return words + " " + profile.device + meaning(kDevices, profile.device);
}

}  // namespace stitch::knowledge
