// SPDX-License-Identifier: Apache-2.0
// Random schemas: values that keep to them are read to their end, and whatever masks allow ends in a text that another
// reader of schemas finds right.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "grammar/masks/token_masks.h"
#include "grammar/schema/read_schema.h"
#include "grammar/testing/random_schema.h"

namespace stitch::grammar::testing {
namespace {

constexpr int kSchemas = 150;

std::shared_ptr<const Vocabulary> small_vocabulary() {
  std::vector<std::string> bytes = {""};  // a control token
  for (int byte = 0; byte < 256; ++byte) {
    bytes.emplace_back(1, static_cast<char>(byte));
  }
  for (const char* more : {"{\"",     "\":",    "\": ", "\": \"", "\",",      "\", \"", "\"}",      "}}",
                           "},",      "]}",     "[{",   "true",   "fal",      "null",   "\n  ",     "  ",
                           "tool",    "ab",     "abc",  "aba",    "12",       "123",    "-1",       "0.",
                           "e1",      "\\u00",  "\\\"", "\xC3",   "\xC3\xA9", "\xA9\"", "\xE2\x82", "\xF0\x9F\x98\x80",
                           "name\":", "fixed\""}) {
    bytes.emplace_back(more);
  }
  Result<Vocabulary> made = Vocabulary::make(std::move(bytes));
  return std::make_shared<const Vocabulary>(std::move(made).value());
}

// The longest tokens, or any, that go on with `text`.
std::vector<int64_t> random_tokens(Chance& chance, const Vocabulary& vocabulary, const std::string& text) {
  std::vector<int64_t> tokens;
  for (size_t at = 0; at < text.size();) {
    std::vector<int64_t> fitting;
    for (size_t id = 0; id < vocabulary.size(); ++id) {
      const std::string& bytes = vocabulary.bytes_of(static_cast<int64_t>(id));
      if (!bytes.empty() && text.compare(at, bytes.size(), bytes) == 0) {
        fitting.push_back(static_cast<int64_t>(id));
      }
    }
    tokens.push_back(fitting[below(chance, fitting.size())]);
    at += vocabulary.bytes_of(tokens.back()).size();
  }
  return tokens;
}

std::string complaint_of(const Json& schema, const std::string& text) {
  const nlohmann::json parsed = nlohmann::json::parse(text, nullptr, false);
  if (parsed.is_discarded()) {
    return "it is no JSON";
  }
  const nlohmann::json sorted = nlohmann::json::parse(schema.dump());
  valijson::Schema rules;
  valijson::SchemaParser parser;
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(sorted), rules);
  valijson::Validator validator;
  valijson::ValidationResults results;
  const bool is_good = validator.validate(rules, valijson::adapters::NlohmannJsonAdapter(parsed), &results);
  return is_good ? "" : results.begin() == results.end() ? "it is refused" : results.begin()->description;
}

// A token that is allowed: any at first, later one that brings the end nearer.
int64_t next_token(Chance& chance, const Vocabulary& vocabulary, const AllowedTokens& allowed, size_t count) {
  constexpr size_t kWanders = 40;
  std::vector<int64_t> fitting;
  for (size_t id = 0; id < allowed.size(); ++id) {
    if (allowed[id] != 0) {
      fitting.push_back(static_cast<int64_t>(id));
    }
  }
  if (count > kWanders) {
    const bool is_in_string = fitting.size() > 100;  // where braces are characters
    for (const char closing : std::string_view(is_in_string ? "\"" : "}]\",:0123456789")) {
      for (const int64_t id : fitting) {
        if (vocabulary.bytes_of(id) == std::string(1, closing)) {
          return id;
        }
      }
    }
  }
  return fitting.empty() ? -1 : fitting[below(chance, fitting.size())];
}

TEST(Walks, ValuesThatKeepToASchemaAreReadToTheirEnd) {
  Chance chance(7);
  const auto vocabulary = small_vocabulary();
  int read = 0;
  for (int round = 0; round < kSchemas; ++round) {
    const Json schema = random_schema(chance);
    Result<Grammar> grammar = read_schema(schema);
    ASSERT_TRUE(grammar.has_value()) << grammar.error().message << "\n" << schema.dump(1);
    Automaton automaton(*grammar);
    TokenMasks masks(*grammar, vocabulary);
    for (int i = 0; i < 4; ++i) {
      const std::optional<Json> value = random_value(chance, schema);
      if (!value.has_value()) {
        continue;
      }
      const std::string text = random_text(chance, *value);
      ASSERT_EQ(complaint_of(schema, text), "") << schema.dump() << "\n" << text;
      const StateId end = automaton.read(kStart, text);
      ASSERT_TRUE(end != kDead && automaton.may_end(end)) << schema.dump() << "\n" << text;
      TokenReader reader(masks);
      for (const int64_t token : random_tokens(chance, *vocabulary, text)) {
        ASSERT_EQ((*reader.allowed())[static_cast<size_t>(token)], 1) << schema.dump() << "\n" << text;
        ASSERT_TRUE(reader.read(std::array{token}));
      }
      ASSERT_TRUE(reader.may_end());
      ++read;
    }
  }
  EXPECT_GT(read, 2 * kSchemas);
}

TEST(Walks, WhateverMasksAllowEndsInATextThatKeepsToTheSchema) {
  Chance chance(11);
  const auto vocabulary = small_vocabulary();
  for (int round = 0; round < kSchemas; ++round) {
    const Json schema = random_schema(chance);
    Result<Grammar> grammar = read_schema(schema);
    ASSERT_TRUE(grammar.has_value()) << grammar.error().message;
    // Few states, so that they are forgotten in the middle of a text.
    TokenMasks masks(*grammar, vocabulary, round % 2 == 0 ? 60 : 1U << 15U);
    for (int walk = 0; walk < 2; ++walk) {
      TokenReader reader(masks);
      std::string text;
      while (!reader.may_end() || (below(chance, 2) == 0 && reader.count() < 40)) {
        const int64_t token = next_token(chance, *vocabulary, *reader.allowed(), reader.count());
        if (token < 0 && reader.may_end()) {
          break;
        }
        ASSERT_TRUE(token >= 0 && reader.count() < 20'000) << "no token, or no end: " << schema.dump() << "\n" << text;
        ASSERT_TRUE(reader.read(std::array{token}));
        text += vocabulary->bytes_of(token);
      }
      ASSERT_EQ(complaint_of(schema, text), "") << schema.dump() << "\n" << text;
    }
  }
}

TEST(Walks, AMaskIsWhatEachTokenAloneWouldBe) {
  Chance chance(13);
  const auto vocabulary = small_vocabulary();
  for (int round = 0; round < 30; ++round) {
    const Json schema = random_schema(chance);
    const Result<Grammar> grammar = read_schema(schema);
    ASSERT_TRUE(grammar.has_value());
    TokenMasks masks(*grammar, vocabulary);
    Automaton automaton(*grammar);
    TokenReader reader(masks);
    StateId state = kStart;
    for (int step = 0; step < 12; ++step) {
      const auto allowed = reader.allowed();
      for (size_t id = 0; id < vocabulary->size(); ++id) {
        const std::string& bytes = vocabulary->bytes_of(static_cast<int64_t>(id));
        const bool may_follow = !bytes.empty() && automaton.read(state, bytes) != kDead;
        ASSERT_EQ((*allowed)[id] == 1, may_follow) << schema.dump() << "\ntoken '" << bytes << "' after " << step;
      }
      const int64_t token = next_token(chance, *vocabulary, *allowed, 0);
      if (token < 0) {
        break;
      }
      reader.read(std::array{token});
      state = automaton.read(state, vocabulary->bytes_of(token));
    }
  }
}

TEST(Walks, AVocabularyWithoutAByteIsRefused) {
  EXPECT_FALSE(Vocabulary::make({"a", "b"}).has_value());
  TokenMasks masks(*read_schema({{"type", "null"}}), small_vocabulary());
  TokenReader reader(masks);
  EXPECT_FALSE(reader.read(std::array<int64_t, 1>{100'000}));
  EXPECT_FALSE(reader.may_end());
}

}  // namespace
}  // namespace stitch::grammar::testing
