// SPDX-License-Identifier: Apache-2.0
#include "knowledge/query/query.h"

namespace stitch::knowledge {

const char* to_string(Bound bound) {
  switch (bound) {
    case Bound::kMemory:
      return "memory";
    case Bound::kCompute:
      return "compute";
    case Bound::kLatency:
      return "latency";
    case Bound::kHost:
      return "host";
  }
  return "";
}

std::optional<Bound> bound_from_string(std::string_view name) {
  for (const Bound bound : {Bound::kMemory, Bound::kCompute, Bound::kLatency, Bound::kHost}) {
    if (name == to_string(bound)) {
      return bound;
    }
  }
  return std::nullopt;
}

}  // namespace stitch::knowledge
