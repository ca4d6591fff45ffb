// SPDX-License-Identifier: Apache-2.0
// The Python process that loads PyTorch, and the same ahead of time: whoever runs many jobs has one process that has
// loaded it and forks, and each job has such a fork for a child when it begins.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "base/process/fork_server.h"
#include "base/process/json_channel.h"
#include "driver/job/resources.h"

namespace stitch::driver {

// How Python is started with the function `main` of `module`, stitchcuda_python's.
ChildOptions python_options(const Resources& resources, const std::string& module);

// Starts jobs that have PyTorch at hand. Dies with the calling thread.
Result<std::unique_ptr<ForkServer>> start_fork_server(const Resources& resources);

// The fork that this process was given.
class ForkedPython {
 public:
  // Null where it was given none.
  static std::shared_ptr<ForkedPython> of_environment();
  explicit ForkedPython(JsonChannel channel) : channel_(std::move(channel)) {}
  // To whoever asks first.
  std::optional<JsonChannel> take();

 private:
  std::mutex mutex_;
  std::optional<JsonChannel> channel_;
};

}  // namespace stitch::driver
