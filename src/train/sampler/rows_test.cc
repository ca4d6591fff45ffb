// SPDX-License-Identifier: Apache-2.0
// What a row comes to is what sample() draws for it alone, whoever is beside it.
#include "train/sampler/rows.h"

#include <gtest/gtest.h>

#include "train/model/golden_fixture.h"

namespace stitch::train {
namespace {

struct Asked {
  std::vector<int64_t> prompt;
  SampleSettings settings;
  size_t enters;  // so many passes after the first
};

SampleSettings asked_for(Restriction restriction, int64_t tokens, uint64_t seed) {
  SampleSettings settings;
  settings.restriction = restriction;
  settings.max_tokens = tokens;
  settings.seed = seed;
  return settings;
}

// Rows of all kinds, which come and go.
std::vector<Asked> mixed_crowd() {
  return {{{3, 1, 4}, asked_for({.temperature = 0}, 40, 0), 0},
          {{1, 2, 3, 4, 5, 6, 7}, asked_for({.temperature = 1}, 150, 7), 0},
          {{9}, asked_for({.temperature = 0.7, .top_k = 4}, 9, 8), 2},
          {{1, 2, 3, 4, 5, 6, 7}, asked_for({.temperature = 1}, 30, 9), 5},
          {{0, 15, 1, 1, 8}, asked_for({.temperature = 1.2, .top_p = 0.8}, 60, 7), 11}};
}

std::vector<Row> drawn_together(const Decoder& decoder, const std::vector<Asked>& crowd) {
  std::vector<Row> rows(crowd.size());
  for (size_t step = 0; step < 400; ++step) {
    std::vector<Row*> under_way;
    for (size_t i = 0; i < crowd.size(); ++i) {
      if (crowd[i].enters == step) {
        rows[i] = std::move(read_prompt(decoder, crowd[i].prompt, 1, crowd[i].settings).value().front());
      }
      if (crowd[i].enters <= step && !rows[i].has_ended) {
        EXPECT_TRUE(draw_token(decoder, crowd[i].settings, {}, rows[i]).has_value());
      }
      if (crowd[i].enters <= step && !rows[i].has_ended) {
        under_way.push_back(&rows[i]);
      }
    }
    if (!under_way.empty()) {
      read_tokens(decoder, under_way);
    }
  }
  return rows;
}

// 150 tokens are more than keys and values have room for at first.
TEST(Rows, WhoIsBesideThemChangesNothing) {
  compute_reproducibly();
  weights::ModelConfig config = tiny_config();
  config.max_positions = 512;
  const Decoder decoder = Decoder::random(config, 3, 0.6);
  const std::vector<Asked> crowd = mixed_crowd();
  const std::vector<Row> rows = drawn_together(decoder, crowd);
  for (size_t i = 0; i < crowd.size(); ++i) {
    const SampleRequest alone{crowd[i].prompt, 0};
    const auto sampled = sample(decoder, {&alone, 1}, crowd[i].settings).value().front();
    EXPECT_EQ(rows[i].sample.tokens, sampled.tokens) << i;
    ASSERT_EQ(rows[i].sample.log_probs.size(), sampled.log_probs.size()) << i;
    EXPECT_LE(distance(at::tensor(rows[i].sample.log_probs), at::tensor(sampled.log_probs)), 1e-5) << i;
  }
  EXPECT_EQ(rows[1].sample.tokens.size(), 150U);
}

TEST(Rows, SamplesOfOnePromptAreThoseOfTheirStreams) {
  compute_reproducibly();
  const Decoder decoder = Decoder::random(tiny_config(), 3, 0.6);
  SampleSettings settings = asked_for({.temperature = 1}, 100, 4);
  settings.stop_tokens = {5, 6};
  const std::vector<int64_t> prompt = {1, 2, 3};
  auto rows = read_prompt(decoder, prompt, 4, settings).value();
  const std::vector<SampleRequest> requests = {{prompt, 0}, {prompt, 1}, {prompt, 2}, {prompt, 3}};
  const auto sampled = sample(decoder, requests, settings).value();
  for (size_t i = 0; i < rows.size(); ++i) {
    for (Row* row = &rows[i]; !row->has_ended;) {
      ASSERT_TRUE(draw_token(decoder, settings, {}, *row).has_value());
      if (!row->has_ended) {
        read_tokens(decoder, {&row, 1});
      }
    }
    EXPECT_EQ(rows[i].sample.tokens, sampled[i].tokens) << i;
    EXPECT_EQ(rows[i].sample.finish_reason, sampled[i].finish_reason) << i;
  }
  EXPECT_NE(rows[0].sample.tokens, rows[1].sample.tokens);
}

TEST(Rows, APromptInPiecesIsTheSamePrompt) {
  compute_reproducibly();
  const Decoder decoder = Decoder::random(tiny_config(), 3, 0.6);
  const SampleSettings settings = asked_for({.temperature = 1}, 12, 4);
  const std::vector<int64_t> prompt = {1, 2, 3, 4, 5, 6, 7, 9, 11};
  const Row whole = std::move(read_prompt(decoder, prompt, 1, settings).value().front());
  for (const int64_t piece : {1, 2, 4, 8}) {
    PromptReading reading = PromptReading::begin(decoder, prompt, 2, settings, piece).value();
    int64_t pieces = 0;
    while (!reading.has_ended()) {
      reading.read_piece(decoder);
      ++pieces;
    }
    EXPECT_EQ(pieces, (9 + piece - 1) / piece);
    const std::vector<Row> rows = reading.rows();
    ASSERT_EQ(rows.size(), 2U);
    for (const Row& row : rows) {
      EXPECT_LE(distance(row.logits, whole.logits), 1e-5) << piece;
      EXPECT_EQ(row.cache.layers.front().filled, 9);
      EXPECT_LE(distance(row.cache.layers.back().keys.narrow(2, 0, 9), whole.cache.layers.back().keys.narrow(2, 0, 9)),
                1e-5)
          << piece;
    }
  }
}

TEST(Rows, RefuseWhatSampleRefuses) {
  compute_reproducibly();
  const Decoder decoder = Decoder::random(tiny_config(), 3, 0.6);
  const SampleSettings settings = asked_for({.temperature = 1}, 4, 4);
  EXPECT_EQ(read_prompt(decoder, {}, 1, settings).error().message, "prompt 0 is empty");
  EXPECT_EQ(read_prompt(decoder, {16}, 1, settings).error().message, "prompt 0 has token 16 of a vocabulary of 16");
  auto rows = read_prompt(decoder, {1}, 1, settings).value();
  const auto drawn = draw_token(decoder, settings, at::zeros({16}, at::kBool), rows.front());
  EXPECT_EQ(drawn.error().message, "no token may follow in sample 0");
  EXPECT_TRUE(read_prompt(decoder, {1}, 1, asked_for({}, 0, 0)).value().front().has_ended);
}

}  // namespace
}  // namespace stitch::train
