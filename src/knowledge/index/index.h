// SPDX-License-Identifier: Apache-2.0
// The index: one SQLite file with a full-text table (FTS5), in the user's cache.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "knowledge/index/passage.h"
#include "knowledge/query/query.h"
#include "knowledge/source/sources.h"

struct sqlite3;

namespace stitch::knowledge {

struct IndexFacts {
  int64_t cards = 0;
  int64_t headers = 0;
  int64_t guides = 0;
  int64_t folders = 0;                 // documents of the user's own
  std::vector<std::string> skipped{};  // a sentence on each file that was left out, at most 20
  bool was_built = false;              // by this open(): there was none, its sources had changed, or it was damaged
};

// Not for two threads at once.
class Index {
 public:
  // Opens `file`, and builds it first where it is missing, damaged, or older than its sources. Of two processes that
  // build, the later one's file stays. kEnvironment where it cannot be written.
  static Result<Index> open(const Sources& sources, const std::filesystem::path& file);
  // Builds it in any case.
  static Result<Index> build(const Sources& sources, const std::filesystem::path& file);

  const IndexFacts& facts() const { return facts_; }
  sqlite3* database() const { return database_.get(); }
  const std::filesystem::path& file() const { return file_; }

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  Index(std::unique_ptr<sqlite3, Close> database, std::filesystem::path file, IndexFacts facts)
      : database_(std::move(database)), file_(std::move(file)), facts_(std::move(facts)) {}
  static Result<Index> open_built(const std::filesystem::path& file, const std::string& digest);

  std::unique_ptr<sqlite3, Close> database_;
  std::filesystem::path file_;
  IndexFacts facts_;
};

inline constexpr int kMaxPassages = 50;

// At most `limit` passages, and never more than kMaxPassages; none where nothing of the query is a word that any has.
// Any bytes may be asked for. kFileInvalid where the index is damaged: build() mends it.
Result<std::vector<Passage>> search(const Index& index, const Query& query, int limit);

// The passage of that id; kUsage with what comes next to it where there is none.
Result<Passage> find_passage(const Index& index, const std::string& id);

}  // namespace stitch::knowledge
