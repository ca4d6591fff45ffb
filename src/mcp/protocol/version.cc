// SPDX-License-Identifier: Apache-2.0
#include "mcp/protocol/version.h"

#include <array>

namespace stitch::mcp {
namespace {

constexpr std::array kVersions = {ProtocolVersion::k20241105, ProtocolVersion::k20250326, ProtocolVersion::k20250618,
                                  ProtocolVersion::k20251125};

}  // namespace

const char* to_string(ProtocolVersion version) {
  switch (version) {
    case ProtocolVersion::k20241105:
      return "2024-11-05";
    case ProtocolVersion::k20250326:
      return "2025-03-26";
    case ProtocolVersion::k20250618:
      return "2025-06-18";
    case ProtocolVersion::k20251125:
      return "2025-11-25";
  }
  return "2025-11-25";
}

bool is_spoken(std::string_view version) {
  for (const ProtocolVersion known : kVersions) {
    if (version == to_string(known)) {
      return true;
    }
  }
  return false;
}

ProtocolVersion agreed_version(std::string_view asked) {
  for (const ProtocolVersion known : kVersions) {
    if (asked == to_string(known)) {
      return known;
    }
  }
  return kNewestVersion;
}

bool takes_batches(ProtocolVersion version) { return version <= ProtocolVersion::k20250326; }

bool has_structured_content(ProtocolVersion version) { return version >= ProtocolVersion::k20250618; }

}  // namespace stitch::mcp
