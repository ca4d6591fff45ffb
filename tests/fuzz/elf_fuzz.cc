// SPDX-License-Identifier: Apache-2.0
// The inspector of shared libraries, on bytes that a candidate's author chose.
#include <algorithm>

#include "base/json/json.h"
#include "elf/facts/library_facts.h"
#include "elf/policy/policy.h"
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto facts = stitch::elf::inspect({reinterpret_cast<const std::byte*>(data), size});
  if (!facts.has_value()) {
    stitch::fuzz::require(!facts.error().message.empty(), "a refusal has a sentence");
    return 0;
  }
  stitch::fuzz::require(std::is_sorted(facts->exports.begin(), facts->exports.end()), "exports are sorted");
  (void)stitch::elf::to_json(*facts).dump(-1, ' ', false, stitch::Json::error_handler_t::replace);
  const auto refusal = stitch::elf::refusal(*facts);
  stitch::fuzz::require(!refusal.has_value() || !refusal->empty(), "a refusal has a sentence");
  return 0;
}
