// SPDX-License-Identifier: Apache-2.0
#include "weights/gguf/gguf_file.h"

#include <fmt/format.h>

#include "base/error/located.h"

namespace stitch::weights {
namespace {

template <typename Kind>
Result<const Kind*> value_of(const std::map<std::string, GgufValue, std::less<>>& values, std::string_view key,
                             const char* kind) {
  const auto found = values.find(key);
  if (found == values.end()) {
    return failure(ErrorCode::kFileInvalid, fmt::format("its metadata has no \"{}\"", key));
  }
  const auto* value = std::get_if<Kind>(&found->second);
  if (value == nullptr) {
    return failure(ErrorCode::kFileInvalid, fmt::format("\"{}\" of its metadata is not {}", key, kind));
  }
  return value;
}

}  // namespace

GgufFile::GgufFile(MappedFile file, GgufHeader header) : file_(std::move(file)), header_(std::move(header)) {
  for (size_t i = 0; i < header_.tensors.size(); ++i) {
    positions_.emplace(header_.tensors[i].name, i);
  }
}

Result<GgufFile> GgufFile::open(const std::filesystem::path& path) {
  STITCH_ASSIGN(MappedFile file, MappedFile::open(path));
  Result<GgufHeader> header = parse_gguf(file.bytes());
  if (!header.has_value()) {
    return located(Result<GgufFile>(
                       failure(with_context(header.error(), fmt::format("{} cannot be read as GGUF", path.string())))),
                   path.string(), "download or convert the file again");
  }
  return GgufFile(std::move(file), std::move(header).value());
}

const TensorView* GgufFile::find(std::string_view name) const {
  const auto found = positions_.find(name);
  return found == positions_.end() ? nullptr : &header_.tensors[found->second];
}

Result<std::string> GgufFile::text(std::string_view key) const {
  STITCH_ASSIGN(const std::string* value, value_of<std::string>(header_.values, key, "a text"));
  return *value;
}

Result<int64_t> GgufFile::integer(std::string_view key) const {
  STITCH_ASSIGN(const int64_t* value, value_of<int64_t>(header_.values, key, "an integer"));
  return *value;
}

Result<double> GgufFile::number(std::string_view key) const {
  STITCH_ASSIGN(const double* value, value_of<double>(header_.values, key, "a number"));
  return *value;
}

Result<bool> GgufFile::boolean(std::string_view key) const {
  STITCH_ASSIGN(const bool* value, value_of<bool>(header_.values, key, "a boolean"));
  return *value;
}

Result<const std::vector<std::string>*> GgufFile::texts(std::string_view key) const {
  return value_of<std::vector<std::string>>(header_.values, key, "a list of texts");
}

Result<const std::vector<int64_t>*> GgufFile::integers(std::string_view key) const {
  return value_of<std::vector<int64_t>>(header_.values, key, "a list of integers");
}

}  // namespace stitch::weights
