// SPDX-License-Identifier: Apache-2.0
// What a call is at, told through the channel to the process that waits for it.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>

#include "driver/job/progress.h"

namespace stitch::tools {

class ChannelProgress final : public driver::Progress {
 public:
  using Tell = std::function<void(const std::string& sentence)>;
  // `tells_stages_alone`: messages name regimes and shapes, which the caller of a judge may not know.
  ChannelProgress(Tell tell, bool tells_stages_alone)
      : tell_(std::move(tell)), tells_stages_alone_(tells_stages_alone) {}

  void fact(const std::string& stage, const std::string& message) override;
  void built(DeviceKind device, size_t done, size_t total) override;

 private:
  int begin(const std::string& stage, const std::string& message) override;
  void say(int id, const std::string& stage, const std::string& message) override;
  void hint(int, const std::string&, const std::string&) override {}
  void end(int) override {}

  // Not more often than a reader can follow.
  void tell_sometimes(const std::string& stage, const std::string& message);

  Tell tell_;
  bool tells_stages_alone_;
  std::mutex mutex_;
  int last_id_ = 0;
  std::chrono::steady_clock::time_point last_told_{};
};

}  // namespace stitch::tools
