// SPDX-License-Identifier: Apache-2.0
#include "bench/training/embedded/mistakes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <random>
#include <regex>

#include "agents/ask/expert_model.h"
#include "base/hash/sha256.h"

namespace stitch::lessons {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back().push_back(c);
    }
  }
  return lines;
}

std::string joined(const Lines& lines) { return fmt::format("{}", fmt::join(lines, "\n")); }

class Spoiler {
 public:
  Spoiler(const std::string& text, std::string file, const std::string& seed)
      : text_(text), file_(std::move(file)), lines_(lines_of(text)) {
    const std::string digits = sha256_hex(seed + file_);
    random_.seed(std::stoull(digits.substr(0, 15), nullptr, 16));
  }

  // A value is used by a name that it does not have.
  std::optional<Mistake> misnamed() {
    static const std::regex kDefinition(R"(^(\s*const (?:float|bool|int64_t) )(\w+)( = .*;)$)");
    std::smatch found;
    const std::optional<size_t> line = any_line([&](size_t at) {
      return std::regex_match(lines_[at], kDefinition) && used_behind(at, word_defined(at, kDefinition)).has_value();
    });
    if (!line.has_value()) {
      return std::nullopt;
    }
    std::regex_match(lines_[*line], found, kDefinition);
    const std::string name = found[2];
    Lines spoilt = lines_;
    spoilt[*line] = found[1].str() + name + "_value" + found[3].str();
    return not_built(spoilt, *used_behind(*line, name), fmt::format("‘{}’ was not declared in this scope", name));
  }

  std::optional<Mistake> without_semicolon() {
    const std::optional<size_t> line = any_line([&](size_t at) {
      return at + 1 < lines_.size() && lines_[at].ends_with(";") && lines_[at].find(" = ") != std::string::npos &&
             lines_[at + 1].find_first_not_of(' ') != std::string::npos;
    });
    if (!line.has_value()) {
      return std::nullopt;
    }
    Lines spoilt = lines_;
    spoilt[*line].pop_back();
    static const std::regex kWord(R"(\w+|\S)");
    std::smatch next;
    std::regex_search(lines_[*line + 1], next, kWord);
    return not_built(spoilt, *line, fmt::format("expected ‘,’ or ‘;’ before ‘{}’", next.str()));
  }

  // Another operation, or the same of another number.
  std::optional<Mistake> miscomputed() {
    struct Swap {
      const char* from;
      const char* to;
    };
    static constexpr Swap kSwaps[] = {{" + ", " - "},
                                      {" * ", " + "},
                                      {" - ", " + "},
                                      {" > ", " < "},
                                      {" < ", " >= "},
                                      {"fmaxf(", "fminf("},
                                      {"fminf(", "fmaxf("},
                                      {"expf(", "exp2f("},
                                      {"1.0f", "0.0f"},
                                      {"sigmoid", "silu"},
                                      {"SumAccumulator", "MaxAccumulator"}};
    std::vector<std::pair<size_t, Swap>> places;
    for (size_t at = 0; at < lines_.size(); ++at) {
      for (const Swap& swap : kSwaps) {
        const bool computes =
            lines_[at].find("const float ") != std::string::npos || lines_[at].find("return ") != std::string::npos;
        if (computes && lines_[at].find("stitch::launch") == std::string::npos &&
            lines_[at].find(swap.from) != std::string::npos) {
          places.emplace_back(at, swap);
        }
      }
    }
    if (places.empty()) {
      return std::nullopt;
    }
    const auto& [line, swap] = places[random_() % places.size()];
    Lines spoilt = lines_;
    const size_t found = spoilt[line].find(swap.from);
    spoilt[line].replace(found, std::string_view(swap.from).size(), swap.to);
    return wrong(joined(spoilt), false);
  }

  std::optional<Mistake> unwritten() {
    const std::string spoilt = agents::with_mistake(text_, agents::Mistake::kWrong);
    return spoilt == text_ ? std::nullopt : std::optional(wrong(spoilt, true));
  }

 private:
  std::string word_defined(size_t line, const std::regex& definition) const {
    std::smatch found;
    return std::regex_match(lines_[line], found, definition) ? found[2].str() : "";
  }

  std::optional<size_t> used_behind(size_t line, const std::string& name) const {
    const std::regex word("\\b" + name + "\\b");
    for (size_t at = line + 1; at < lines_.size() && !name.empty(); ++at) {
      if (std::regex_search(lines_[at], word)) {
        return at;
      }
    }
    return std::nullopt;
  }

  template <typename Fits>
  std::optional<size_t> any_line(const Fits& fits) {
    std::vector<size_t> places;
    for (size_t at = 0; at < lines_.size(); ++at) {
      if (fits(at)) {
        places.push_back(at);
      }
    }
    return places.empty() ? std::nullopt : std::optional(places[random_() % places.size()]);
  }

  std::string head(const char* outcome) {
    return fmt::format("public check, 2 draws at step {}, reduced sizes batch_size={} features={}: {}\n",
                       std::stoi(file_.substr(6, 2)), 2 + random_() % 4096, 2 + random_() % 400, outcome);
  }

  Mistake not_built(const Lines& lines, size_t line, const std::string& error) {
    const std::string said = fmt::format("{}:{}: {}", file_, line + 1, error);
    return {joined(lines), head("build_failed") + said, said, false};
  }

  Mistake wrong(const std::string& text, bool is_unwritten) {
    static const std::regex kResult(R"((\w+)_out)");
    std::smatch found;
    const std::string result = std::regex_search(text_, found, kResult) ? found[1].str() : "y";
    std::string told = head("wrong");
    std::uniform_real_distribution<double> values(-2, 2);
    for (int at = 0; at < 8; ++at) {
      const std::string got = is_unwritten ? "another value in each call (never written, or a race)"
                                           : fmt::format("{:.9g}", values(random_));
      told += fmt::format("draw 0, {}[0,{}]: got {}, expected {:.9g}\n", result, at, got, values(random_));
    }
    told += fmt::format("{} elements in all", 1000 + random_() % 200'000);
    return {text, told, told, true};
  }

  std::string text_;
  std::string file_;
  Lines lines_;
  std::mt19937_64 random_;
};

}  // namespace

std::vector<Mistake> mistakes_in(const std::string& text, const std::string& file, const std::string& seed) {
  Spoiler spoiler(text, file, seed);
  std::vector<Mistake> made;
  for (const std::optional<Mistake>& each :
       {spoiler.misnamed(), spoiler.without_semicolon(), spoiler.miscomputed(), spoiler.unwritten()}) {
    if (each.has_value() && each->text != text) {
      made.push_back(*each);
    }
  }
  return made;
}

}  // namespace stitch::lessons
