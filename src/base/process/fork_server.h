// SPDX-License-Identifier: Apache-2.0
// A process that has loaded what takes long, and gives it to programs that it starts: it forks, the fork forks a helper
// that has everything loaded, and becomes the program, whose child the helper then is.
//   request  length, JSON {"arguments": [...], "environment": ["NAME=value", ...], "folder": "/..."}, with three
//            descriptors: where to tell how the program ended, its stdout, its stderr
//   answer   length, JSON {"pid": 1234} or {"error": "sentence"}
// A length is four bytes, the lowest first. The program learns of its helper by the variable kHelperVariable.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "base/process/child.h"

namespace stitch {

class ForkServer {
 public:
  // "PID HELPER CHANNEL OUTPUT ERROR": the program's own number, its helper's, and three descriptors of the program: a
  // socket to the helper's descriptor 3, and the helper's stdout and stderr.
  static constexpr const char* kHelperVariable = "STITCHCUDA_PYTHON_HELPER";

  // Returns at once; the server loads meanwhile. It dies with the calling thread, and what it has started with it.
  static Result<std::unique_ptr<ForkServer>> start(ChildOptions server);

  // As Child::start(), limits left out. An Error where the server has ended or cannot fork: Child::start() still can.
  // Waits until the server has loaded. From any thread.
  Result<Child> start_child(const ChildOptions& options);
  // Whether it ends within a second: then what it had started is killed.
  bool has_ended();

 private:
  ForkServer(Child server, Descriptor socket) : server_(std::move(server)), socket_(std::move(socket)) {}
  Result<std::string> ask(const std::string& request, const std::vector<int>& descriptors);
  Result<std::string> receive(size_t size);
  Unexpected gone();

  std::mutex mutex_;
  Child server_;
  Descriptor socket_;
};

}  // namespace stitch
