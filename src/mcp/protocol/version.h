// SPDX-License-Identifier: Apache-2.0
// The versions of the Model Context Protocol that are spoken here, by the date that names each.
#pragma once

#include <string>
#include <string_view>

namespace stitch::mcp {

enum class ProtocolVersion { k20241105, k20250326, k20250618, k20251125 };

inline constexpr ProtocolVersion kNewestVersion = ProtocolVersion::k20251125;

const char* to_string(ProtocolVersion version);  // "2024-11-05"
bool is_spoken(std::string_view version);
// The one asked for where it is spoken here, else the newest.
ProtocolVersion agreed_version(std::string_view asked);
// Several messages in one array are JSON-RPC; 2025-06-18 forbade them.
bool takes_batches(ProtocolVersion version);
// Titles, and results that a program can read, came with 2025-06-18.
bool has_structured_content(ProtocolVersion version);

}  // namespace stitch::mcp
