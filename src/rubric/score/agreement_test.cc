// SPDX-License-Identifier: Apache-2.0
// The scorer beside the experts: tests/rubric/marks.tsv has their marks, tests/rubric/facts/ what was seen.
#include "rubric/score/agreement.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "rubric/score/score.h"

namespace stitch::rubric {
namespace {

namespace fs = std::filesystem;

constexpr int kDimensions = 4;
constexpr size_t kMinCandidates = 60;
// Demanded of each dimension over all candidates; what was seen is printed by the test.
constexpr double kMinSpearman[kDimensions] = {0.92, 0.75, 0.95, 0.85};
constexpr double kMinKendall[kDimensions] = {0.9, 0.68, 0.9, 0.78};
// Of the engineering of verified candidates alone, where no verdict helps.
constexpr double kMinAmongVerified = 0.65;

const fs::path kTests = fs::path(STITCH_SOURCE_DIR) / "tests" / "rubric";

struct Marked {
  std::string name;
  std::vector<int> expert;
  std::vector<int> scorer;
  bool is_verified = false;
};

std::vector<std::string> columns(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, '\t');) {
    cells.push_back(cell);
  }
  return cells;
}

std::string facts_name(const std::vector<std::string>& cells) {
  std::string name = cells[0];
  name += cells[2] == "-" ? "" : "+" + cells[2].substr(0, cells[2].find('.'));
  name += cells[3] == "-" ? "" : "+" + cells[3];
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

std::vector<Marked> all_marked() {
  const Result<RubricVersion> rubric = read_rubric(fs::path(STITCH_SOURCE_DIR) / "rubrics" / "v3");
  EXPECT_TRUE(rubric.has_value());
  std::vector<Marked> all;
  std::ifstream table(kTests / "marks.tsv");
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with("#")) {
      continue;
    }
    const std::vector<std::string> cells = columns(line);
    EXPECT_EQ(cells.size(), 9u) << line;
    const fs::path file = kTests / "facts" / (facts_name(cells) + ".json");
    const Result<std::string> text = read_file(file);
    EXPECT_TRUE(text.has_value()) << file << ": run .venv/bin/python -m pytest tests/rubric --long --update";
    if (!text.has_value() || cells.size() != 9) {
      continue;
    }
    const Result<Json> json = parse_json(*text, file.string());
    const Result<Facts> facts = facts_from_json((*json)["facts"]);
    EXPECT_TRUE(facts.has_value()) << file;
    Marked marked{cells[0], {}, {}, facts->verdict.has_value() && facts->verdict->kind == VerdictKind::kOk};
    for (const DimensionMark& mark : score(*facts, *rubric).dimensions) {
      marked.scorer.push_back(mark.points);
      marked.expert.push_back(std::stoi(cells[3 + marked.scorer.size()]));
      EXPECT_EQ((*json)["expected"][to_string(mark.dimension)].get<int>(), mark.points) << file;
    }
    all.push_back(std::move(marked));
  }
  return all;
}

std::pair<double, double> agreement(const std::vector<Marked>& all, int dimension, bool verified_alone) {
  std::vector<double> expert;
  std::vector<double> scorer;
  for (const Marked& marked : all) {
    if (marked.is_verified || !verified_alone) {
      expert.push_back(marked.expert[static_cast<size_t>(dimension)]);
      scorer.push_back(marked.scorer[static_cast<size_t>(dimension)]);
    }
  }
  return {spearman(expert, scorer), kendall(expert, scorer)};
}

TEST(Agreement, OrdersWithTies) {
  EXPECT_DOUBLE_EQ(spearman({1, 2, 3, 4}, {1, 2, 3, 4}), 1);
  EXPECT_DOUBLE_EQ(kendall({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(spearman({1, 1, 1}, {1, 2, 3}), 0);
  EXPECT_NEAR(spearman({1, 2, 2, 3}, {1, 2, 3, 3}), 0.8333333, 1e-6);
  EXPECT_NEAR(kendall({1, 2, 2, 3}, {1, 2, 3, 3}), 0.8, 1e-6);
}

TEST(Agreement, WithExperts) {
  const std::vector<Marked> all = all_marked();
  ASSERT_GE(all.size(), kMinCandidates);
  for (int dimension = 0; dimension < kDimensions; ++dimension) {
    const auto [rho, tau] = agreement(all, dimension, false);
    fmt::print("dimension {}: {} candidates, Spearman {:.3f}, Kendall {:.3f}\n", dimension, all.size(), rho, tau);
    EXPECT_GE(rho, kMinSpearman[dimension]) << dimension;
    EXPECT_GE(tau, kMinKendall[dimension]) << dimension;
  }
  const auto [rho, tau] = agreement(all, 1, true);
  fmt::print("engineering of the verified alone: Spearman {:.3f}, Kendall {:.3f}\n", rho, tau);
  EXPECT_GE(rho, kMinAmongVerified);
  for (const Marked& marked : all) {  // disagreements stay visible
    for (size_t i = 0; i < kDimensions; ++i) {
      if (std::abs(marked.expert[i] - marked.scorer[i]) > 1) {
        fmt::print("far apart: {} dimension {}: expert {}, scorer {}\n", marked.name, i, marked.expert[i],
                   marked.scorer[i]);
      }
    }
  }
}

}  // namespace
}  // namespace stitch::rubric
