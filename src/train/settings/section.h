// SPDX-License-Identifier: Apache-2.0
// One object of a configuration, read key by key. What is wrong first is what is reported, so that a reader is a list
// of reads and one question at its end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::train {

// JSON in which // and /* */ begin comments. `path` names the file in errors.
Result<std::unique_ptr<const Json>> parse_commented_json(std::string_view text, const std::string& path);

class Section {
 public:
  // `where` says in errors what the object is ("sft.json"); null: an object without members.
  Section(const Json* object, std::string where);

  bool has(const char* key);
  // Each leaves `value` as it is where the key is not there. kUsage for another kind, or a number out of bounds.
  void read(const char* key, int64_t& value, int64_t least, int64_t most);
  void read(const char* key, double& value, double least, double most);
  void read(const char* key, bool& value);
  void read(const char* key, std::string& value);
  void read(const char* key, std::vector<std::string>& values);
  void read(const char* key, std::vector<int64_t>& values);
  // One of the words, whose position is the answer.
  void read(const char* key, size_t& position, const std::vector<std::string>& words);
  void require(const char* key);
  // The object under `key`, or one without members; give it back with add().
  Section child(const char* key);
  void add(Section child);
  // The objects of the list under `key`, none where it is not there; give them back with add_all().
  std::vector<Section> children(const char* key);
  void add_all(const char* key, std::vector<Section> children);
  // An error of the caller's own.
  void refuse(const char* key, const std::string& why);

  // Fails with what was wrong first, or with the first key that nobody read.
  Result<void> finish();

  // The keys with the values that count, those left out too: once everything is read.
  Json resolved() const;

 private:
  const Json* find(const char* key);
  void wrong(const char* key, const std::string& what);
  void record(const char* key, const Json& value);

  const Json* object_;
  std::string where_, name_;
  std::vector<std::string> known_;
  std::unique_ptr<Error> error_;
  std::shared_ptr<Json> resolved_;  // shared with nobody: <nlohmann/json.hpp> stays out of this header
};

}  // namespace stitch::train
