// SPDX-License-Identifier: Apache-2.0
#include "weights/tensor/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/process/descriptor.h"

namespace stitch::weights {

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& why) {
    return failure(ErrorCode::kFileInvalid, fmt::format("cannot read {}: {}", path.string(), why), path.string(),
                   "check the path and its permissions");
  };
  // Without O_NONBLOCK a named pipe would wait here for a writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts = {};
  if (file.get() < 0 || ::fstat(file.get(), &facts) != 0) {
    return refuse(std::strerror(errno));
  }
  if (!S_ISREG(facts.st_mode)) {
    return refuse("it is not a file");
  }
  const auto size = static_cast<size_t>(facts.st_size);
  if (size == 0) {
    return MappedFile({});
  }
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (mapped == MAP_FAILED) {
    return refuse(std::strerror(errno));
  }
  return MappedFile({static_cast<const std::byte*>(mapped), size});
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) {
    ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
}

void forget_pages(std::span<const std::byte> bytes) {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<uintptr_t>(bytes.data()) + page - 1) / page * page;
  const auto end = (reinterpret_cast<uintptr_t>(bytes.data()) + bytes.size()) / page * page;
  if (begin < end) {
    ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
}

}  // namespace stitch::weights
