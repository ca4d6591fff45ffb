// SPDX-License-Identifier: Apache-2.0
// Compiles a program's units while the Python process still looks for its batch and chooses shapes. Step files hold no
// sizes, so that the builds to come find them in the cache; what differs is compiled then.
#pragma once

#include <future>

#include "artifact/source/source_bundle.h"
#include "driver/build/compile_program.h"

namespace stitch::driver {

class BuildAhead {
 public:
  // Starts at once: for `device`, and for an emulated one with the sanitizers too. The job must outlive it; it has
  // tools of its own, since an error may end the rest while it still builds.
  BuildAhead(Job& job, const toolchain::Toolchain& tools, SourceBundle bundle, DeviceKind device);

  // Waits for the end; an Error means that the machine could not compile. Sources that do not compile are no Error
  // here: the build that follows says so.
  Result<void> wait();

 private:
  std::future<Result<void>> done_;
};

}  // namespace stitch::driver
