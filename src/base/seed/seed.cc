// SPDX-License-Identifier: Apache-2.0
#include "base/seed/seed.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <charconv>
#include <string>

#include "base/error/check.h"
#include "base/hash/sha256.h"

namespace stitch {

uint64_t drawn_seed() {
  uint64_t seed = 0;
  STITCH_CHECK(::getrandom(&seed, sizeof(seed), 0) == sizeof(seed)) << "the system gave no random bytes";
  return seed & kLargestSeed;
}

uint64_t derived_seed(uint64_t seed, std::string_view name, uint64_t number) {
  constexpr size_t kDigits = 16;
  const std::string digest = sha256_hex(fmt::format("{}/{}/{}", seed, name, number));
  uint64_t derived = 0;
  std::from_chars(digest.data(), digest.data() + kDigits, derived, 16);
  return derived >> 1U;
}

}  // namespace stitch
