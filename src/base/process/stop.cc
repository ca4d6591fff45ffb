// SPDX-License-Identifier: Apache-2.0
#include "base/process/stop.h"

#include <sys/eventfd.h>

namespace stitch {

Stop::Stop() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Stop::wish() {
  is_wished_ = true;
  if (event_.is_open()) {
    ::eventfd_write(event_.get(), 1);
  }
}

}  // namespace stitch
