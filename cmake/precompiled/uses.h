// SPDX-License-Identifier: Apache-2.0
// Uses what our sources use most of the system's headers, so that it is compiled with these and not with each source:
// templates that nobody else instantiates cost most of a file's time under sanitizers. Nothing here is ever called.
#pragma once

namespace precompiled_uses {

using Json = nlohmann::basic_json<nlohmann::ordered_map>;
using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

inline std::string format(const std::string& text, const char* literal, std::string_view view, const Texts& texts,
                          const std::set<std::string>& names, const Numbers& numbers, double real) {
  const int n = 1;
  const size_t count = texts.size();
  std::string out = fmt::format("{} {} {} {} {} {}", text, literal, view, n, count, int64_t{n});
  out += fmt::format("{} {:.3g} {:x} {:<5} {} {}", real, real, n, text, 'x', true);
  out += fmt::format("{}{}{}", fmt::join(texts, ", "), fmt::join(names, ", "), fmt::join(numbers, ", "));
  std::ostringstream stream;
  stream << text << literal << view << n << count << int64_t{n} << real << true;
  return out + text + literal + "x" + 'x' + stream.str();
}

inline void contain(const std::string& text, const char* literal, Texts texts, Numbers numbers,
                    std::map<std::string, std::string> map, std::set<std::string> names) {
  texts.push_back(text);
  texts.emplace_back(literal);
  texts.insert(texts.end(), names.begin(), names.end());
  numbers.push_back(1);
  numbers.insert(numbers.end(), numbers.begin(), numbers.end());
  numbers.resize(1);
  map[text] = literal;
  map.emplace(text, literal);
  map.try_emplace(text, literal);
  map.erase(text);
  names.insert(text);
  Texts copied = texts;
  copied = std::move(texts);
  Numbers numbers_copied = numbers;
  numbers_copied = numbers;
  std::map<std::string, std::string> map_copied = map;
  map_copied = std::move(map);
  std::set<std::string> names_copied = names;
  names_copied = names;
  std::sort(copied.begin(), copied.end());
  std::sort(numbers.begin(), numbers.end());
  if (std::find(copied.begin(), copied.end(), text) == copied.end() || copied == texts || numbers == numbers_copied ||
      map_copied.contains(text) || map_copied.find(text) == map_copied.end() || names_copied.contains(text)) {
    copied.clear();
    copied.reserve(1);
    copied.erase(copied.begin());
  }
}

inline void hold(const std::string& text, const char* literal) {
  std::optional<std::string> maybe = text;
  std::optional<int64_t> number = 1;
  maybe.reset();
  std::variant<std::string, int64_t> either = maybe.value_or(literal);
  either = number.value_or(1);
  (void)std::get_if<std::string>(&either);
  std::filesystem::path path = text;
  path /= literal;
  const std::function<void()> call = [] {};
  call();
  const auto owned = std::make_unique<std::string>((path / text).string());
  const auto shared = std::make_shared<std::string>(*owned);
  std::vector<double> reals(1, 1.0);
  reals.push_back(2.0);
  std::vector<float> floats(1, 1.0F);
  floats.push_back(2.0F);
  std::vector<uint8_t> bytes(1, uint8_t{1});
  bytes.resize(2);
  std::vector<size_t> sizes(1, size_t{1});
  sizes.push_back(2);
  std::vector<int> ints(1, 1);
  ints.push_back(2);
}

inline std::string write_json(const std::string& text, const char* literal, std::string_view view, const Texts& texts,
                              const Numbers& numbers, const Json& json) {
  Json made = {{"a", text},  {"b", 1},       {"c", int64_t{1}}, {"d", 1.0},       {"e", true}, {"f", texts},
               {"g", literal}, {"h", numbers}, {"i", view},       {"j", size_t{1}}};
  made["a"] = text;
  made["b"] = 1;
  made["c"] = int64_t{1};
  made["d"] = 1.0;
  made["e"] = true;
  made["f"] = texts;
  made["g"] = literal;
  made["h"] = numbers;
  made["i"] = size_t{1};
  made[text] = json;
  made.push_back(json);
  return made.dump();
}

inline std::string read_json(const Json& json, const std::string& text, const char* literal) {
  std::string out = json.value("k", text);
  for (const Json& each : json) {
    out += each.get<std::string>();
  }
  for (const auto& [key, value] : json.items()) {
    out += key + value.dump();
  }
  const bool is_there = json.contains("k") && json.contains(text) && json.find("k") != json.end() &&
                        json.find(text) != json.end() && json.at("k") == json.at(literal);
  const auto numbers = json.get<Numbers>();
  const auto texts = json.get<Texts>();
  return out + std::to_string(json.get<int64_t>() + json.get<int>() + json.get<bool>()) +
         std::to_string(json.get<double>()) + (is_there ? texts.front() : std::to_string(numbers.front()));
}

inline void expect(const std::string& text, const char* literal, std::string_view view, double real, bool is_right,
                   const Texts& texts, const Numbers& numbers, const Json& json) {
  const int n = 1;
  const size_t count = texts.size();
  const int64_t large = 1;
  SCOPED_TRACE(text);
  EXPECT_EQ(text, text) << text << literal << view << n << count << large << real;
  EXPECT_EQ(text, "literal");
  EXPECT_EQ(text, literal);
  EXPECT_EQ(text, view);
  EXPECT_EQ(view, "literal");
  EXPECT_EQ(n, 1);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(count, size_t{1});
  EXPECT_EQ(large, 1);
  EXPECT_EQ(large, large);
  EXPECT_EQ(real, 1.0);
  EXPECT_EQ(is_right, true);
  EXPECT_EQ(texts, texts);
  EXPECT_EQ(numbers, numbers);
  EXPECT_EQ(json, json);
  EXPECT_NE(text, text);
  EXPECT_NE(text.find(literal), std::string::npos);
  EXPECT_LT(real, 1.0);
  EXPECT_LE(real, 1.0);
  EXPECT_GT(real, 0);
  EXPECT_LT(n, 1);
  EXPECT_GT(n, 0);
  EXPECT_GT(count, 0U);
  EXPECT_DOUBLE_EQ(real, 1.0);
  EXPECT_FALSE(is_right);
  ASSERT_EQ(count, 1U);
  ASSERT_TRUE(is_right) << text;
}

}  // namespace precompiled_uses
