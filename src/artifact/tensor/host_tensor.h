// SPDX-License-Identifier: Apache-2.0
// A tensor's contents: a read-only memory mapping of a file of raw row-major elements, or owned bytes; or the place of
// another process's memory where they stay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "artifact/tensor/tensor_spec.h"

namespace stitch {

// `handle` is what cudaIpc calls a block of GPU memory, in hexadecimal; or a file's path, which begins with a slash.
struct TensorPlace {
  std::string handle;
  uint64_t offset = 0;  // of the first element
};

class HostTensor {
 public:
  // Maps `path`, whose size must be exactly spec.type.bytes().
  static Result<HostTensor> map_file(TensorSpec spec, const std::filesystem::path& path);
  static HostTensor from_bytes(TensorSpec spec, std::vector<std::byte> bytes);
  // Nobody may ask for its bytes().
  static HostTensor at_place(TensorSpec spec, TensorPlace place);

  const TensorSpec& spec() const { return spec_; }
  std::span<const std::byte> bytes() const;
  // Null where bytes() are here.
  const TensorPlace* place() const { return place_.get(); }

 private:
  struct Storage;
  TensorSpec spec_;
  std::shared_ptr<const TensorPlace> place_;
  std::shared_ptr<const Storage> storage_;  // shared by copies of this tensor; contents never change
};

}  // namespace stitch
