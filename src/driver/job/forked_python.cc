// SPDX-License-Identifier: Apache-2.0
#include "driver/job/forked_python.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <utility>

#include "base/process/last_will.h"

namespace stitch::driver {

ChildOptions python_options(const Resources& resources, const std::string& module) {
  ChildOptions options;
  // Not -m, which puts the current folder first: a json.py there is the user's program, not Python's module.
  options.arguments = {resources.python.string(), "-c",
                       "import sys; sys.path[:] = [p for p in sys.path if p]; from stitchcuda_python." + module +
                           " import main; main()"};
  options.environment = {{"PYTHONPATH", resources.python_path().string()}, {"PYTHONDONTWRITEBYTECODE", "1"}};
  // PyTorch's threads else wait by spinning: where several verdicts share a machine, each takes many times as long.
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) {
    options.environment.emplace_back("OMP_WAIT_POLICY", "passive");
  }
  return options;
}

Result<std::unique_ptr<ForkServer>> start_fork_server(const Resources& resources) {
  return ForkServer::start(python_options(resources, "fork_server"));
}

std::shared_ptr<ForkedPython> ForkedPython::of_environment() {
  const char* told = std::getenv(ForkServer::kHelperVariable);
  std::istringstream numbers(told == nullptr ? "" : told);
  pid_t own = 0;
  pid_t helper = 0;
  int socket = -1;
  int output = -1;
  int error = -1;
  // A program that we start finds the variable too, and none of what it names.
  if (!(numbers >> own >> helper >> socket >> output >> error) || own != ::getpid()) {
    return nullptr;
  }
  for (const int descriptor : {socket, output, error}) {
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
  Descriptor channel(socket);
  std::optional<Child> child = Child::inherited(helper, Descriptor(output), Descriptor(error));
  if (!child.has_value()) {
    return nullptr;
  }
  will_end_group(helper);
  return std::make_shared<ForkedPython>(JsonChannel::to(std::move(*child), std::move(channel), "the Python process"));
}

std::optional<JsonChannel> ForkedPython::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(channel_, std::nullopt);
}

}  // namespace stitch::driver
