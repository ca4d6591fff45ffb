// SPDX-License-Identifier: Apache-2.0
#include "artifact/source/source_bundle.h"

#include <algorithm>
#include <filesystem>

#include "base/fs/files.h"
#include "base/json/json.h"

namespace stitch {
namespace {

constexpr const char* kSchema = "stitchcuda.bundle/1";
constexpr const char* kManifest = "bundle.json";

// A bundle may come from an author we do not trust: no file of it may lie outside its folder.
bool stays_inside(const std::string& relative) {
  const std::filesystem::path path(relative);
  return !relative.empty() && path.is_relative() &&
         std::none_of(path.begin(), path.end(), [](const std::filesystem::path& part) { return part == ".."; });
}

// The same of where links lead to; and a pipe or a device is no source: it may never end. A file that is not there is
// found missing when it is read.
Result<void> check_file(const std::filesystem::path& root, const std::string& name) {
  std::error_code failed;
  if (std::filesystem::exists(root / name, failed) && !std::filesystem::is_regular_file(root / name, failed)) {
    return failure(ErrorCode::kFileInvalid, (root / name).string() + " is not a file", root.string());
  }
  const auto target = std::filesystem::canonical(root / name, failed);
  const auto folder = failed ? target : std::filesystem::canonical(root, failed);
  if (!failed && !stays_inside(target.lexically_relative(folder).string())) {
    return failure(ErrorCode::kFileInvalid, name + " leads outside the bundle's folder", root.string());
  }
  return {};
}

Result<std::vector<std::string>> string_list(const Json& manifest, const char* key) {
  STITCH_ASSIGN(const Json* items, json_array(manifest, key));
  std::vector<std::string> names;
  for (const Json& item : *items) {
    if (!item.is_string() || !stays_inside(item.get<std::string>())) {
      return failure(ErrorCode::kFileInvalid,
                     std::string("member \"") + key + "\" holds something other than paths inside the bundle");
    }
    names.push_back(item.get<std::string>());
  }
  return names;
}

}  // namespace

Result<SourceBundle> read_bundle(const std::string& folder) {
  const std::filesystem::path root(folder);
  const std::string manifest_path = (root / kManifest).string();
  STITCH_TRY(check_file(root, kManifest));
  STITCH_ASSIGN(const std::string text, read_file(manifest_path));
  STITCH_ASSIGN(const Json manifest, parse_json(text, manifest_path));
  STITCH_ASSIGN(const std::string schema, json_string(manifest, "schema"));
  if (schema != kSchema) {
    return failure(ErrorCode::kFileInvalid, "schema " + schema + " is not " + kSchema, manifest_path,
                   "emit the program again");
  }
  SourceBundle bundle;
  STITCH_ASSIGN(bundle.name, json_string(manifest, "name"));
  STITCH_ASSIGN(const auto files, string_list(manifest, "files"));
  STITCH_ASSIGN(bundle.units, string_list(manifest, "units"));
  for (const std::string& name : files) {
    STITCH_TRY(check_file(root, name));
    STITCH_ASSIGN(bundle.files[name], read_file(root / name));
  }
  for (const std::string& unit : bundle.units) {
    if (!bundle.files.contains(unit)) {
      return failure(ErrorCode::kFileInvalid, "unit " + unit + " is not among the bundle's files", manifest_path);
    }
  }
  return bundle;
}

Result<void> write_bundle(const SourceBundle& bundle, const std::string& folder) {
  const std::filesystem::path root(folder);
  Json manifest = {{"schema", kSchema}, {"name", bundle.name}, {"files", Json::array()}, {"units", bundle.units}};
  for (const auto& [name, text] : bundle.files) {
    STITCH_CHECK(stays_inside(name)) << name << " would be written outside the bundle's folder";
    manifest["files"].push_back(name);
    STITCH_TRY(write_file(root / name, text));
  }
  return write_file(root / kManifest, manifest.dump(2) + "\n");
}

}  // namespace stitch
