// SPDX-License-Identifier: Apache-2.0
#include "chat/download/download.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

namespace stitch::chat {
namespace {

constexpr long kMaxRedirects = 5;
constexpr long kOk = 200;

struct EasyEnd {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct FileEnd {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

bool is_loopback_address(const std::string& url) {
  const std::string host = url.substr(url.find("://") + 3);
  return host.starts_with("localhost") || host.starts_with("127.") || host.starts_with("[::1]");
}

struct Sink {
  std::FILE* file = nullptr;
  int64_t bytes = 0;
  int64_t max_bytes = 0;
  bool is_too_long = false;
  bool is_full_disk = false;
};

size_t on_piece(char* bytes, size_t size, size_t count, void* self) {
  auto* sink = static_cast<Sink*>(self);
  const size_t length = size * count;
  sink->bytes += static_cast<int64_t>(length);
  sink->is_too_long = sink->bytes > sink->max_bytes;
  sink->is_full_disk = !sink->is_too_long && std::fwrite(bytes, 1, length, sink->file) != length;
  return sink->is_too_long || sink->is_full_disk ? 0 : length;
}

int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return (*static_cast<const std::function<bool()>*>(self))() ? 1 : 0;
}

void set_up(CURL* easy, const llm::Download& asked, Sink* sink, const std::function<bool()>& is_abandoned) {
  curl_easy_setopt(easy, CURLOPT_URL, asked.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, asked.url.starts_with("https://") ? "https" : "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(easy, CURLOPT_MAXREDIRS, kMaxRedirects);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "stitchcuda");
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(asked.connect_ms));
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(asked.whole_ms));
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>((asked.silence_ms + 999) / 1000));
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_piece);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, sink);
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, &on_progress);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &is_abandoned);
  if (is_loopback_address(asked.url)) {
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  }
}

Result<int64_t> judged(CURLcode code, long status, const llm::Download& asked, const Sink& sink) {
  if (sink.is_too_long) {
    return failure(ErrorCode::kEnvironment, fmt::format("the page has more than {} bytes", asked.max_bytes), asked.url);
  }
  if (sink.is_full_disk) {
    return failure(ErrorCode::kEnvironment, "the page cannot be written", asked.file, "make room there");
  }
  if (code == CURLE_OPERATION_TIMEDOUT) {
    return failure(ErrorCode::kTimeout, "the server is too slow, or cannot be reached", asked.url,
                   "try again later, or name another server by --from");
  }
  if (code != CURLE_OK) {
    return failure(ErrorCode::kEnvironment, fmt::format("the page cannot be had: {}", curl_easy_strerror(code)),
                   asked.url, "see whether this machine has a network");
  }
  if (status != kOk) {
    return failure(ErrorCode::kEnvironment, fmt::format("the server answers with status {}", status), asked.url,
                   "try again later, or name another server by --from");
  }
  return sink.bytes;
}

}  // namespace

Result<int64_t> download(const llm::Download& asked, const std::function<bool()>& is_abandoned) {
  const std::unique_ptr<CURL, EasyEnd> easy(curl_easy_init());
  STITCH_CHECK(easy != nullptr) << "libcurl has no memory";
  std::unique_ptr<std::FILE, FileEnd> file(std::fopen(asked.file.c_str(), "wbe"));
  if (file == nullptr) {
    return failure(ErrorCode::kEnvironment, "the file for a page cannot be written", asked.file);
  }
  Sink sink{.file = file.get(), .max_bytes = asked.max_bytes};
  set_up(easy.get(), asked, &sink, is_abandoned);
  const CURLcode code = curl_easy_perform(easy.get());
  long status = 0;
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
  sink.is_full_disk = sink.is_full_disk || (code == CURLE_OK && std::fflush(file.get()) != 0);
  Result<int64_t> bytes = judged(code, status, asked, sink);
  if (!bytes.has_value()) {
    std::error_code ignored;
    std::filesystem::remove(asked.file, ignored);
  }
  return bytes;
}

}  // namespace stitch::chat
