// SPDX-License-Identifier: Apache-2.0
#include "train/remote/served_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "base/parallel/for_each_parallel.h"
#include "base/seed/seed.h"
#include "base/text/printable.h"
#include "train/files/model_files.h"
#include "train/remote/completion.h"
#include "train/serve/torch_engine.h"

namespace stitch::train {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kAtOnce = 32;  // requests
constexpr int64_t kVersionsKept = 2;

Unexpected refused(const std::string& route, const http::Response& response) {
  constexpr size_t kMaxShown = 300;
  const Json body = Json::parse(response.body, nullptr, false);
  const Json error = body.is_object() ? body.value("error", Json()) : Json();
  const Json message = error.is_object() ? error.value("message", Json()) : error;
  return failure(
      ErrorCode::kEnvironment,
      fmt::format("the server of rollouts answers {} to {}: {}", response.status, route,
                  printable_line(message.is_string() ? message.get<std::string>() : response.body, kMaxShown)),
      "rollout.server", "see what the server says, and start the same command again: it goes on from here");
}

bool may_be_tried_again(const Result<http::Response>& response) {
  return !response.has_value() || response->status == 429 || response->status >= 500;
}

// The whole seconds of "Retry-After", at most a few.
std::chrono::milliseconds pause_before_again(const Result<http::Response>& response) {
  constexpr int kMostSeconds = 5;
  int seconds = 1;
  for (const auto& [name, value] : response.has_value() ? response->headers : decltype(response->headers)()) {
    if (name == "retry-after") {
      std::from_chars(value.data(), value.data() + value.size(), seconds);
    }
  }
  return std::chrono::seconds(std::clamp(seconds, 1, kMostSeconds));
}

}  // namespace

void read_server_settings(Section& parent, ServerSettings& settings) {
  constexpr double kMaxSeconds = 1e6;
  if (!parent.has("server")) {
    return;
  }
  Section section = parent.child("server");
  section.require("url");
  section.read("url", settings.url);
  section.read("token_file", settings.token_file);
  section.read("name", settings.name);
  section.read("deadline_s", settings.deadline_s, 1, kMaxSeconds);
  if (settings.url.empty()) {
    section.refuse("url", "is empty");
  }
  parent.add(std::move(section));
}

Result<std::unique_ptr<ServedPolicy>> ServedPolicy::open(const ServerSettings& settings, const fs::path& base,
                                                         fs::path folder, std::vector<int64_t> canary) {
  STITCH_ASSIGN(http::Destination destination, http::read_url(settings.url));
  std::unique_ptr<ServedPolicy> opened(
      new ServedPolicy(settings, std::move(destination), fs::absolute(folder).lexically_normal()));
  if (!settings.token_file.empty()) {
    STITCH_ASSIGN(opened->token_, read_file(base / settings.token_file));
    opened->token_.erase(opened->token_.find_last_not_of(" \r\n") + 1);
  }
  opened->canary_ = std::move(canary);
  return opened;
}

std::string ServedPolicy::name_of(int64_t version) const { return fmt::format("{}-v{}", settings_.name, version); }

fs::path ServedPolicy::folder_of(int64_t version) const { return folder_ / name_of(version); }

// Without a body: GET.
Result<std::string> ServedPolicy::post(const std::string& route, const std::string& body) const {
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(settings_.deadline_s));
  http::Call call{.method = body.empty() ? "GET" : "POST", .target = route, .body = body, .headers = {}};
  if (!token_.empty()) {
    call.headers = {{"Authorization", "Bearer " + token_}};
  }
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    call.patience = std::max(left, std::chrono::milliseconds(1));
    const Result<http::Response> response = http::call(destination_, call);
    if (response.has_value() && response->status == 200) {
      return response->body;
    }
    const auto pause = pause_before_again(response);
    if (!may_be_tried_again(response) || Clock::now() + pause >= deadline) {
      return response.has_value() ? refused(route, *response) : failure(response.error());
    }
    std::this_thread::sleep_for(pause);
  }
}

Result<bool> ServedPolicy::is_listed(const std::string& name) const {
  STITCH_ASSIGN(const std::string text, post("/models", ""));
  STITCH_ASSIGN(const Json models, parse_json(text, "the list of models"));
  const Json list = models.is_object() ? models.value("data", Json()) : Json();
  return list.is_array() && std::any_of(list.begin(), list.end(), [&](const Json& model) {
           return model.is_object() && model.value("id", Json()) == Json(name);
         });
}

Result<void> ServedPolicy::unload(const std::string& name) const {
  const auto done = post("/unload_lora_adapter", Json{{"lora_name", name}}.dump());
  return done.has_value() ? Result<void>() : failure(done.error());
}

Result<void> ServedPolicy::check_canary(const Decoder& policy, const std::string& name) const {
  STITCH_ASSIGN(const std::string text, post("/completions", scoring_body_of(name, canary_).dump()));
  STITCH_ASSIGN(const Json answer, parse_json(text, "the canary's answer"));
  STITCH_ASSIGN(const std::vector<float> theirs, scores_in(answer, canary_.size()));
  STITCH_ASSIGN(const std::vector<float> ours, trainer_scores(policy, canary_));
  const auto difference = canary_difference(theirs, ours);
  return difference.has_value()
             ? Result<void>()
             : failure(ErrorCode::kFileInvalid,
                       "the version " + name + " is another there: " + difference.error().message, "rollout.server",
                       "check that the server's base is the run's 'model.path', in the same element type");
}

Result<void> ServedPolicy::use(const Decoder& policy, int64_t version) {
  if (version == version_) {
    return {};
  }
  const std::string name = name_of(version);
  STITCH_ASSIGN(const bool is_left_over,
                is_listed(name));  // of a run that was killed, which may have had other weights
  if (is_left_over) {
    STITCH_TRY(unload(name));
  }
  const fs::path fresh = folder_ / (name + ".tmp");
  std::error_code error;
  fs::remove_all(fresh, error);
  STITCH_TRY(write_adapter(fresh, policy, ""));
  fs::remove_all(folder_of(version), error);
  fs::rename(fresh, folder_of(version), error);
  if (error) {
    return failure(ErrorCode::kEnvironment, "cannot rename the version: " + error.message(), fresh.string());
  }
  const Json body = {{"lora_name", name}, {"lora_path", folder_of(version).string()}};
  STITCH_TRY(post("/load_lora_adapter", body.dump()));
  STITCH_ASSIGN(const bool is_there, is_listed(name));
  if (!is_there) {
    return failure(ErrorCode::kEnvironment, "the server took the version " + name + " and does not list it",
                   "rollout.server", "use a server that lists adapters in GET /v1/models");
  }
  STITCH_TRY(check_canary(policy, name));
  if (version_ >= 0) {
    STITCH_TRY(unload(name_of(version_)));
  }
  fs::remove_all(folder_of(version - kVersionsKept), error);
  version_ = version;
  positions_ = policy.config().max_positions;
  return {};
}

Result<std::vector<Sample>> ServedPolicy::draw(std::span<const SampleRequest> requests,
                                               const SampleSettings& settings) {
  STITCH_CHECK(version_ >= 0) << "answers are drawn of a version that is in use";
  std::vector<Sample> samples(requests.size());
  STITCH_TRY(for_each_parallel(requests.size(), kAtOnce, [&](size_t i) -> Result<void> {
    AskedCompletion asked{.model = name_of(version_), .prompt = requests[i].prompt, .settings = settings};
    // A server refuses what its context may not hold; the sampler here ends there.
    const auto length = static_cast<int64_t>(asked.prompt.size());
    asked.settings.max_tokens = std::min(settings.max_tokens, positions_ - length);
    asked.settings.seed = derived_seed(settings.seed, "served", requests[i].stream) & kLargestSeed;
    STITCH_ASSIGN(const std::string text, post("/completions", body_of(asked).dump()));
    STITCH_ASSIGN(const Json answer, parse_json(text, "a completion"));
    STITCH_ASSIGN(samples[i], sample_in(answer, asked));
    return {};
  }));
  return samples;
}

}  // namespace stitch::train
