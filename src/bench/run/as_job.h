// SPDX-License-Identifier: Apache-2.0
// A verb that a bench asks, as a job for a worker elsewhere: its files become artefacts, its paths places.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "farm/artefacts/artefacts.h"
#include "farm/job/job_result.h"
#include "farm/work/limited_process.h"

namespace stitch::bench {

struct AskedVerb {
  std::string verb;
  std::vector<std::string> words;  // its command line after the verb: options as "--name" "value", and one file
};

// Puts its files. kFileInvalid where the verb has an option that no job may have.
Result<farm::Job> as_job(const farm::Artefacts& artefacts, const AskedVerb& asked);

// What a process here would have answered. The files that the verb left are laid out in its --out.
Result<farm::ProcessOutcome> as_outcome(const farm::Artefacts& artefacts, const AskedVerb& asked,
                                        const farm::JobResult& result);

}  // namespace stitch::bench
