// SPDX-License-Identifier: Apache-2.0
// Answers drawn by an OpenAI-compatible server that holds the base: each version of the policy is published to it as an
// adapter under a name of its own.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "http/client/client.h"
#include "train/sampler/drawer.h"
#include "train/settings/section.h"

namespace stitch::train {

struct ServerSettings {
  std::string url{};         // of /v1; empty: answers are drawn here
  std::string token_file{};  // relative to the configuration's folder; empty: the server asks for none
  std::string name = "coder";
  double deadline_s = 600;  // of one request, waiting for its turn included
};
// "server": {"url": "http://HOST:PORT/v1", ...} of "rollout".
void read_server_settings(Section& parent, ServerSettings& settings);

class ServedPolicy final : public Drawer {
 public:
  // `folder` is where versions are written, which the server reads under the same path; `canary` are tokens that it and
  // the trainer have to score alike. kUsage for an address that is none and a token that cannot be read.
  static Result<std::unique_ptr<ServedPolicy>> open(const ServerSettings& settings, const std::filesystem::path& base,
                                                    std::filesystem::path folder, std::vector<int64_t> canary);

  // Writes the adapter beside its name, renames it, has it loaded, sees that it is listed and scores the canary as the
  // trainer does, and only then lets go of the version before. kEnvironment where the server does not do its part,
  // kFileInvalid where the two differ by more than 0.05 nats a token.
  Result<void> use(const Decoder& policy, int64_t version) override;

  // Several requests at once, of one prompt each. A connection that fails, 429 and 5xx are tried again until the
  // deadline. Errors as sample_in().
  Result<std::vector<Sample>> draw(std::span<const SampleRequest> requests, const SampleSettings& settings) override;

 private:
  ServedPolicy(ServerSettings settings, http::Destination destination, std::filesystem::path folder)
      : settings_(std::move(settings)), destination_(std::move(destination)), folder_(std::move(folder)) {}
  Result<std::string> post(const std::string& route, const std::string& body) const;
  Result<bool> is_listed(const std::string& name) const;
  Result<void> unload(const std::string& name) const;
  Result<void> check_canary(const Decoder& policy, const std::string& name) const;
  std::filesystem::path folder_of(int64_t version) const;
  std::string name_of(int64_t version) const;

  ServerSettings settings_;
  http::Destination destination_;
  std::filesystem::path folder_;
  std::string token_;
  std::vector<int64_t> canary_;
  int64_t version_ = -1;   // that draws are of; none yet
  int64_t positions_ = 0;  // of the policy
};

}  // namespace stitch::train
