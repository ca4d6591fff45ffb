// SPDX-License-Identifier: Apache-2.0
#include "llm/download/download.h"

#include <fmt/format.h>

#include <array>

#include "base/json/json.h"
#include "llm/exchange/exchange.h"

namespace stitch::llm {
namespace {

struct DownloadLimit {
  const char* name;
  int64_t Download::*place;
};
constexpr std::array kDownloadLimits = std::to_array<DownloadLimit>({{"connect_ms", &Download::connect_ms},
                                                                     {"silence_ms", &Download::silence_ms},
                                                                     {"whole_ms", &Download::whole_ms},
                                                                     {"max_bytes", &Download::max_bytes}});
constexpr int64_t kMaxDownloadLimit = int64_t{1} << 40;

}  // namespace

Json to_json(const Download& download) {
  Json json = {{"url", download.url}, {"file", download.file}};
  for (const DownloadLimit& each : kDownloadLimits) {
    json[each.name] = download.*each.place;
  }
  return json;
}

Result<Download> download_from_json(const Json& json) {
  Download download;
  STITCH_ASSIGN(download.url, json_string(json, "url"));
  STITCH_TRY(check_url(download.url));
  STITCH_ASSIGN(download.file, json_string(json, "file"));
  if (!download.file.starts_with('/')) {
    return failure(ErrorCode::kUsage, "a download needs the whole path of a file");
  }
  for (const DownloadLimit& each : kDownloadLimits) {
    STITCH_ASSIGN(const int64_t value, json_int(json, each.name));
    if (value < 1 || value > kMaxDownloadLimit) {
      return failure(ErrorCode::kUsage, fmt::format("a download's {} is {}", each.name, value));
    }
    download.*each.place = value;
  }
  return download;
}

}  // namespace stitch::llm
