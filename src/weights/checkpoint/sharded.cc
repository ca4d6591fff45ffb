// SPDX-License-Identifier: Apache-2.0
#include "weights/checkpoint/sharded.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "base/error/located.h"
#include "base/fs/files.h"
#include "base/json/large_json.h"
#include "base/text/printable.h"
#include "weights/safetensors/write_safetensors.h"

namespace stitch::weights {
namespace {

constexpr const char* kWhole = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";
constexpr size_t kMaxShown = 80;

using WeightMap = std::map<std::string, std::string>;  // tensor to file

Unexpected bad_index(const std::filesystem::path& index, const std::string& why) {
  return failure(ErrorCode::kFileInvalid, fmt::format("{}: {}", index.string(), why), index.string(),
                 "download the model again");
}

Result<WeightMap> read_index(const std::filesystem::path& index) {
  STITCH_ASSIGN(const std::string text, read_file(index));
  WeightMap map;
  const LargeObject weights{"weight_map", [&](const std::string& tensor, const Json& file) -> Result<void> {
                              const std::string name = file.is_string() ? file.get<std::string>() : "";
                              if (name.empty() || name.find('/') != std::string::npos || name.starts_with('.')) {
                                return failure(
                                    ErrorCode::kFileInvalid,
                                    fmt::format("{}: tensor \"{}\" is said to lie in what is no file of this "
                                                "folder",
                                                index.string(), printable_line(tensor, kMaxShown)));
                              }
                              map.emplace(tensor, name);
                              return {};
                            }};
  Result<Json> read = parse_large_json(text, index.string(), std::span(&weights, 1));
  if (!read.has_value()) {
    return located(Result<WeightMap>(failure(read.error())), index.string(), "download the model again");
  }
  if (map.empty()) {
    return bad_index(index, "its weight_map is missing or empty");
  }
  return map;
}

bool is_part_of_set(const std::string& name) {
  return name == kWhole || name == kIndex || (name.starts_with("model-") && name.ends_with(".safetensors"));
}

void remove_all_but(const std::filesystem::path& folder, const std::set<std::string>& kept) {
  std::error_code ignored;
  for (auto entry = std::filesystem::directory_iterator(folder, ignored);
       !ignored && entry != std::filesystem::directory_iterator(); entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (is_part_of_set(name) && !kept.contains(name)) {
      std::filesystem::remove(entry->path(), ignored);
    }
  }
}

using Shard = std::vector<TensorView>;

std::vector<Shard> shards_of(std::span<const TensorView> tensors, int64_t max_shard_bytes) {
  std::vector<Shard> shards(1);
  size_t filled = 0;
  for (const TensorView& tensor : tensors) {
    if (!shards.back().empty() && filled + tensor.bytes.size() > static_cast<size_t>(max_shard_bytes)) {
      shards.emplace_back();
      filled = 0;
    }
    filled += tensor.bytes.size();
    shards.back().push_back(tensor);
  }
  return shards;
}

}  // namespace

Result<std::vector<SafetensorsFile>> open_sharded(const std::filesystem::path& folder) {
  const std::filesystem::path index = folder / kIndex;
  std::vector<SafetensorsFile> files;
  std::error_code ignored;
  if (!std::filesystem::exists(index, ignored)) {
    STITCH_ASSIGN(SafetensorsFile file, SafetensorsFile::open(folder / kWhole));
    files.push_back(std::move(file));
    return files;
  }
  STITCH_ASSIGN(const WeightMap map, read_index(index));
  std::set<std::string> names;
  for (const auto& [tensor, file] : map) {
    names.insert(file);
  }
  size_t found = 0;
  for (const std::string& name : names) {
    STITCH_ASSIGN(SafetensorsFile file, SafetensorsFile::open(folder / name));
    for (const TensorView& tensor : file.tensors()) {
      const auto entry = map.find(tensor.name);
      if (entry == map.end() || entry->second != name) {
        return bad_index(index, fmt::format("tensor \"{}\" lies in {}, where the index does not expect it",
                                            printable_line(tensor.name, kMaxShown), name));
      }
      ++found;
    }
    files.push_back(std::move(file));
  }
  if (found != map.size()) {
    return bad_index(index, fmt::format("it names {} tensors, and its files hold {}", map.size(), found));
  }
  return files;
}

Result<void> write_sharded(const std::filesystem::path& folder, std::span<const TensorView> tensors,
                           int64_t max_shard_bytes, const std::map<std::string, std::string>& metadata) {
  const std::vector<Shard> shards = shards_of(tensors, max_shard_bytes);
  if (shards.size() == 1) {
    STITCH_TRY(write_safetensors(folder / kWhole, tensors, metadata));
    remove_all_but(folder, {kWhole});
    return {};
  }
  Json map = Json::object();
  std::set<std::string> kept = {kIndex};
  size_t bytes = 0;
  for (size_t i = 0; i < shards.size(); ++i) {
    const std::string name = fmt::format("model-{:05}-of-{:05}.safetensors", i + 1, shards.size());
    STITCH_TRY(write_safetensors(folder / name, shards[i], metadata));
    kept.insert(name);
    for (const TensorView& tensor : shards[i]) {
      map[tensor.name] = name;
      bytes += tensor.bytes.size();
    }
  }
  const Json index{{"metadata", {{"total_size", bytes}}}, {"weight_map", std::move(map)}};
  STITCH_TRY(write_file(folder / kIndex, index.dump(2) + "\n"));
  remove_all_but(folder, kept);
  return {};
}

}  // namespace stitch::weights
