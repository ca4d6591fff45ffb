// SPDX-License-Identifier: Apache-2.0
#include "chat/transfer/transfer.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>

#include "llm/chat/stream_reader.h"

namespace stitch::chat {
namespace {

using Clock = std::chrono::steady_clock;
using llm::Fault;
using llm::FaultKind;

constexpr int kLookMs = 100;
constexpr size_t kMaxErrorBytes = 64u << 10;
// Of a stream, at most: an answer of more is longer than was asked for, thoughts and all.
constexpr int64_t kPiecesPerToken = 4;
constexpr int64_t kMorePieces = 256;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct EasyDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct MultiDeleter {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

class Transfer {
 public:
  Transfer(const llm::Exchange& exchange, const std::string& key)
      : exchange_(exchange), reader_(kPiecesPerToken * llm::answer_limit(exchange) + kMorePieces) {
    set_up(key);
  }

  Transferred run(const std::function<bool()>& is_abandoned);

 private:
  void set_up(const std::string& key);
  bool add_header(const std::string& line);
  static size_t on_header(char* bytes, size_t size, size_t count, void* self);
  static size_t on_body(char* bytes, size_t size, size_t count, void* self);
  bool take_body(std::string_view bytes);
  bool within_limits();
  long status() const;
  // What the whole came to, once libcurl is done with it.
  std::variant<llm::ChatReply, Fault> judged(CURLcode code);

  const llm::Exchange& exchange_;
  std::unique_ptr<curl_slist, ListDeleter> headers_;
  std::unique_ptr<CURL, EasyDeleter> easy_{curl_easy_init()};
  Clock::time_point started_ = Clock::now();
  Clock::time_point last_bytes_ = started_;
  std::optional<double> first_token_seconds_;
  int64_t received_ = 0;
  llm::StreamReader reader_;
  std::string error_body_;
  std::optional<int64_t> retry_after_ms_;
  std::string leads_to_;        // the header Location
  std::optional<Fault> fault_;  // found by us, before libcurl was done
};

bool is_loopback(const std::string& url) {
  const std::string host = url.substr(url.find("://") + 3);
  return host.starts_with("localhost") || host.starts_with("127.") || host.starts_with("[::1]");
}

bool Transfer::add_header(const std::string& line) {
  curl_slist* longer = curl_slist_append(headers_.get(), line.c_str());
  if (longer != nullptr) {
    [[maybe_unused]] curl_slist* const before = headers_.release();  // it is the head of the longer one
    headers_.reset(longer);
  }
  return longer != nullptr;
}

void Transfer::set_up(const std::string& key) {
  CURL* easy = easy_.get();
  STITCH_CHECK(easy != nullptr) << "libcurl has no memory";
  bool good = add_header("Content-Type: application/json") && add_header("Accept: text/event-stream, application/json");
  good = good && add_header("Expect:");  // else a second is lost where a server does not answer it
  // Nothing is to be packed, since what is packed comes late, and what is packed nevertheless is read.
  good = good && add_header("Accept-Encoding: identity");
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
  good = good && (key.empty() || add_header("Authorization: Bearer " + key));
  STITCH_CHECK(good) << "libcurl has no memory";
  std::string url = exchange_.url;
  url += url.ends_with('/') ? "chat/completions" : "/chat/completions";
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "stitchcuda");
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(exchange_.body.size()));
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, exchange_.body.c_str());
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(exchange_.limits.connect_ms));
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  if (is_loopback(exchange_.url)) {
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  }
}

long Transfer::status() const {
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  return status;
}

// Behind the name of a header, which is given in small letters with its colon.
std::optional<std::string_view> value_of(std::string_view line, std::string_view name) {
  if (line.size() <= name.size() || ::strncasecmp(line.data(), name.data(), name.size()) != 0) {
    return std::nullopt;
  }
  line.remove_prefix(name.size());
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line;
}

size_t Transfer::on_header(char* bytes, size_t size, size_t count, void* self) {
  auto* transfer = static_cast<Transfer*>(self);
  const std::string_view line(bytes, size * count);
  if (const auto retry_after = value_of(line, "retry-after:"); retry_after.has_value()) {
    transfer->retry_after_ms_ = llm::retry_after_ms(*retry_after, std::time(nullptr));
  }
  if (const auto location = value_of(line, "location:"); location.has_value()) {
    transfer->leads_to_ = location->substr(0, location->find_last_not_of(" \r\n") + 1);
  }
  transfer->received_ += static_cast<int64_t>(line.size());
  return line.size();
}

size_t Transfer::on_body(char* bytes, size_t size, size_t count, void* self) {
  const std::string_view piece(bytes, size * count);
  return static_cast<Transfer*>(self)->take_body(piece) ? piece.size() : 0;
}

// False ends the transfer: a fault was found, or everything has been said.
bool Transfer::take_body(std::string_view bytes) {
  last_bytes_ = Clock::now();
  received_ += static_cast<int64_t>(bytes.size());
  if (received_ > exchange_.limits.max_bytes) {
    fault_ = Fault{.kind = FaultKind::kTooLong,
                   .message = fmt::format("the endpoint's answer has more than {} bytes", exchange_.limits.max_bytes)};
    return false;
  }
  if (status() != 200) {
    error_body_ += bytes.substr(0, kMaxErrorBytes - std::min(kMaxErrorBytes, error_body_.size()));
    return true;
  }
  fault_ = reader_.feed(bytes);
  if (reader_.has_begun() && !first_token_seconds_.has_value()) {
    first_token_seconds_ = seconds_since(started_);
  }
  return !fault_.has_value() && !reader_.is_done();
}

bool Transfer::within_limits() {
  const llm::TransferLimits& limits = exchange_.limits;
  const auto beyond = [](Clock::time_point start, int64_t limit_ms) {
    return Clock::now() - start > std::chrono::milliseconds(limit_ms);
  };
  if (beyond(started_, limits.whole_ms)) {
    fault_ = Fault{.kind = FaultKind::kTooSlow,
                   .message = fmt::format("the endpoint's answer takes more than {} s",
                                          0.001 * static_cast<double>(limits.whole_ms))};
  } else if (!first_token_seconds_.has_value() && beyond(started_, limits.first_token_ms)) {
    fault_ = Fault{.kind = FaultKind::kTooSlow,
                   .message = fmt::format("the endpoint began no answer within {} s",
                                          0.001 * static_cast<double>(limits.first_token_ms))};
  } else if (first_token_seconds_.has_value() && beyond(last_bytes_, limits.silence_ms)) {
    fault_ = Fault{
        .kind = FaultKind::kBroken,
        .message = fmt::format("the endpoint sent nothing for {} s", 0.001 * static_cast<double>(limits.silence_ms))};
  }
  return !fault_.has_value();
}

FaultKind kind_of(CURLcode code) {
  switch (code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return FaultKind::kUnusable;
    default:
      return FaultKind::kBroken;
  }
}

std::variant<llm::ChatReply, Fault> Transfer::judged(CURLcode code) {
  if (fault_.has_value()) {
    return *fault_;
  }
  const bool has_ended = code == CURLE_OK || reader_.is_done();
  if (has_ended && status() != 200) {
    Fault fault = llm::fault_of_response(static_cast<int>(status()), error_body_, leads_to_);
    fault.retry_after_ms = retry_after_ms_;
    return fault;
  }
  std::variant<llm::ChatReply, Fault> end = reader_.finish();
  if (has_ended || (status() == 200 && std::holds_alternative<llm::ChatReply>(end))) {
    return end;  // all of an answer, and a connection that was not closed as it should be
  }
  return Fault{.kind = kind_of(code),
               .message = fmt::format("the connection to the endpoint failed: {}", curl_easy_strerror(code))};
}

Transferred Transfer::run(const std::function<bool()>& is_abandoned) {
  const std::unique_ptr<CURLM, MultiDeleter> multi(curl_multi_init());
  STITCH_CHECK(multi != nullptr) << "libcurl has no memory";
  curl_multi_add_handle(multi.get(), easy_.get());
  int running = 1;
  CURLcode code = CURLE_OPERATION_TIMEDOUT;
  while (running > 0 && within_limits() && !is_abandoned()) {
    curl_multi_perform(multi.get(), &running);
    if (running > 0) {
      curl_multi_poll(multi.get(), nullptr, 0, kLookMs, nullptr);
    }
  }
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi.get(), &left)) {
    code = message->msg == CURLMSG_DONE ? message->data.result : code;
  }
  Transferred result{.end = judged(code), .seconds = seconds_since(started_)};
  result.first_token_seconds = first_token_seconds_.value_or(result.seconds);
  curl_multi_remove_handle(multi.get(), easy_.get());
  return result;
}

}  // namespace

Transferred transfer(const llm::Exchange& exchange, const std::string& key, const std::function<bool()>& is_abandoned) {
  return Transfer(exchange, key).run(is_abandoned);
}

}  // namespace stitch::chat
