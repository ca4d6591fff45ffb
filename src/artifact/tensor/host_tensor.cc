// SPDX-License-Identifier: Apache-2.0
#include "artifact/tensor/host_tensor.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace stitch {

struct HostTensor::Storage {
  explicit Storage(std::vector<std::byte> bytes) : owned(std::move(bytes)), view(owned) {}
  Storage(void* address, size_t bytes) : mapping(address), view(static_cast<const std::byte*>(address), bytes) {}
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage() {
    if (mapping != nullptr) {
      munmap(mapping, view.size());
    }
  }

  std::vector<std::byte> owned;
  void* mapping = nullptr;
  std::span<const std::byte> view;
};

Result<HostTensor> HostTensor::map_file(TensorSpec spec, const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return failure(ErrorCode::kEnvironment, "cannot open tensor file: " + std::string(std::strerror(errno)),
                   path.string());
  }
  struct stat status = {};
  const bool has_status = fstat(descriptor, &status) == 0;
  const auto expected = static_cast<size_t>(spec.type.bytes());
  if (!has_status || static_cast<size_t>(status.st_size) != expected) {
    close(descriptor);
    return failure(ErrorCode::kFileInvalid,
                   "tensor file holds " + std::to_string(status.st_size) + " bytes where " + spec.name + " has " +
                       std::to_string(expected),
                   path.string());
  }
  HostTensor tensor;
  tensor.spec_ = std::move(spec);
  if (expected == 0) {  // mmap refuses empty mappings
    close(descriptor);
    tensor.storage_ = std::make_shared<const Storage>(std::vector<std::byte>{});
    return tensor;
  }
  void* address = mmap(nullptr, expected, PROT_READ, MAP_SHARED, descriptor, 0);
  const int map_error = errno;
  close(descriptor);
  if (address == MAP_FAILED) {
    return failure(ErrorCode::kEnvironment, "cannot map tensor file: " + std::string(std::strerror(map_error)),
                   path.string());
  }
  tensor.storage_ = std::make_shared<const Storage>(address, expected);
  return tensor;
}

HostTensor HostTensor::from_bytes(TensorSpec spec, std::vector<std::byte> bytes) {
  STITCH_CHECK(static_cast<int64_t>(bytes.size()) == spec.type.bytes())
      << spec.name << " has " << spec.type.bytes() << " bytes, got " << bytes.size();
  HostTensor tensor;
  tensor.spec_ = std::move(spec);
  tensor.storage_ = std::make_shared<const Storage>(std::move(bytes));
  return tensor;
}

HostTensor HostTensor::at_place(TensorSpec spec, TensorPlace place) {
  HostTensor tensor;
  tensor.spec_ = std::move(spec);
  tensor.place_ = std::make_shared<const TensorPlace>(std::move(place));
  return tensor;
}

std::span<const std::byte> HostTensor::bytes() const {
  STITCH_CHECK(place_ == nullptr) << spec_.name << " is not in this process";
  return storage_ == nullptr ? std::span<const std::byte>{} : storage_->view;
}

}  // namespace stitch
