// SPDX-License-Identifier: Apache-2.0
// What stands out in a candidate's sources and machine code, for whoever wonders about its verdict.
#pragma once

#include <string>
#include <vector>

#include "artifact/report/source_fact.h"
#include "artifact/report/finding.h"
#include "artifact/source/source_bundle.h"
#include "driver/job/job.h"
#include "toolchain/build/commands.h"

namespace stitch::driver {

struct SourceFacts {
  std::vector<SourceFact> facts;
  std::vector<std::string> unread;  // sentences on what nothing is known of
};

// Of sources that compile, by clang, after the preprocessor. A bundle without units has none.
Result<void> add_source_facts(const Job& job, const toolchain::Toolchain& tools, const SourceBundle& bundle,
                              const toolchain::Target& target, SourceFacts& found);
// Of a library that was built for a GPU, by its instructions; of any other nothing.
Result<void> add_instruction_facts(const toolchain::Toolchain& tools, const std::string& library, DeviceKind device,
                                   SourceFacts& found);

// What no kernel needs is a cheat, whatever else was found. Nothing where no fact says so.
std::optional<Finding> refusal_of(const SourceFacts& facts);
// What the emulated device's compiler takes and no compiler for GPUs does. Nothing where no fact says so.
std::optional<Finding> misfit_of(const SourceFacts& facts);

// {"facts": sentences, "audit": those that a person should look at, "unread": ...}
Json to_json(const SourceFacts& facts);

}  // namespace stitch::driver
