// SPDX-License-Identifier: Apache-2.0
#include "driver/outside/source_facts.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "toolchain/reading/sass.h"
#include "toolchain/reading/source_reader.h"

namespace stitch::driver {
namespace {

constexpr std::string_view kRuntime = "runtime/";

// What every program of ours brings along says nothing about this one, as long as it is as we ship it.
bool is_as_shipped(const Job& job, const SourceBundle& bundle, const std::string& file) {
  const auto found = bundle.files.find(file);
  if (found == bundle.files.end() || !file.starts_with(kRuntime)) {
    return false;
  }
  const Result<std::string> ours = read_file(job.resources().runtime() / file.substr(kRuntime.size()));
  return ours.has_value() && *ours == found->second;
}

}  // namespace

Result<void> add_source_facts(const Job& job, const toolchain::Toolchain& tools, const SourceBundle& bundle,
                              const toolchain::Target& target, SourceFacts& found) {
  if (bundle.units.empty()) {
    return {};
  }
  const toolchain::SourceReader reader{job.resources().python, job.resources().python_path()};
  STITCH_ASSIGN(toolchain::SourceReading reading, toolchain::read_sources(bundle, target, tools, reader));
  std::erase_if(reading.facts, [&](const SourceFact& fact) { return is_as_shipped(job, bundle, fact.file); });
  for (SourceFact& fact : reading.facts) {
    fact.file = target.torch.has_value() ? bundle.name + "/" + fact.file : fact.file;
  }
  std::move(reading.facts.begin(), reading.facts.end(), std::back_inserter(found.facts));
  std::move(reading.unread.begin(), reading.unread.end(), std::back_inserter(found.unread));
  return {};
}

Result<void> add_instruction_facts(const toolchain::Toolchain& tools, const std::string& library, DeviceKind device,
                                   SourceFacts& found) {
  if (library.empty() || device != DeviceKind::kCuda) {
    return {};
  }
  STITCH_ASSIGN(toolchain::SassReading reading, toolchain::read_sass(library, tools));
  std::move(reading.facts.begin(), reading.facts.end(), std::back_inserter(found.facts));
  if (!reading.unread.empty()) {
    found.unread.push_back(std::move(reading.unread));
  }
  return {};
}

std::optional<Finding> refusal_of(const SourceFacts& facts) {
  const auto found =
      std::find_if(facts.facts.begin(), facts.facts.end(), [](const SourceFact& fact) { return fact.refused; });
  if (found == facts.facts.end()) {
    return std::nullopt;
  }
  return Finding{Stage::kSource, VerdictKind::kCheated, found->message()};
}

std::optional<Finding> misfit_of(const SourceFacts& facts) {
  const auto found =
      std::find_if(facts.facts.begin(), facts.facts.end(), [](const SourceFact& fact) { return fact.uncompilable; });
  if (found == facts.facts.end()) {
    return std::nullopt;
  }
  return Finding{Stage::kSource, VerdictKind::kBuildFailed, found->message()};
}

Json to_json(const SourceFacts& facts) {
  Json json = {{"facts", Json::array()}, {"audit", Json::array()}, {"unread", facts.unread}};
  for (const SourceFact& fact : facts.facts) {
    json["facts"].push_back(fact.message());
    if (fact.audit) {
      json["audit"].push_back(fact.message());
    }
  }
  return json;
}

}  // namespace stitch::driver
