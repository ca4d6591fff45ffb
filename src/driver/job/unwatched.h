// SPDX-License-Identifier: Apache-2.0
// The observer of a request that nobody watches.
#pragma once

#include "driver/job/progress.h"

namespace stitch::driver {

class Unwatched final : public Progress {
 public:
  void fact(const std::string&, const std::string&) override {}

 private:
  int begin(const std::string&, const std::string&) override { return 0; }
  void say(int, const std::string&, const std::string&) override {}
  void hint(int, const std::string&, const std::string&) override {}
  void end(int) override {}
};

}  // namespace stitch::driver
