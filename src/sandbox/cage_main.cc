// SPDX-License-Identifier: Apache-2.0
// stitchcuda-cage: starts one program with nothing around it but what its order names; or, with --probe, says which
// layers this machine allows. A program of its own, since what it does must happen before any thread is started.
#include <fmt/format.h>

#include <cstdio>

#include "sandbox/inside/probe.h"
#include "sandbox/inside/run_caged.h"

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  if (arguments.size() == 1 && arguments.front() == "--probe") {
    fmt::print("{}", stitch::sandbox::to_text(stitch::sandbox::probe_layers()));
    return std::fflush(stdout) == 0 ? 0 : 1;
  }
  const auto order = stitch::sandbox::order_from_arguments(arguments);
  if (!order.has_value()) {
    fmt::print(stderr, "stitchcuda-cage: {}\n", order.error().message);
    return 2;
  }
  stitch::sandbox::run_caged(*order);
}
