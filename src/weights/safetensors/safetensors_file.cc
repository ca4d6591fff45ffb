// SPDX-License-Identifier: Apache-2.0
#include "weights/safetensors/safetensors_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error/located.h"
#include "base/json/large_json.h"
#include "base/text/printable.h"

namespace stitch::weights {
namespace {

constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // the format's own limit
constexpr size_t kMaxShownName = 80;

Unexpected bad_file(std::string why) { return failure(ErrorCode::kFileInvalid, std::move(why)); }

Unexpected bad_tensor(const std::string& name, const std::string& why) {
  return bad_file(fmt::format("tensor \"{}\": {}", printable_line(name, kMaxShownName), why));
}

// Non-negative integers that fit 63 bits.
Result<std::vector<int64_t>> extents(const Json& entry, const char* key) {
  STITCH_ASSIGN(const Json* list, json_array(entry, key));
  std::vector<int64_t> values;
  for (const Json& item : *list) {
    if (!item.is_number_unsigned() || item.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) {
      return bad_file(fmt::format("member \"{}\" holds something other than sizes", key));
    }
    values.push_back(item.get<int64_t>());
  }
  return values;
}

struct Placed {
  TensorView view;
  int64_t begin = 0;
  int64_t end = 0;
};

Result<Placed> placed_of(const std::string& name, const Json& entry) {
  if (!entry.is_object()) {
    return bad_file("its entry is not an object");
  }
  for (const auto& [key, ignored] : entry.items()) {
    if (key != "dtype" && key != "shape" && key != "data_offsets") {
      return bad_file(fmt::format("its entry has an unknown member \"{}\"", printable_line(key, kMaxShownName)));
    }
  }
  STITCH_ASSIGN(const std::string dtype_name, json_string(entry, "dtype"));
  const std::optional<DType> dtype = safetensors_dtype(dtype_name);
  if (!dtype.has_value()) {
    return bad_file(
        fmt::format("its dtype \"{}\" is none that is read here", printable_line(dtype_name, kMaxShownName)));
  }
  STITCH_ASSIGN(std::vector<int64_t> shape, extents(entry, "shape"));
  STITCH_ASSIGN(const std::vector<int64_t> offsets, extents(entry, "data_offsets"));
  if (offsets.size() != 2 || offsets[1] < offsets[0]) {
    return bad_file("its data_offsets are not a begin and an end");
  }
  STITCH_ASSIGN(const int64_t bytes, byte_count(*dtype, shape));
  if (bytes != offsets[1] - offsets[0]) {
    return bad_file(
        fmt::format("its data_offsets span {} bytes, and its dtype and shape take {}", offsets[1] - offsets[0], bytes));
  }
  return Placed{{name, *dtype, std::move(shape), {}}, offsets[0], offsets[1]};
}

Result<std::map<std::string, std::string>> metadata_of(const Json& entry) {
  std::map<std::string, std::string> metadata;
  if (!entry.is_object()) {
    return bad_file("its __metadata__ is not an object");
  }
  for (const auto& [key, value] : entry.items()) {
    if (!value.is_string()) {
      return bad_file("its __metadata__ holds something other than texts");
    }
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

// Puts the views into `data` one after another; what is not covered, or covered twice, is refused.
Result<std::vector<TensorView>> laid_out(std::vector<Placed> placed, std::span<const std::byte> data) {
  std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::vector<TensorView> views;
  int64_t covered = 0;
  for (Placed& each : placed) {
    if (each.begin != covered) {
      return bad_tensor(each.view.name, each.begin < covered ? "its bytes overlap those of another tensor"
                                                             : "there is a gap before its bytes");
    }
    if (static_cast<uint64_t>(each.end) > data.size()) {
      return bad_tensor(each.view.name, "its bytes end behind the end of the file");
    }
    each.view.bytes = data.subspan(static_cast<size_t>(each.begin), static_cast<size_t>(each.end - each.begin));
    covered = each.end;
    views.push_back(std::move(each.view));
  }
  if (static_cast<uint64_t>(covered) != data.size()) {
    return bad_file(fmt::format("its tensors take {} bytes, and {} follow the header", covered, data.size()));
  }
  return views;
}

}  // namespace

Result<SafetensorsHeader> parse_safetensors(std::span<const std::byte> bytes) {
  uint64_t length = 0;
  if (bytes.size() < sizeof length) {
    return bad_file("it is too short for the length of a header");
  }
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > kMaxHeaderBytes) {
    return bad_file(fmt::format("its header is said to have {} bytes, more than the format allows", length));
  }
  if (length > bytes.size() - sizeof length) {
    return bad_file(fmt::format("its header is said to have {} bytes, more than the file", length));
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + sizeof length, static_cast<size_t>(length));
  if (!text.starts_with('{')) {
    return bad_file("its header does not begin with {");
  }
  SafetensorsHeader header;
  std::vector<Placed> placed;
  const auto take = [&](const std::string& name, const Json& entry) -> Result<void> {
    if (name == "__metadata__") {
      STITCH_ASSIGN(header.metadata, metadata_of(entry));
      return {};
    }
    Result<Placed> found = placed_of(name, entry);
    if (!found.has_value()) {
      return bad_tensor(name, found.error().message);
    }
    placed.push_back(std::move(found).value());
    return {};
  };
  const LargeObject outermost{"", take};
  STITCH_TRY(parse_large_json(text, "its header", std::span(&outermost, 1)));
  STITCH_ASSIGN(header.tensors,
                laid_out(std::move(placed), bytes.subspan(sizeof length + static_cast<size_t>(length))));
  return header;
}

SafetensorsFile::SafetensorsFile(MappedFile file, SafetensorsHeader header)
    : file_(std::move(file)), header_(std::move(header)) {
  for (size_t i = 0; i < header_.tensors.size(); ++i) {
    positions_.emplace(header_.tensors[i].name, i);
  }
}

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
  STITCH_ASSIGN(MappedFile file, MappedFile::open(path));
  Result<SafetensorsHeader> header = parse_safetensors(file.bytes());
  if (!header.has_value()) {
    return located(Result<SafetensorsFile>(failure(
                       with_context(header.error(), fmt::format("{} cannot be read as safetensors", path.string())))),
                   path.string(), "download or write the file again");
  }
  return SafetensorsFile(std::move(file), std::move(header).value());
}

const TensorView* SafetensorsFile::find(std::string_view name) const {
  const auto found = positions_.find(name);
  return found == positions_.end() ? nullptr : &header_.tensors[found->second];
}

}  // namespace stitch::weights
