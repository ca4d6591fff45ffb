// SPDX-License-Identifier: Apache-2.0
// What stands out in a candidate's sources and machine code, for a reader who doubts its verdict.
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

// A `cheated` finding where a fact names something that no kernel needs; nothing where no fact does.
std::optional<Finding> refusal_of(const SourceFacts& facts);
// A finding where the emulated device's compiler accepts what no compiler for GPUs does; nothing where no fact says so.
std::optional<Finding> misfit_of(const SourceFacts& facts);

// {"facts": sentences, "audit": those that a person should look at, "unread": ...}
Json to_json(const SourceFacts& facts);

}  // namespace stitch::driver
