// SPDX-License-Identifier: Apache-2.0
#include "train/rollout/roll_out.h"

#include <algorithm>

#include "base/seed/seed.h"

namespace stitch::train {
namespace {

// A sample that is still being drawn, and where it stands.
struct Drawing {
  const Prompt* prompt = nullptr;
  int64_t number = 0;
  RolloutSample* sample = nullptr;
};

class Rollout {
 public:
  Rollout(const Decoder& decoder, const LessonReader& reader, const RolloutSettings& settings,
          const RolloutPlace& place, rewards::Evaluator& evaluator, Drawer* drawer)
      : decoder_(decoder),
        reader_(reader),
        settings_(settings),
        place_(place),
        evaluator_(evaluator),
        drawer_(drawer) {}

  Result<void> run(std::vector<RolloutGroup>& groups) {
    if (drawer_ != nullptr) {
      STITCH_TRY(drawer_->use(decoder_, place_.step));
    }
    std::vector<Drawing> open;
    for (RolloutGroup& group : groups) {
      for (size_t i = 0; i < group.samples.size(); ++i) {
        group.samples[i].record.prompt = group.prompt->ids;
        open.push_back({group.prompt, static_cast<int64_t>(i), &group.samples[i]});
      }
    }
    for (int64_t turn = 0; turn < settings_.turns && !open.empty(); ++turn) {
      STITCH_TRY(draw_turn(open, turn));
      STITCH_TRY(judge_turn(open, turn));
      STITCH_ASSIGN(open, that_go_on(open, turn));
    }
    return {};
  }

 private:
  uint64_t stream_of(const Drawing& drawing, int64_t turn) const {
    const std::string name = place_.purpose + " step " + std::to_string(place_.step) + " prompt " +
                             drawing.prompt->key + " turn " + std::to_string(turn);
    return derived_seed(place_.seed, name, static_cast<uint64_t>(drawing.number));
  }

  Result<void> draw_turn(const std::vector<Drawing>& open, int64_t turn) {
    for (size_t first = 0; first < open.size(); first += static_cast<size_t>(settings_.batch)) {
      const size_t last = std::min(open.size(), first + static_cast<size_t>(settings_.batch));
      std::vector<SampleRequest> requests;
      for (size_t i = first; i < last; ++i) {
        const TrainingRecord& record = open[i].sample->record;
        std::vector<int64_t> asked = record.prompt;
        asked.insert(asked.end(), record.response.begin(), record.response.end());
        requests.push_back({std::move(asked), stream_of(open[i], turn)});
      }
      STITCH_ASSIGN(const auto drawn, drawer_ == nullptr ? sample(decoder_, requests, settings_.sampling)
                                                         : drawer_->draw(requests, settings_.sampling));
      for (size_t i = first; i < last; ++i) {
        take(drawn[i - first], *open[i].sample);
      }
    }
    return {};
  }

  void take(const Sample& drawn, RolloutSample& sample) const {
    TrainingRecord& record = sample.record;
    record.response.insert(record.response.end(), drawn.tokens.begin(), drawn.tokens.end());
    record.mask.insert(record.mask.end(), drawn.tokens.size(), true);
    sample.logp.insert(sample.logp.end(), drawn.log_probs.begin(), drawn.log_probs.end());
    sample.text = reader_.text_of(drawn.tokens);
    sample.is_truncated = drawn.finish_reason == FinishReason::kLength;
    sample.turns.push_back({record.response.size()});
  }

  Result<void> judge_turn(const std::vector<Drawing>& open, int64_t turn) {
    std::vector<rewards::Candidate> candidates;
    for (const Drawing& drawing : open) {
      const auto& turns = drawing.sample->turns;
      rewards::Candidate candidate{.task = drawing.prompt->task, .skill = drawing.prompt->skill};
      candidate.text = drawing.sample->text;
      candidate.run = place_.run;
      candidate.prompt = drawing.prompt->key + "/" + place_.purpose;
      candidate.step = place_.step;
      candidate.sample = drawing.number;
      candidate.turn = turn;
      const bool is_first = turns.size() < 2;
      const rewards::Judgement* before = is_first ? nullptr : &turns[turns.size() - 2].judgement;
      candidate.previous_sha256 = is_first ? drawing.prompt->previous_sha256 : before->candidate_sha256;
      candidate.feedback_sha256 = is_first ? drawing.prompt->feedback_sha256 : before->feedback_sha256;
      candidates.push_back(std::move(candidate));
    }
    STITCH_ASSIGN(auto judgements, evaluator_.evaluate(candidates));
    STITCH_CHECK(judgements.size() == open.size()) << "an evaluator judges each answer once";
    for (size_t i = 0; i < open.size(); ++i) {
      open[i].sample->turns.back().judgement = std::move(judgements[i]);
    }
    return {};
  }

  // Those with a turn to come, their feedback added.
  Result<std::vector<Drawing>> that_go_on(const std::vector<Drawing>& open, int64_t turn) const {
    std::vector<Drawing> left;
    for (const Drawing& drawing : open) {
      const rewards::Judgement& judged = drawing.sample->judgement();
      const bool goes_on = turn + 1 < settings_.turns && !judged.is_pass && !judged.is_hack &&
                           judged.reward.has_value() && !judged.feedback.empty() && !drawing.sample->is_truncated;
      if (!goes_on) {
        continue;
      }
      STITCH_ASSIGN(const auto said, reader_.next_turn_of(judged.feedback + "\n" + settings_.follow_up));
      TrainingRecord& record = drawing.sample->record;
      const size_t length = record.prompt.size() + record.response.size() + said.size();
      if (static_cast<int64_t>(length) >= decoder_.config().max_positions) {
        continue;
      }
      record.response.insert(record.response.end(), said.begin(), said.end());
      record.mask.insert(record.mask.end(), said.size(), false);
      drawing.sample->logp.insert(drawing.sample->logp.end(), said.size(), 0.0);
      left.push_back(drawing);
    }
    return left;
  }

  const Decoder& decoder_;
  const LessonReader& reader_;
  const RolloutSettings& settings_;
  const RolloutPlace& place_;
  rewards::Evaluator& evaluator_;
  Drawer* drawer_;  // or none
};

}  // namespace

void read_rollout_settings(Section& parent, RolloutSettings& settings) {
  constexpr int64_t kMaxCount = int64_t{1} << 24;
  Section section = parent.child("rollout");
  section.read("max_tokens", settings.sampling.max_tokens, 1, kMaxCount);
  section.read("temperature", settings.sampling.restriction.temperature, 0.01, 100);
  section.read("top_k", settings.sampling.restriction.top_k, 0, kMaxCount);
  section.read("top_p", settings.sampling.restriction.top_p, 0, 1);
  section.read("batch", settings.batch, 1, kMaxCount);
  section.read("turns", settings.turns, 1, 1000);
  section.read("follow_up", settings.follow_up);
  read_server_settings(section, settings.server);
  parent.add(std::move(section));
}

Result<std::vector<RolloutGroup>> roll_out(const Decoder& decoder, const LessonReader& reader,
                                           std::span<const Prompt* const> prompts, int64_t samples,
                                           const RolloutSettings& settings, const RolloutPlace& place,
                                           rewards::Evaluator& evaluator, Drawer* drawer) {
  std::vector<RolloutGroup> groups;
  for (const Prompt* prompt : prompts) {
    groups.push_back({prompt, std::vector<RolloutSample>(static_cast<size_t>(samples))});
  }
  STITCH_TRY(Rollout(decoder, reader, settings, place, evaluator, drawer).run(groups));
  return groups;
}

Result<void> check_judged(const std::vector<RolloutGroup>& groups, double most_unjudged, const std::string& of_what,
                          const std::string& run) {
  int64_t samples = 0;
  int64_t unjudged = 0;
  std::string sentence;
  for (const RolloutGroup& group : groups) {
    for (const RolloutSample& sample : group.samples) {
      ++samples;
      if (!sample.judgement().reward.has_value()) {
        ++unjudged;
        sentence = sentence.empty() ? sample.judgement().sentence : sentence;
      }
    }
  }
  if (static_cast<double>(unjudged) <= std::max(1.0, most_unjudged * static_cast<double>(samples))) {
    return {};
  }
  return failure(ErrorCode::kEnvironment,
                 std::to_string(unjudged) + " of " + std::to_string(samples) + " answers of " + of_what +
                     " have no reward" + (sentence.empty() ? "" : ", the first of them since: " + sentence),
                 run, "mend the evaluator, and start the same command again: it goes on from here");
}

}  // namespace stitch::train
