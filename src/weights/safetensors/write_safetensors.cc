// SPDX-License-Identifier: Apache-2.0
#include "weights/safetensors/write_safetensors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "base/process/descriptor.h"

namespace stitch::weights {
namespace {

constexpr size_t kHeaderAlignment = 8;

std::vector<const TensorView*> in_file_order(std::span<const TensorView> tensors) {
  std::vector<const TensorView*> ordered;
  for (const TensorView& tensor : tensors) {
    ordered.push_back(&tensor);
  }
  std::stable_sort(ordered.begin(), ordered.end(), [](const TensorView* a, const TensorView* b) {
    return a->dtype != b->dtype ? a->dtype > b->dtype : a->name < b->name;
  });
  return ordered;
}

// The length of the header, and the header.
std::string head_of(const std::vector<const TensorView*>& ordered, const std::map<std::string, std::string>& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) {
    header["__metadata__"] = metadata;
  }
  size_t offset = 0;
  for (const TensorView* tensor : ordered) {
    const Result<int64_t> bytes = byte_count(tensor->dtype, tensor->shape);
    STITCH_CHECK(bytes.has_value() && static_cast<size_t>(*bytes) == tensor->bytes.size() &&
                 tensor->dtype <= DType::kU64 && !header.contains(tensor->name))
        << "a tensor that is no safetensors tensor: " << tensor->name;
    Json& entry = header[tensor->name];
    entry["dtype"] = to_string(tensor->dtype);
    entry["shape"] = tensor->shape;
    entry["data_offsets"] = {offset, offset + tensor->bytes.size()};
    offset += tensor->bytes.size();
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + kHeaderAlignment - 1) / kHeaderAlignment * kHeaderAlignment, ' ');
  const uint64_t length = text.size();
  std::string head(sizeof length, '\0');
  std::memcpy(head.data(), &length, sizeof length);
  return head + text;
}

bool write_fully(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return false;
    }
    bytes = bytes.subspan(static_cast<size_t>(std::max<ssize_t>(written, 0)));
  }
  return true;
}

bool write_parts(const std::filesystem::path& path, const std::string& head,
                 const std::vector<const TensorView*>& ordered) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file.is_open() || !write_fully(file.get(), std::as_bytes(std::span(head)))) {
    return false;
  }
  for (const TensorView* tensor : ordered) {
    if (!write_fully(file.get(), tensor->bytes)) {
      return false;
    }
  }
  return ::fsync(file.get()) == 0;
}

}  // namespace

Result<void> write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                               const std::map<std::string, std::string>& metadata) {
  const std::vector<const TensorView*> ordered = in_file_order(tensors);
  const std::string head = head_of(ordered, metadata);
  if (path.has_parent_path()) {
    STITCH_TRY(make_directories(path.parent_path()));
  }
  const std::filesystem::path fresh = fmt::format("{}.{}.tmp", path.string(), ::getpid());
  if (!write_parts(fresh, head, ordered) || ::rename(fresh.c_str(), path.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    ::unlink(fresh.c_str());
    return failure(ErrorCode::kEnvironment, fmt::format("cannot write {}: {}", path.string(), why), path.string(),
                   "free some disk space or choose another folder");
  }
  return {};
}

}  // namespace stitch::weights
