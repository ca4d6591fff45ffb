// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/role_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/json/json.h"
#include "base/parallel/for_each_parallel.h"
#include "llm/client/client.h"

namespace stitch::cli::doctor {
namespace {

constexpr int kMaxAtOnce = 4;

Result<llm::Probed> probed(const llm::Endpoint& endpoint, const std::string& model, int64_t timeout_ms) {
  llm::Exchange exchange = llm::exchange_with(endpoint);
  exchange.retries = 0;
  exchange.body = Json{{"model", model}}.dump();
  exchange.limits.first_token_ms = std::min(exchange.limits.first_token_ms, timeout_ms);
  exchange.limits.whole_ms = std::min(exchange.limits.whole_ms, timeout_ms);
  STITCH_ASSIGN(llm::ChatClient client, llm::ChatClient::start());
  return client.probe(exchange);
}

bool is_alike(const llm::Member& a, const llm::Member& b) { return a.endpoint == b.endpoint && a.model == b.model; }

std::string abilities(const llm::Probed& found) {
  std::string text = found.dialect.streams ? "streams" : "does not stream";
  text += found.dialect.tools ? ", calls tools" : "";
  text += found.dialect.schemas ? ", keeps to schemas" : "";
  return text + (found.says_usage ? ", counts tokens" : "");
}

std::string costs(const llm::Probed& found) {
  std::string text;
  text += found.dialect.tools ? "" : "Tools are asked for as JSON in its answers. ";
  text += found.dialect.schemas ? "" : "Its answers keep to a form by the prompt alone. ";
  text += found.says_usage ? "" : "Its tokens are estimated. ";
  return text.empty() ? text : text.substr(0, text.size() - 1);
}

Finding finding_of(const std::string& group, const llm::Endpoint& endpoint, const llm::Member& member,
                   const Result<llm::Probed>& found) {
  Finding finding{group, member.role, State::kHere, fmt::format("{} at {}", member.model, endpoint.url), "", ""};
  if (!found.has_value()) {
    const Error& error = found.error();
    finding.state = State::kMissing;
    finding.what += ": " + error.message;
    finding.cost = fmt::format("The {} cannot work: no run of this team begins.", member.role);
    finding.mend = error.remedy.empty() ? "" : error.remedy + ".";
    return finding;
  }
  finding.what += fmt::format(": {:.2f} s to the first token; {}", found->first_token_seconds, abilities(*found));
  finding.cost = costs(*found);
  finding.state = finding.cost.empty() ? State::kHere : State::kWarning;
  return finding;
}

}  // namespace

std::vector<Finding> role_findings(const llm::Config& config, const llm::Team& team, int64_t probe_timeout_ms) {
  std::vector<llm::Member> asked;
  for (const llm::Member& member : team.members) {
    const bool is_new =
        std::none_of(asked.begin(), asked.end(), [&](const llm::Member& each) { return is_alike(each, member); });
    if (is_new) {
      asked.push_back(member);
    }
  }
  std::vector<std::optional<Result<llm::Probed>>> answers(asked.size());
  const Result<void> done = for_each_parallel(asked.size(), kMaxAtOnce, [&](size_t i) -> Result<void> {
    answers[i] = probed(llm::endpoint_of(config, asked[i]), asked[i].model, probe_timeout_ms);
    return {};
  });
  std::vector<Finding> findings;
  for (const llm::Member& member : team.members) {
    const auto at = std::find_if(asked.begin(), asked.end(), [&](const auto& each) { return is_alike(each, member); });
    const auto& answer = answers[static_cast<size_t>(at - asked.begin())];
    const Result<llm::Probed> found = answer.has_value() ? *answer : Result<llm::Probed>(Unexpected{done.error()});
    findings.push_back(finding_of("Roles of team " + team.name, llm::endpoint_of(config, member), member, found));
  }
  return findings;
}

}  // namespace stitch::cli::doctor
