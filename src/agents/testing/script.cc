// SPDX-License-Identifier: Apache-2.0
#include "agents/testing/script.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <sstream>

#include "agents/routing/next.h"

namespace stitch::agents {
namespace {

// The words of a line: a verb, then bare words and words with a value.
struct Line {
  std::string verb;
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> values;

  std::optional<double> number(const std::string& name) const {
    for (const auto& [key, value] : values) {
      if (key == name) {
        return std::stod(value);
      }
    }
    return std::nullopt;
  }
  int64_t whole(const std::string& name, int64_t fallback) const {
    return static_cast<int64_t>(number(name).value_or(static_cast<double>(fallback)));
  }
};

Line parsed(const std::string& text) {
  Line line;
  std::istringstream words(text);
  words >> line.verb;
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos) {
      line.words.push_back(word);
    } else {
      line.values.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    }
  }
  return line;
}

std::optional<Time> time_of(const Line& line, const char* name) {
  const std::optional<double> us = line.number(name);
  if (!us.has_value()) {
    return std::nullopt;
  }
  const std::optional<double> margin = line.number("measured");
  return Time{.kind = margin.has_value() ? TimeKind::kMeasured : TimeKind::kExecuted,
              .us = *us,
              .low_us = *us - margin.value_or(0),
              .high_us = *us + margin.value_or(0)};
}

std::string first_word(const Line& line) { return line.words.empty() ? "" : line.words.front(); }

EventBody planned(const std::string& text) {
  Planned planned;
  std::istringstream words(text);
  std::string word;
  for (words >> word; words >> word;) {
    const size_t floor = word.find(":floor=");
    SubTask& sub_task = planned.plan.sub_tasks.emplace_back();
    sub_task.name = word.substr(0, floor);
    sub_task.floor_us = floor == std::string::npos ? 0 : std::stod(word.substr(floor + 7));
  }
  return planned;
}

EventBody tested(const Line& line) {
  Tested tested;
  for (const std::string& word : line.words) {
    const auto outcome = from_string<Outcome>(word);
    tested.outcome = outcome.value_or(tested.outcome);
    tested.incumbent_fails = tested.incumbent_fails || word == "incumbent_fails";
    tested.fingerprint = outcome.has_value() ? tested.fingerprint : word;
  }
  tested.step = time_of(line, "step");
  tested.program = time_of(line, "program");
  return tested;
}

EventBody profiled(const Line& line) {
  Profiled profiled;
  for (const auto& [name, value] : line.values) {
    profiled.steps.push_back({.step = name, .us = std::stod(value)});
  }
  return profiled;
}

std::optional<EventBody> body_of(const Line& line, const std::string& text) {
  const std::map<std::string, std::function<EventBody()>> bodies = {
      {"planned", [&] { return planned(text); }},
      {"plan_kept", [&] { return PlanKept{first_word(line)}; }},
      {"written", [&] { return Written{.digest = "d", .changed = line.words}; }},
      {"declined", [&] { return Declined{first_word(line)}; }},
      {"unreadable", [&] { return Unreadable{first_word(line)}; }},
      {"tested", [&] { return tested(line); }},
      {"profiled", [&] { return profiled(line); }},
      {"retrieved", [] { return Retrieved{}; }},
      {"advised", [&] { return Advised{Feedback{.doubt = first_word(line)}}; }},
      {"environment_failed", [&] { return EnvironmentFailed{first_word(line)}; }},
      {"resumed", [] { return Resumed{}; }},
      {"no_room", [&] { return NoRoom{first_word(line)}; }},
  };
  const auto found = bodies.find(line.verb);
  return found == bodies.end() ? std::nullopt : std::optional(found->second());
}

class Player {
 public:
  void play(const std::string& text) {
    const Line line = parsed(text);
    if (line.verb == "round") {
      play_round(text);
    } else if (!set_up(line)) {
      const std::optional<EventBody> body = body_of(line, text);
      STITCH_CHECK(body.has_value()) << "no script has '" << text << "'";
      tell(*body);
    }
  }
  Played played() { return {.state = std::move(state_), .refused = std::move(refused_)}; }

 private:
  bool set_up(const Line& line) {
    Limits& limits = state_.limits;
    if (line.verb == "task") {
      state_.task.target_us = line.number("target_us");
      state_.task.floor_us = line.number("floor_us").value_or(0);
    } else if (line.verb == "expert") {
      state_.incumbent.program = time_of(line, "us");
    } else if (line.verb == "limits") {
      limits.rounds_per_sub_task = line.whole("rounds_per_sub_task", limits.rounds_per_sub_task);
      limits.rounds = line.whole("rounds", limits.rounds);
      limits.repairs = line.whole("repairs", limits.repairs);
      limits.replans = line.whole("replans", limits.replans);
      limits.sub_tasks = line.whole("sub_tasks", limits.sub_tasks);
      limits.tokens = line.number("tokens").has_value() ? std::optional(line.whole("tokens", 0)) : std::nullopt;
      limits.microdollars =
          line.number("microdollars").has_value() ? std::optional(line.whole("microdollars", 0)) : std::nullopt;
      limits.gpu_seconds = line.number("gpu_seconds");
      limits.seconds = line.number("seconds");
    } else if (line.verb == "spent") {
      spent_.push_back({.role = Role::kCoder,
                        .requests = 1,
                        .answer_tokens = line.whole("tokens", 0),
                        .microdollars = line.whole("microdollars", 0),
                        .gpu_seconds = line.number("gpu_seconds").value_or(0),
                        .seconds = line.number("seconds").value_or(0)});
    } else {
      return false;
    }
    return true;
  }

  void play_round(const std::string& text) {
    const bool is_right = text.find("right") != std::string::npos;
    const size_t changed = text.find(" changed ");
    play("written" + (changed == std::string::npos ? " s1" : text.substr(changed + 8)));
    play("tested" + text.substr(5, changed == std::string::npos ? changed : changed - 5));
    if (is_right) {
      play("profiled s1=90 s2=4");
    }
    play("retrieved");
    if (state_.activity == Activity::kFeedback) {
      play("advised");
    }
  }

  void tell(const EventBody& body) {
    const Result<State> after = next(state_, Event{.body = body, .spent = std::exchange(spent_, {})});
    if (after.has_value()) {
      state_ = *after;
    } else {
      refused_ += fmt::format("refused: {}\n", after.error().message);
    }
  }

  State state_;
  std::string refused_;
  std::vector<Spending> spent_;  // by what the next event ends
};

}  // namespace

Played play(const std::string& script) {
  Player player;
  std::istringstream lines(script);
  for (std::string line; std::getline(lines, line);) {
    player.play(line);
  }
  return player.played();
}

std::string decisions_as_text(const State& state) {
  std::string text;
  for (const Decision& each : state.decisions) {
    text +=
        fmt::format("{}, {} -> {}: {}\n", to_string(each.from), to_string(each.event), to_string(each.to), each.reason);
  }
  return text;
}

}  // namespace stitch::agents
