// SPDX-License-Identifier: Apache-2.0
#include "host/safetensors.h"

#include <cstdio>
#include <fstream>
#include <set>

#include "host/json_reader.h"
#include "stitch_program.h"

namespace stitch {

namespace {

constexpr std::int64_t kLengthBytes = 8;
constexpr std::int64_t kLongestHeader = 100'000'000;  // the format's own limit

struct DtypeName {
  const char* name;
  int dtype;
  std::int64_t bytes;
};

constexpr DtypeName kDtypes[] = {
    {"F32", STITCH_FLOAT32, 4}, {"F64", STITCH_FLOAT64, 8}, {"F16", STITCH_FLOAT16, 2}, {"BF16", STITCH_BFLOAT16, 2},
    {"I64", STITCH_INT64, 8},   {"I32", STITCH_INT32, 4},   {"I16", STITCH_INT16, 2},   {"I8", STITCH_INT8, 1},
    {"U8", STITCH_UINT8, 1},    {"BOOL", STITCH_BOOL, 1},
};

const DtypeName* find_dtype(const std::string& name) {
  for (const DtypeName& entry : kDtypes) {
    if (name == entry.name) {
      return &entry;
    }
  }
  return nullptr;
}

const DtypeName* find_dtype(int dtype) {
  for (const DtypeName& entry : kDtypes) {
    if (dtype == entry.dtype) {
      return &entry;
    }
  }
  return nullptr;
}

struct Entry {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> offsets;
};

bool read_counts(JsonReader& reader, std::vector<std::int64_t>* counts) {
  if (!reader.take('[')) {
    return false;
  }
  while (!reader.next_is(']')) {
    std::int64_t count = 0;
    if ((!counts->empty() && !reader.take(',')) || !reader.read_count(&count)) {
      return false;
    }
    counts->push_back(count);
  }
  return reader.take(']');
}

bool read_member(JsonReader& reader, Entry* entry) {
  std::string key;
  if (!reader.read_string(&key) || !reader.take(':')) {
    return false;
  }
  if (key == "dtype") {
    return reader.read_string(&entry->dtype);
  }
  if (key == "shape") {
    return read_counts(reader, &entry->extents);
  }
  if (key == "data_offsets") {
    return read_counts(reader, &entry->offsets);
  }
  return reader.skip_value();
}

bool read_entry(JsonReader& reader, Entry* entry) {
  if (!reader.take('{')) {
    return false;
  }
  bool first = true;
  while (!reader.next_is('}')) {
    if ((!first && !reader.take(',')) || !read_member(reader, entry)) {
      return false;
    }
    first = false;
  }
  return reader.take('}');
}

bool read_header(std::string_view text, std::vector<Entry>* entries) {
  JsonReader reader(text);
  if (!reader.take('{')) {
    return false;
  }
  bool first = true;
  while (!reader.next_is('}')) {
    Entry entry;
    if ((!first && !reader.take(',')) || !reader.read_string(&entry.name) || !reader.take(':')) {
      return false;
    }
    first = false;
    if (entry.name == "__metadata__") {
      if (!reader.skip_value()) {
        return false;
      }
    } else if (read_entry(reader, &entry)) {
      entries->push_back(entry);
    } else {
      return false;
    }
  }
  return reader.take('}') && reader.at_end();
}

// Bytes that a tensor of these extents has, or -1 if that is more than `limit`.
std::int64_t tensor_bytes(const std::vector<std::int64_t>& extents, std::int64_t element_bytes, std::int64_t limit) {
  for (const std::int64_t extent : extents) {
    if (extent == 0) {
      return 0;
    }
  }
  std::int64_t bytes = element_bytes;
  for (const std::int64_t extent : extents) {
    if (extent > limit / bytes) {
      return -1;
    }
    bytes *= extent;
  }
  return bytes;
}

// A sentence on what is wrong with an entry, or nothing.
std::string check_entry(const Entry& entry, std::int64_t data_bytes) {
  const std::string what = "tensor \"" + entry.name + "\"";
  const DtypeName* dtype = find_dtype(entry.dtype);
  if (dtype == nullptr) {
    return what + " has dtype \"" + entry.dtype + "\", which is not supported.";
  }
  if (entry.offsets.size() != 2 || entry.offsets[0] > entry.offsets[1] || entry.offsets[1] > data_bytes) {
    return what + " lies outside the file.";
  }
  if (tensor_bytes(entry.extents, dtype->bytes, data_bytes) != entry.offsets[1] - entry.offsets[0]) {
    return what + " has a shape that does not fit its bytes.";
  }
  return "";
}

std::string read_entries(std::ifstream& file, std::int64_t file_bytes, std::int64_t* data_start,
                         std::vector<Entry>* entries) {
  unsigned char length_bytes[kLengthBytes];
  if (file_bytes < kLengthBytes || !file.read(reinterpret_cast<char*>(length_bytes), kLengthBytes)) {
    return "it is shorter than a safetensors header.";
  }
  std::uint64_t length = 0;
  for (int byte = kLengthBytes - 1; byte >= 0; --byte) {
    length = length << 8 | length_bytes[byte];
  }
  if (length > kLongestHeader || static_cast<std::int64_t>(length) > file_bytes - kLengthBytes) {
    return "its header is longer than the file.";
  }
  std::string header(length, '\0');
  if (!file.read(header.data(), static_cast<std::streamsize>(length)) || !read_header(header, entries)) {
    return "its header is not the JSON object that the format asks for.";
  }
  *data_start = kLengthBytes + static_cast<std::int64_t>(length);
  return "";
}

std::string read_all(std::ifstream& file, std::int64_t file_bytes, std::vector<SafeTensor>* tensors) {
  std::int64_t data_start = 0;
  std::vector<Entry> entries;
  std::string problem = read_entries(file, file_bytes, &data_start, &entries);
  std::set<std::string> names;
  for (const Entry& entry : entries) {
    if (problem.empty() && !names.insert(entry.name).second) {
      problem = "tensor \"" + entry.name + "\" is there twice.";
    }
    if (problem.empty()) {
      problem = check_entry(entry, file_bytes - data_start);
    }
    if (!problem.empty()) {
      return problem;
    }
    SafeTensor tensor{entry.name, find_dtype(entry.dtype)->dtype, entry.extents, {}};
    tensor.bytes.resize(static_cast<std::size_t>(entry.offsets[1] - entry.offsets[0]));
    file.seekg(data_start + entry.offsets[0]);
    if (!file.read(reinterpret_cast<char*>(tensor.bytes.data()), static_cast<std::streamsize>(tensor.bytes.size()))) {
      return "tensor \"" + entry.name + "\" cannot be read.";
    }
    tensors->push_back(std::move(tensor));
  }
  return problem;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", c);
      result += escape;
    } else {
      result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    }
  }
  return result + "\"";
}

std::string header_of(const std::vector<SafeTensor>& tensors) {
  std::string header = "{";
  std::size_t offset = 0;
  for (const SafeTensor& tensor : tensors) {
    header += header.size() > 1 ? "," : "";
    header += quoted(tensor.name) + ":{\"dtype\":\"" + find_dtype(tensor.dtype)->name + "\",\"shape\":[";
    for (std::size_t axis = 0; axis < tensor.extents.size(); ++axis) {
      header += (axis > 0 ? "," : "") + std::to_string(tensor.extents[axis]);
    }
    header += "],\"data_offsets\":[" + std::to_string(offset) + ",";
    offset += tensor.bytes.size();
    header += std::to_string(offset) + "]}";
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');  // the data start aligned
  return header;
}

}  // namespace

std::int64_t dtype_bytes(int dtype) {
  const DtypeName* entry = find_dtype(dtype);
  return entry == nullptr ? 0 : entry->bytes;
}

std::string read_safetensors(const std::string& path, std::vector<SafeTensor>* tensors) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    return path + " cannot be opened.";
  }
  const std::int64_t file_bytes = file.tellg();
  file.seekg(0);
  const std::string problem = read_all(file, file_bytes, tensors);
  return problem.empty() ? "" : path + " cannot be read: " + problem;
}

std::string write_safetensors(const std::string& path, const std::vector<SafeTensor>& tensors) {
  for (const SafeTensor& tensor : tensors) {
    if (find_dtype(tensor.dtype) == nullptr) {
      return "tensor \"" + tensor.name + "\" has a dtype that cannot be written.";
    }
  }
  std::ofstream file(path, std::ios::binary);
  const std::string header = header_of(tensors);
  for (int byte = 0; byte < kLengthBytes; ++byte) {
    file.put(static_cast<char>(header.size() >> (8 * byte) & 0xff));
  }
  file << header;
  for (const SafeTensor& tensor : tensors) {
    file.write(reinterpret_cast<const char*>(tensor.bytes.data()), static_cast<std::streamsize>(tensor.bytes.size()));
  }
  file.flush();
  return file ? "" : path + " cannot be written.";
}

}  // namespace stitch
