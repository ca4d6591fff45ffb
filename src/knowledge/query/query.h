// SPDX-License-Identifier: Apache-2.0
// What is looked for: words, what a compiler or a run complained of, or what a profile found.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace stitch::knowledge {

struct TextQuery {
  std::string text{};
};

// The log as it came, of any length: paths, numbers and addresses in it are not looked for.
struct ErrorQuery {
  std::string log{};
};

// What limits a step: bytes, arithmetic, waiting for either, or the host.
enum class Bound { kMemory, kCompute, kLatency, kHost };

// "memory", "compute", "latency", "host".
const char* to_string(Bound bound);
std::optional<Bound> bound_from_string(std::string_view name);

struct ProfileQuery {
  std::optional<Bound> bound{};  // empty: not known
  std::string step_kind{};       // a skeleton or a family of operators: "gemm", "softmax", "rnn/layer" ...
  std::string dtype{};           // "f32", "bf16" ...
  std::string device{};          // "sm_90a", or a name as "NVIDIA H200"
};

using Query = std::variant<TextQuery, ErrorQuery, ProfileQuery>;

}  // namespace stitch::knowledge
