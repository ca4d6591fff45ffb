// SPDX-License-Identifier: Apache-2.0
#include "synth/folder/journal.h"

#include <gtest/gtest.h>

#include "base/fs/files.h"

namespace stitch::synth {
namespace {

Candidate candidate_of(uint64_t number, const std::string& fallen) {
  Candidate candidate;
  candidate.number = number;
  candidate.name = "task";
  candidate.fallen = fallen;
  candidate.subtrees = {1, 2, 2};
  candidate.sizes = {{"batch_size", 64}};
  return candidate;
}

class JournalTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryDirectory> made = TemporaryDirectory::make("stitchcuda-journal");
    ASSERT_TRUE(made.has_value());
    folder_.emplace(std::move(*made));
    path_ = folder_->path() / "journal.jsonl";
  }
  std::optional<TemporaryDirectory> folder_;
  std::filesystem::path path_;
};

TEST_F(JournalTest, ReadsBackWhatWasAppended) {
  {
    Result<Journal> journal = Journal::open(path_, Settings{});
    ASSERT_TRUE(journal.has_value());
    ASSERT_TRUE(journal->append({candidate_of(0, ""), candidate_of(1, "time")}).has_value());
  }
  const Result<Journal> again = Journal::open(path_, Settings{});
  ASSERT_TRUE(again.has_value());
  ASSERT_EQ(again->candidates().size(), 2u);
  EXPECT_EQ(again->windows(), 1u);
  EXPECT_EQ(again->candidates()[0].subtrees, (std::vector<uint64_t>{1, 2, 2}));
  EXPECT_EQ(again->candidates()[0].sizes[0].second, 64);
  EXPECT_EQ(again->candidates()[1].fallen, "time");
}

// Wherever a process is killed, whole windows alone count, and the next one stands behind them.
TEST_F(JournalTest, CutAnywhereItGoesOnBehindItsLastWholeWindow) {
  {
    Result<Journal> journal = Journal::open(path_, Settings{});
    ASSERT_TRUE(journal.has_value());
    ASSERT_TRUE(journal->append({candidate_of(0, "")}).has_value());
    ASSERT_TRUE(journal->append({candidate_of(1, "")}).has_value());
  }
  const std::string whole = *read_file(path_);
  for (size_t bytes = 0; bytes < whole.size(); bytes += 13) {
    ASSERT_TRUE(write_file(path_, whole.substr(0, bytes)).has_value());
    Result<Journal> journal = Journal::open(path_, Settings{});
    ASSERT_TRUE(journal.has_value()) << bytes;
    for (size_t window = journal->windows(); window < 2; ++window) {
      ASSERT_TRUE(journal->append({candidate_of(window, "")}).has_value());
    }
    EXPECT_EQ(*read_file(path_), whole) << "cut behind " << bytes << " bytes";
  }
}

TEST_F(JournalTest, OtherSettingsAndASecondProcessAreRefused) {
  Settings settings;
  Result<Journal> journal = Journal::open(path_, settings);
  ASSERT_TRUE(journal.has_value());
  EXPECT_EQ(Journal::open(path_, settings).error().code, ErrorCode::kEnvironment);
  journal = failure(ErrorCode::kInternal, "closed");
  settings.seed = 2;
  const Result<Journal> other = Journal::open(path_, settings);
  ASSERT_FALSE(other.has_value());
  EXPECT_EQ(other.error().code, ErrorCode::kUsage);
  EXPECT_NE(other.error().message.find("begun with seed 0, not 2"), std::string::npos) << other.error().message;
}

}  // namespace
}  // namespace stitch::synth
