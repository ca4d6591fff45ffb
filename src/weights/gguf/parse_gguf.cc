// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <set>

#include "base/text/printable.h"
#include "weights/gguf/gguf_file.h"

namespace stitch::weights {
namespace {

constexpr size_t kMaxAxes = 4;        // GGML_MAX_DIMS
constexpr size_t kMaxNameBytes = 64;  // GGML_MAX_NAME
constexpr size_t kMaxKeyBytes = 65535;
constexpr int64_t kDefaultAlignment = 32;
// Ten times what the largest vocabularies take. What is read of it takes eight times as much memory at most.
constexpr size_t kMaxHeaderBytesOfGguf = size_t{1} << 27;

Unexpected bad_gguf(std::string why) { return failure(ErrorCode::kFileInvalid, std::move(why)); }
Unexpected cut_short() { return bad_gguf("it ends in the middle of its header, or that has more than 128 MiB"); }

// Takes values off the front of the file.
class GgufReader {
 public:
  explicit GgufReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename Number>
  Result<Number> take() {
    if (left() < sizeof(Number)) {
      return cut_short();
    }
    Number value{};
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  Result<std::string> take_text(size_t max_bytes) {
    STITCH_ASSIGN(const uint64_t length, take<uint64_t>());
    if (length > left()) {
      return cut_short();
    }
    if (length > max_bytes) {
      return bad_gguf(fmt::format("a name of {} bytes is longer than the format allows", length));
    }
    std::string text(reinterpret_cast<const char*>(bytes_.data()) + at_, static_cast<size_t>(length));
    at_ += static_cast<size_t>(length);
    return text;
  }

  // A count of things that take at least `bytes_each` here, so that nobody makes us reserve what the file cannot hold.
  Result<size_t> take_count(size_t bytes_each) {
    STITCH_ASSIGN(const uint64_t count, take<uint64_t>());
    if (count > left() / bytes_each) {
      return cut_short();
    }
    return static_cast<size_t>(count);
  }

  size_t at() const { return at_; }
  size_t left() const { return bytes_.size() - at_; }

 private:
  std::span<const std::byte> bytes_;
  size_t at_ = 0;
};

enum GgufType : uint32_t { kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kText, kArray, kU64, kI64, kF64, kTypes };

size_t bytes_of(uint32_t type) {
  constexpr size_t kBytes[kTypes] = {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};
  return kBytes[type];
}

template <typename Number>
Result<int64_t> taken_integer(GgufReader& reader) {
  STITCH_ASSIGN(const Number value, reader.take<Number>());
  if (!std::in_range<int64_t>(value)) {
    return bad_gguf("a number does not fit 63 bits");
  }
  return static_cast<int64_t>(value);
}

Result<int64_t> take_integer(GgufReader& reader, uint32_t type) {
  switch (type) {
    case kU8:
    case kBool:
      return taken_integer<uint8_t>(reader);
    case kI8:
      return taken_integer<int8_t>(reader);
    case kU16:
      return taken_integer<uint16_t>(reader);
    case kI16:
      return taken_integer<int16_t>(reader);
    case kU32:
      return taken_integer<uint32_t>(reader);
    case kI32:
      return taken_integer<int32_t>(reader);
    case kU64:
      return taken_integer<uint64_t>(reader);
    default:
      return taken_integer<int64_t>(reader);
  }
}

Result<double> take_number(GgufReader& reader, uint32_t type) {
  if (type == kF64) {
    return reader.take<double>();
  }
  STITCH_ASSIGN(const float value, reader.take<float>());
  return static_cast<double>(value);
}

template <typename Item, typename Take>
Result<GgufValue> take_items(size_t count, const Take& take) {
  std::vector<Item> items;
  items.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    STITCH_ASSIGN(Item item, take());
    items.push_back(std::move(item));
  }
  return GgufValue(std::move(items));
}

Result<GgufValue> take_array(GgufReader& reader) {
  STITCH_ASSIGN(const uint32_t type, reader.take<uint32_t>());
  if (type >= kTypes || type == kArray) {
    return bad_gguf("an array of metadata holds what is no value");
  }
  STITCH_ASSIGN(const size_t count, reader.take_count(bytes_of(type)));
  if (type == kText) {
    return take_items<std::string>(count, [&] { return reader.take_text(SIZE_MAX); });
  }
  if (type == kF32 || type == kF64) {
    return take_items<double>(count, [&] { return take_number(reader, type); });
  }
  return take_items<int64_t>(count, [&] { return take_integer(reader, type); });
}

Result<GgufValue> take_value(GgufReader& reader) {
  STITCH_ASSIGN(const uint32_t type, reader.take<uint32_t>());
  if (type >= kTypes) {
    return bad_gguf(fmt::format("its metadata has a value of unknown type {}", type));
  }
  if (type == kArray) {
    return take_array(reader);
  }
  if (type == kText) {
    STITCH_ASSIGN(std::string text, reader.take_text(SIZE_MAX));
    return GgufValue(std::move(text));
  }
  if (type == kF32 || type == kF64) {
    STITCH_ASSIGN(const double number, take_number(reader, type));
    return GgufValue(number);
  }
  STITCH_ASSIGN(const int64_t integer, take_integer(reader, type));
  return type == kBool ? GgufValue(integer != 0) : GgufValue(integer);
}

// ggml's numbers of types.
std::optional<DType> ggml_dtype(uint32_t number) {
  switch (number) {
    case 0:
      return DType::kF32;
    case 1:
      return DType::kF16;
    case 2:
      return DType::kQ4_0;
    case 3:
      return DType::kQ4_1;
    case 6:
      return DType::kQ5_0;
    case 7:
      return DType::kQ5_1;
    case 8:
      return DType::kQ8_0;
    case 10:
      return DType::kQ2_K;
    case 11:
      return DType::kQ3_K;
    case 12:
      return DType::kQ4_K;
    case 13:
      return DType::kQ5_K;
    case 14:
      return DType::kQ6_K;
    case 24:
      return DType::kI8;
    case 25:
      return DType::kI16;
    case 26:
      return DType::kI32;
    case 27:
      return DType::kI64;
    case 28:
      return DType::kF64;
    case 30:
      return DType::kBF16;
    default:
      return std::nullopt;
  }
}

struct StoredTensor {
  TensorView view;
  uint64_t begin = 0;
};

Unexpected bad_stored(const std::string& name, const std::string& why) {
  return bad_gguf(fmt::format("tensor \"{}\": {}", printable_line(name, kMaxNameBytes), why));
}

Result<StoredTensor> take_tensor(GgufReader& reader) {
  StoredTensor tensor;
  STITCH_ASSIGN(tensor.view.name, reader.take_text(kMaxNameBytes));
  STITCH_ASSIGN(const uint32_t axes, reader.take<uint32_t>());
  if (axes < 1 || axes > kMaxAxes) {
    return bad_stored(tensor.view.name, fmt::format("it has {} axes", axes));
  }
  for (uint32_t i = 0; i < axes; ++i) {
    STITCH_ASSIGN(const uint64_t extent, reader.take<uint64_t>());
    if (!std::in_range<int64_t>(extent)) {
      return bad_stored(tensor.view.name, "an axis is longer than any file");
    }
    tensor.view.shape.insert(tensor.view.shape.begin(), static_cast<int64_t>(extent));
  }
  STITCH_ASSIGN(const uint32_t type, reader.take<uint32_t>());
  STITCH_ASSIGN(tensor.begin, reader.take<uint64_t>());
  const std::optional<DType> dtype = ggml_dtype(type);
  if (!dtype.has_value()) {
    return failure(ErrorCode::kUnsupportedOperator,
                   fmt::format("tensor \"{}\" has ggml's type {}, which is not read here",
                               printable_line(tensor.view.name, kMaxNameBytes), type),
                   "", "choose a file with weights of F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 or Q2_K to Q6_K");
  }
  tensor.view.dtype = *dtype;
  return tensor;
}

Result<int64_t> alignment_of(const GgufHeader& header) {
  const auto found = header.values.find("general.alignment");
  if (found == header.values.end()) {
    return kDefaultAlignment;
  }
  const auto* value = std::get_if<int64_t>(&found->second);
  if (value == nullptr || *value < 1 || *value > (1 << 20) || !std::has_single_bit(static_cast<uint64_t>(*value))) {
    return bad_gguf("its general.alignment is no power of two");
  }
  return *value;
}

Result<std::vector<TensorView>> placed_in(std::vector<StoredTensor> tensors, std::span<const std::byte> data,
                                          uint64_t alignment) {
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const StoredTensor& a, const StoredTensor& b) { return a.begin < b.begin; });
  std::set<std::string> names;
  std::vector<TensorView> views;
  uint64_t covered = 0;
  for (StoredTensor& each : tensors) {
    const std::string& name = each.view.name;
    if (!names.insert(name).second) {
      return bad_stored(name, "the name is there twice");
    }
    const Result<int64_t> bytes = byte_count(each.view.dtype, each.view.shape);
    if (!bytes.has_value()) {
      return bad_stored(name, bytes.error().message);
    }
    if (each.begin % alignment != 0) {
      return bad_stored(name, fmt::format("its bytes do not begin at a multiple of {}", alignment));
    }
    if (each.begin < covered) {
      return bad_stored(name, "its bytes overlap those of another tensor");
    }
    if (each.begin > data.size() || static_cast<uint64_t>(*bytes) > data.size() - each.begin) {
      return bad_stored(name, "its bytes end behind the end of the file");
    }
    each.view.bytes = data.subspan(static_cast<size_t>(each.begin), static_cast<size_t>(*bytes));
    covered = each.begin + static_cast<uint64_t>(*bytes);
    views.push_back(std::move(each.view));
  }
  return views;
}

Result<void> take_preamble(GgufReader& reader) {
  STITCH_ASSIGN(const uint32_t magic, reader.take<uint32_t>());
  if (magic != 0x46554747) {  // "GGUF"
    return bad_gguf("it does not begin with GGUF");
  }
  STITCH_ASSIGN(const uint32_t version, reader.take<uint32_t>());
  if (version != 2 && version != 3) {
    return failure(ErrorCode::kUnsupportedOperator,
                   fmt::format("its version of GGUF is {}{}; 2 and 3 are read here", version,
                               version % 65536 == 0 ? " (big-endian?)" : ""),
                   "", "convert the model again with a current llama.cpp");
  }
  return {};
}

}  // namespace

Result<GgufHeader> parse_gguf(std::span<const std::byte> bytes) {
  GgufReader reader(bytes.first(std::min(bytes.size(), kMaxHeaderBytesOfGguf)));
  GgufHeader header;
  STITCH_TRY(take_preamble(reader));
  STITCH_ASSIGN(const size_t tensor_count, reader.take_count(1));
  STITCH_ASSIGN(const size_t value_count, reader.take_count(1));
  for (size_t i = 0; i < value_count; ++i) {
    STITCH_ASSIGN(std::string key, reader.take_text(kMaxKeyBytes));
    STITCH_ASSIGN(GgufValue value, take_value(reader));
    if (!header.values.emplace(key, std::move(value)).second) {
      return bad_gguf(fmt::format("its metadata names \"{}\" twice", printable_line(key, kMaxNameBytes)));
    }
  }
  std::vector<StoredTensor> tensors;
  for (size_t i = 0; i < tensor_count; ++i) {
    STITCH_ASSIGN(StoredTensor tensor, take_tensor(reader));
    tensors.push_back(std::move(tensor));
  }
  STITCH_ASSIGN(const int64_t alignment, alignment_of(header));
  const auto step = static_cast<size_t>(alignment);
  const size_t begin = std::min((reader.at() + step - 1) / step * step, bytes.size());
  STITCH_ASSIGN(header.tensors, placed_in(std::move(tensors), bytes.subspan(begin), step));
  return header;
}

}  // namespace stitch::weights
