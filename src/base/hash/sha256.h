// SPDX-License-Identifier: Apache-2.0
// SHA-256, for keys of what is kept by content.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace stitch {

class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();

  void update(std::string_view text);
  void update(std::span<const std::byte> bytes);
  // Adds a length and then the text, so that {"ab", "c"} and {"a", "bc"} differ.
  void update_field(std::string_view text);
  // 64 lower-case hexadecimal digits. Ends the computation: only destruction may follow.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_hex(std::string_view text);

}  // namespace stitch
