// SPDX-License-Identifier: Apache-2.0
#include "tools/process/channel_progress.h"

#include <fmt/format.h>

namespace stitch::tools {
namespace {

constexpr std::chrono::milliseconds kBetweenSentences{200};

}  // namespace

void ChannelProgress::tell_sometimes(const std::string& stage, const std::string& message) {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now - last_told_ >= kBetweenSentences) {
    last_told_ = now;
    tell_(tells_stages_alone_ ? stage : stage + ": " + message);
  }
}

void ChannelProgress::fact(const std::string& stage, const std::string& message) { tell_sometimes(stage, message); }

void ChannelProgress::built(DeviceKind device, size_t done, size_t total) {
  tell_sometimes("build", fmt::format("{} of {} files for {}", done, total, to_string(device)));
}

int ChannelProgress::begin(const std::string& stage, const std::string& message) {
  tell_sometimes(stage, message);
  const std::lock_guard lock(mutex_);
  return ++last_id_;
}

void ChannelProgress::say(int, const std::string& stage, const std::string& message) { tell_sometimes(stage, message); }

}  // namespace stitch::tools
