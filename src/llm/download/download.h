// SPDX-License-Identifier: Apache-2.0
// A page to be brought into a file by the process that speaks HTTP. No key is sent.
#pragma once

#include <cstdint>
#include <string>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::llm {

struct Download {
  std::string url{};   // of https, or of http; redirects are followed, and never from https to http
  std::string file{};  // absolute; written to anew, and removed where the page does not come whole
  int64_t connect_ms = 10'000;
  int64_t silence_ms = 60'000;  // between two pieces
  int64_t whole_ms = 600'000;
  int64_t max_bytes = 64 << 20;
};

Json to_json(const Download& download);
// kUsage where a member is missing, of another kind or out of range, or the address is no plain one.
Result<Download> download_from_json(const Json& json);

}  // namespace stitch::llm
