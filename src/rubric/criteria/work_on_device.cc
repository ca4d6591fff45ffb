// SPDX-License-Identifier: Apache-2.0
// What of the work ran in kernels, by FLOPs where a library took some.
#include <fmt/format.h>

#include <algorithm>

#include "rubric/criteria/criterion.h"
#include "rubric/criteria/executed.h"

namespace stitch::rubric {

Mark score_work_on_device(const Facts& facts) {
  if (!facts.launches.has_value()) {
    return no_mark("launches were not listed");
  }
  const Executed ran = executed(facts);
  const bool only_moves = facts.workload.has_value() && facts.workload->flops == 0;
  if (ran.kernels == 0 && ran.library_launches == 0) {
    return only_moves && ran.copies > 0 ? mark(5, "the program only moves bytes, and copies do", {"launches: copies"})
                                        : mark(1, "nothing was computed on the device", {"launches: none"});
  }
  if (!is_verified(facts) && !only_moves && facts.launches->calls_without_work > 0) {
    return mark(1, "a call computed nothing on the device, and the answers are not right", {"launches: none"});
  }
  if (!is_verified(facts)) {
    return mark(2, "kernels ran, and their answers are not right", {ran.heaviest});
  }
  if (ran.waits > 0 && has_feature(facts, "copies_to_host")) {
    return mark(2, "a call brings data to the host and waits: part of the work is done there",
                cite(facts, {"copies_to_host", "waits"}));
  }
  const double flops =
      facts.workload.has_value() ? std::max(facts.workload->flops, ran.library_flops) : ran.library_flops;
  const double library = flops > 0 ? ran.library_flops / flops : 0;
  const bool fuses = 2 * ran.library_epilogues >= ran.library_launches;
  return mark(5 - library * (fuses ? 1 : 2),
              fmt::format("{} kernels ran; libraries took {:.0f} % of the FLOPs", ran.kernels, 100 * library),
              {ran.heaviest.empty() ? "launches: library" : ran.heaviest});
}

}  // namespace stitch::rubric
