// SPDX-License-Identifier: Apache-2.0
#include "report/training/curves.h"

#include <algorithm>
#include <set>
#include <string>

namespace stitch::report {
namespace {

constexpr size_t kMostCurves = 8;  // that inks and dashes tell apart

// "skills.*.pass" stands for each member of `skills`.
struct CurveSpec {
  const char* path = nullptr;
  const char* name = "";  // before a member's own, where the path has a star
};

struct PlotSpec {
  const char* id;
  const char* section;
  const char* title;
  const char* unit;
  const char* about;
  CurveSpec curves[4];
  bool is_share_of_sum = false;  // of the members of a star: counts, told as shares of them all
};

constexpr PlotSpec kPlots[] = {
    {"reward",
     "rewards",
     "Reward",
     "number",
     "Mean over a step's answers that were judged.",
     {{"reward", "drawn to learn from"}, {"held_out.reward", "held out"}, {"skills.*.reward", "skill "}}},
    {"pass",
     "rewards",
     "Answers that pass",
     "share",
     "Of those that were judged.",
     {{"pass", "drawn to learn from"}, {"held_out.pass", "held out"}, {"skills.*.pass", "skill "}}},
    {"hack",
     "rewards",
     "Hacks, and answers without a reward",
     "share",
     "A hack earns by what it should not; without a reward is what the world, not the answer, failed.",
     {{"hack", "hacks"}, {"held_out.hack", "hacks, held out"}, {"unjudged", "without a reward"}}},
    {"outcomes", "rewards", "What became of answers", "share", "Each answer has one outcome.", {{"outcomes.*"}}, true},
    {"parts", "rewards", "Parts of the reward", "number", "Means over answers that have the part.", {{"parts.*"}}},
    {"length",
     "answers",
     "Length",
     "number",
     "Tokens that the model wrote, of one answer.",
     {{"length", "mean"}, {"length_p95", "95 of 100 are no longer"}, {"held_out.length", "mean, held out"}}},
    {"turns", "answers", "Turns", "number", "Of one answer with its follow-ups, mean.", {{"turns", "turns"}}},
    {"same",
     "answers",
     "Groups that teach little, answers that were cut",
     "share",
     "Groups of equal rewards have no advantage; a policy that has collapsed writes one text.",
     {{"zero_variance", "groups of equal rewards"},
      {"same_answers", "groups of one text"},
      {"truncated", "answers that ran into a limit"}}},
    {"entropy", "policy", "Entropy", "number", "Nats a token, at the weights that drew.", {{"entropy", "entropy"}}},
    {"kl",
     "policy",
     "Divergence",
     "number",
     "Nats a token.",
     {{"kl", "from the policy that drew"}, {"reference_kl", "from the reference"}}},
    {"clipped",
     "policy",
     "Clipped tokens",
     "share",
     "Whose ratio of probabilities left its bounds.",
     {{"clipped_low", "below"}, {"clipped_high", "above"}, {"clipped_dual", "by the bound of bad answers"}}},
    {"ratio",
     "policy",
     "Largest ratio of probabilities",
     "log",
     "Of a token, updated to drawn, in a step.",
     {{"largest_ratio", "largest ratio"}}},
    {"lowest_logp",
     "policy",
     "Least likely token",
     "number",
     "Its log-probability, in nats.",
     {{"lowest_logp", "lowest"}}},
    {"mismatch",
     "policy",
     "Sampler against trainer",
     "number",
     "Absolute difference of their log-probabilities, nats a token.",
     {{"mismatch.mean", "mean"}, {"mismatch.p99", "99 of 100 are no larger"}}},
    {"advantage",
     "policy",
     "Advantages",
     "number",
     "Over learned tokens, as the update takes them.",
     {{"advantage.mean", "mean"},
      {"advantage.std", "standard deviation"},
      {"advantage.lowest", "lowest"},
      {"advantage.highest", "highest"}}},
    {"explained",
     "critic",
     "Explained variance",
     "number",
     "Of returns, by the critic before it learned from them: 1 knows all, 0 is no better than a constant.",
     {{"critic.explained_variance", "drawn to learn from"}, {"held_out.explained_variance", "held out"}}},
    {"values",
     "critic",
     "Returns, and the critic's bias",
     "number",
     "The bias is the mean of value less return: above 0 the critic promises too much.",
     {{"critic.mean_return", "mean return"}, {"critic.bias", "bias"}, {"held_out.bias", "bias, held out"}}},
    {"critic_loss",
     "critic",
     "Critic's loss",
     "number",
     "Half the squared error, or as the settings clip it.",
     {{"critic.loss", "loss"}}},
    {"loss",
     "updates",
     "Loss",
     "number",
     "Of fine-tuning nats a token; of a policy it says little by itself.",
     {{"loss", "learned from"}, {"held_out_loss", "held out"}}},
    {"gradient",
     "updates",
     "Gradient norm",
     "number",
     "Before it was clipped.",
     {{"gradient_norm", "policy"}, {"critic.gradient_norm", "critic"}}},
    {"rate", "updates", "Learning rate", "number", "", {{"learning_rate", "learning rate"}}},
};

using Points = std::vector<std::pair<double, double>>;

// Means over as many following points each, at the last one's step.
Points thinned(const Points& points, size_t most) {
  const size_t size = (points.size() + most - 1) / most;
  Points fewer;
  for (size_t first = 0; first < points.size(); first += size) {
    const size_t last = std::min(points.size(), first + size);
    double sum = 0;
    for (size_t i = first; i < last; ++i) {
      sum += points[i].second / static_cast<double>(last - first);
    }
    fewer.emplace_back(points[last - 1].first, sum);
  }
  return fewer;
}

double sum_of(const Json* counts) {
  double sum = 0;
  if (counts != nullptr) {
    for (const auto& [name, count] : counts->items()) {
      sum += number_in(*counts, name).value_or(0);
    }
  }
  return sum;
}

class PlotMaker {
 public:
  PlotMaker(const std::vector<CurveStage>& stages, size_t most_points, CurveCounts& counts)
      : stages_(stages), most_points_(std::max<size_t>(1, most_points)), counts_(counts) {}

  Json plot(const PlotSpec& spec) const {
    Json curves = Json::array();
    for (const CurveSpec& curve : spec.curves) {
      if (curve.path != nullptr) {
        add(spec, curve, curves);
      }
    }
    return {{"id", spec.id},       {"section", spec.section}, {"title", spec.title},
            {"about", spec.about}, {"unit", spec.unit},       {"curves", std::move(curves)}};
  }

 private:
  void add(const PlotSpec& spec, const CurveSpec& curve, Json& curves) const {
    const std::string path = curve.path;
    const size_t star = path.find(".*");
    if (star == path.npos) {
      add_points(curve.name, points_of([&](const Json& line) { return number_in(line, path); }), curves);
      return;
    }
    const std::string holder = path.substr(0, star);
    const std::string rest = path.substr(star + 2);  // empty, or ".pass"
    const std::set<std::string> names = members_of(holder);
    if (!rest.empty() && names.size() < 2) {
      return;  // the only skill is the whole
    }
    for (const std::string& name : names) {
      const auto value = [&](const Json& line) -> std::optional<double> {
        const Json* members = object_in(line, holder);
        const auto found = members != nullptr ? members->find(name) : line.end();
        if (members == nullptr || found == members->end()) {
          return spec.is_share_of_sum && members != nullptr ? std::optional<double>(0) : std::nullopt;
        }
        if (!rest.empty()) {
          return number_in(*found, rest.substr(1));
        }
        const double whole = spec.is_share_of_sum ? sum_of(members) : 1;
        return found->is_number() && whole > 0 ? std::optional(found->get<double>() / whole) : std::nullopt;
      };
      add_points(curve.name + name, points_of(value), curves);
    }
  }

  std::set<std::string> members_of(const std::string& holder) const {
    std::set<std::string> names;
    for (const CurveStage& stage : stages_) {
      for (const Json& line : stage.steps) {
        if (const Json* members = object_in(line, holder); members != nullptr) {
          for (const auto& [name, value] : members->items()) {
            names.insert(name);
          }
        }
      }
    }
    return names;
  }

  template <typename Value>
  std::vector<Points> points_of(const Value& value) const {
    std::vector<Points> of_stages;
    for (const CurveStage& stage : stages_) {
      Points points;
      for (const Json& line : stage.steps) {
        if (const std::optional<double> found = value(line); found.has_value()) {
          points.emplace_back(stage.offset + number_in(line, "step").value_or(0), *found);
        }
      }
      of_stages.push_back(std::move(points));
    }
    return of_stages;
  }

  void add_points(const std::string& name, const std::vector<Points>& of_stages, Json& curves) const {
    Json points = Json::array();
    for (const Points& all : of_stages) {
      if (all.empty()) {
        continue;
      }
      if (!points.empty()) {
        points.push_back({points.back()[0], nullptr});
      }
      const bool is_long = all.size() > most_points_;
      counts_.is_thinned = counts_.is_thinned || is_long;
      for (const auto& [step, value] : is_long ? thinned(all, most_points_) : all) {
        points.push_back({step, value});
      }
    }
    if (points.empty()) {
      return;
    }
    if (curves.size() == kMostCurves) {
      ++counts_.left_out;
      return;
    }
    curves.push_back({{"name", name}, {"points", std::move(points)}});
  }

  const std::vector<CurveStage>& stages_;
  size_t most_points_;
  CurveCounts& counts_;
};

}  // namespace

Json plots_of(const std::vector<CurveStage>& stages, size_t most_points, CurveCounts& counts) {
  counts = {};
  const PlotMaker maker(stages, most_points, counts);
  Json plots = Json::array();
  for (const PlotSpec& spec : kPlots) {
    Json plot = maker.plot(spec);
    if (!plot["curves"].empty()) {
      plots.push_back(std::move(plot));
    }
  }
  return plots;
}

}  // namespace stitch::report
