// SPDX-License-Identifier: Apache-2.0
// Moments as records have them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stitch::runs {

// Seconds since 1970 as UTC: "2026-11-21T13:04:55Z", and as it stands in an id: "20261121-130455".
std::string utc_text(int64_t seconds);
std::string utc_digits(int64_t seconds);
// Of "2026-11-21T13:04:55Z"; nullopt for what is no such time.
std::optional<int64_t> seconds_since_1970(const std::string& utc);

}  // namespace stitch::runs
