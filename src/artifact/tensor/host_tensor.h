// SPDX-License-Identifier: Apache-2.0
// A tensor's contents on the host: a read-only memory mapping of a file of raw row-major elements, or owned bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "artifact/tensor/tensor_spec.h"

namespace stitch {

class HostTensor {
 public:
  // Maps `path`, whose size must be exactly spec.type.bytes().
  static Result<HostTensor> map_file(TensorSpec spec, const std::filesystem::path& path);
  static HostTensor from_bytes(TensorSpec spec, std::vector<std::byte> bytes);

  const TensorSpec& spec() const { return spec_; }
  std::span<const std::byte> bytes() const;

 private:
  struct Storage;
  TensorSpec spec_;
  std::shared_ptr<const Storage> storage_;  // shared by copies of this tensor; contents never change
};

}  // namespace stitch
