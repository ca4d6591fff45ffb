// SPDX-License-Identifier: Apache-2.0
#include "agents/run/team.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "agents/ask/chat_model.h"
#include "agents/ask/embedded_server.h"
#include "agents/ask/expert_model.h"
#include "agents/roles/expert_roles.h"
#include "agents/roles/model_roles.h"
#include "base/json/json.h"

namespace stitch::agents {
namespace {

constexpr int64_t kEmbeddedAnswer = 2'048;  // tokens; small models have contexts of 8,192 and run on to their end
// At 1 a small model's answers are lost to tokens of tiny chance: one in some hundred is wrong, and nothing behind it
// right.
constexpr double kEmbeddedTemperature = 0.6;
constexpr int64_t kShortContext = 16'384;  // tokens; prompts and answers of full length may take more

using ToldOf = std::function<void(const std::string&)>;

// Models by endpoint and name: each is asked once.
Result<llm::Probed> probed_model(const llm::Endpoint& endpoint, const llm::Member& member, const ToldOf& told) {
  llm::Exchange exchange = llm::exchange_with(endpoint);
  exchange.retries = std::min<int64_t>(exchange.retries, 1);
  exchange.body = Json{{"model", member.model}}.dump();
  STITCH_ASSIGN(llm::ChatClient client, llm::ChatClient::start());
  Result<llm::Probed> probed = client.probe(exchange, told);
  return probed.has_value() ? std::move(probed)
                            : failure(with_context(probed.error(), fmt::format("the {} cannot work", member.role)));
}

class Chats {
 public:
  Chats(const llm::Config& config, ToldOf told) : config_(config), told_(std::move(told)) {}

  Result<Seat> seat_of(const llm::Member& member) {
    Seat seat{.model = member.model, .sampling = member.sampling};
    if (const llm::Price* price = llm::price_of(config_, member.model); price != nullptr) {
      seat.price = *price;
    }
    std::shared_ptr<Model>& known = models_[{member.endpoint, member.model}];
    if (known == nullptr) {
      const llm::Endpoint& endpoint = llm::endpoint_of(config_, member);
      STITCH_ASSIGN(const llm::Probed probed, probed_model(endpoint, member, told_));
      known = std::make_shared<ChatModel>(endpoint, probed.dialect, told_);
    }
    seat.answers = known;
    return seat;
  }

 private:
  const llm::Config& config_;
  ToldOf told_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Model>> models_;
};

bool is_wanted(const TeamRequest& request, const std::string& role) {
  return role == "planner" ? request.planner : role == "coder" ? request.coder : role == "verifier" && request.verifier;
}

std::optional<Seat>& place_of(TeamSeats& seats, const std::string& role) {
  return role == "planner" ? seats.planner : role == "coder" ? seats.coder : seats.verifier;
}

// One model for all roles: what --llm and --model say.
llm::Config config_of_one(const TeamRequest& request) {
  llm::Config config;
  config.endpoints.push_back({.name = "llm", .url = request.url, .key = {.environment = request.key_env}});
  llm::Team team{.name = "default"};
  for (const char* role : {"planner", "coder", "verifier"}) {
    team.members.push_back({.role = role, .endpoint = "llm", .model = request.model});
  }
  config.teams.push_back(std::move(team));
  return config;
}

// What the file says of an endpoint at the same address, but for whose key it is.
void take_limits(const llm::Config& read, llm::Endpoint& endpoint) {
  for (const llm::Endpoint& each : read.endpoints) {
    if (each.url == endpoint.url) {
      endpoint.limits = each.limits;
      endpoint.retries = each.retries;
      endpoint.pool = each.pool;
      return;
    }
  }
}

Result<void> check_roles(const TeamRequest& request, const llm::Team& team) {
  for (const std::string& role : request.named_roles) {
    if (std::none_of(team.members.begin(), team.members.end(),
                     [&](const llm::Member& each) { return each.role == role; })) {
      return failure(ErrorCode::kUsage, fmt::format("the team {} has no {}", team.name, role), "",
                     fmt::format("add team.{}.{} to stitchcuda.toml, or leave --{} out", team.name, role, role));
    }
  }
  return {};
}

// Whether prompts/compact is what a Coder is told.
bool is_compact(const TeamRequest& request, const llm::Member& member) {
  return request.compact.value_or(member.compact.value_or(member.context > 0 && member.context <= kShortContext));
}

TeamSeats team_of_one(const TeamRequest& request, const Seat& seat) {
  TeamSeats seats;
  for (const char* role : {"planner", "coder", "verifier"}) {
    if (is_wanted(request, role)) {
      place_of(seats, role) = seat;
    }
  }
  return seats;
}

TeamSeats expert_team(const TeamRequest& request, const Planted& planted) {
  return team_of_one(request, {.model = request.model,
                               .is_compact = request.compact.value_or(false),
                               .is_expert = planted.faults == 0 && planted.slow == 0,
                               .answers = std::make_shared<ExpertModel>(planted)});
}

// One decoder of ours for all roles, or for the Coder's, where it has learned no other.
Result<TeamSeats> embedded_team(const TeamRequest& request, const ToldOf& told) {
  STITCH_ASSIGN(const EmbeddedWeights weights, find_embedded_weights(request.checkpoint));
  told(fmt::format("loading {}", weights.path.string()));
  STITCH_ASSIGN(const auto server, EmbeddedServer::start(weights.path));
  const llm::Endpoint endpoint{.name = kEmbedded, .url = server->url()};
  const llm::Member member{.role = "embedded model", .endpoint = kEmbedded, .model = kEmbedded};
  STITCH_ASSIGN(const llm::Probed probed, probed_model(endpoint, member, told));
  Seat seat{.model = kEmbedded, .is_compact = request.compact.value_or(true)};
  seat.sampling.max_tokens = kEmbeddedAnswer;
  seat.sampling.temperature = kEmbeddedTemperature;
  // What it answers can be learned from, as it is what `train` made.
  seat.sampling.wants_tokens = true;
  seat.sampling.wants_log_probs = true;
  seat.answers = std::make_shared<EmbeddedModel>(server, ChatModel(endpoint, probed.dialect, told), told);
  TeamSeats seats = team_of_one(request, seat);
  if (weights.writes_steps_alone) {
    const TeamSeats by_rule = team_of_one(
        request, {.model = "expert", .is_expert = true, .answers = std::make_shared<ExpertModel>(Planted())});
    seats.planner = by_rule.planner;
    seats.verifier = by_rule.verifier;
  }
  return seats;
}

Result<llm::Config> config_for(const TeamRequest& request) {
  if (request.url.empty()) {
    return llm::read_config(llm::config_path(request.config));
  }
  STITCH_TRY(llm::check_url(request.url));
  if (request.model.empty()) {
    return failure(ErrorCode::kUsage, "--llm needs --model NAME", "", "name the model as its server does");
  }
  llm::Config config = config_of_one(request);
  const std::filesystem::path path = llm::config_path(request.config);
  std::error_code ignored;
  if (!request.config.empty() || std::filesystem::exists(path, ignored)) {  // for prices, and limits of that address
    STITCH_ASSIGN(const llm::Config read, llm::read_config(path));
    config.prices = read.prices;
    take_limits(read, config.endpoints.front());
  }
  return config;
}

}  // namespace

Result<TeamSeats> find_team(const TeamRequest& request, ToldOf told) {
  if (request.url.empty() && request.model == kEmbedded) {
    return embedded_team(request, told);
  }
  if (request.url.empty() && !request.model.empty()) {
    STITCH_ASSIGN(const std::optional<Planted> planted, planted_by(request.model));
    return planted.has_value() ? Result<TeamSeats>(expert_team(request, *planted))
                               : failure(ErrorCode::kUsage, "--model needs --llm URL, unless it is expert or embedded",
                                         "", "name the server, or a team of stitchcuda.toml with --team");
  }
  STITCH_ASSIGN(const llm::Config config, config_for(request));
  STITCH_ASSIGN(llm::Team team, llm::team_named(config, request.url.empty() ? request.team : ""));
  STITCH_TRY(check_roles(request, team));
  std::erase_if(team.members, [&](const llm::Member& each) { return !is_wanted(request, each.role); });
  if (request.needs_prices) {
    STITCH_TRY(llm::check_prices(config, team));
  }
  Chats chats(config, std::move(told));
  TeamSeats seats;
  for (const llm::Member& member : team.members) {
    STITCH_ASSIGN(Seat seat, chats.seat_of(member));
    seat.is_compact = is_compact(request, member);
    place_of(seats, member.role) = std::move(seat);
  }
  return seats;
}

std::map<std::string, std::string> models_of(const TeamSeats& team) {
  const auto name = [](const std::optional<Seat>& seat) { return seat.has_value() ? seat->model : "expert"; };
  return {{"planner", name(team.planner)},
          {"coder", name(team.coder)},
          {"verifier", team.has_reviewer || team.verifier.has_value() ? name(team.verifier) : "none"}};
}

std::string name_of(const TeamSeats& team) {
  std::string names;
  for (const std::optional<Seat>* seat : {&team.planner, &team.coder, &team.verifier}) {
    const bool is_new = seat->has_value() && (", " + names + ", ").find(", " + (*seat)->model + ", ") == names.npos;
    names += is_new ? (names.empty() ? "" : ", ") + (*seat)->model : "";
  }
  return names.empty() ? "expert" : names;
}

Roles roles_of(const TeamSeats& team, Asker& asker, const Prompts& prompts) {
  const Desk desk{asker, prompts};
  Roles roles;
  roles.planner = team.planner.has_value() ? std::unique_ptr<Planner>(new ModelPlanner(desk, *team.planner))
                                           : std::make_unique<ExpertPlanner>();
  roles.coder = team.coder.has_value() ? std::unique_ptr<Coder>(new ModelCoder(desk, *team.coder))
                                       : std::make_unique<ExpertCoder>();
  roles.verifier = team.verifier.has_value() ? std::unique_ptr<Verifier>(new ModelVerifier(desk, *team.verifier))
                   : team.has_reviewer       ? std::unique_ptr<Verifier>(new ExpertVerifier())
                                             : std::make_unique<SilentVerifier>();
  return roles;
}

}  // namespace stitch::agents
