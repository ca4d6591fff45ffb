// SPDX-License-Identifier: Apache-2.0
#include "base/hash/sha256.h"

#include <fmt/format.h>
#include <mbedtls/sha256.h>
#include <mbedtls/version.h>

#include <array>
#include <cstdint>

#include "base/error/check.h"

// mbed TLS 3 dropped the suffix of the functions that answer with a status.
#if MBEDTLS_VERSION_MAJOR >= 3
#define STITCH_MBEDTLS(name) name
#else
#define STITCH_MBEDTLS(name) name##_ret
#endif

namespace stitch {

struct Sha256::State {
  State() {
    mbedtls_sha256_init(&context);
    STITCH_CHECK(STITCH_MBEDTLS(mbedtls_sha256_starts)(&context, 0) == 0) << "SHA-256 did not start";
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { mbedtls_sha256_free(&context); }
  mbedtls_sha256_context context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::update(std::span<const std::byte> bytes) {
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  STITCH_CHECK(STITCH_MBEDTLS(mbedtls_sha256_update)(&state_->context, data, bytes.size()) == 0) << "SHA-256 failed";
}

void Sha256::update(std::string_view text) { update(std::as_bytes(std::span(text.data(), text.size()))); }

void Sha256::update_field(std::string_view text) {
  update(fmt::format("{}:", text.size()));
  update(text);
}

std::string Sha256::finish() {
  std::array<unsigned char, 32> digest{};
  STITCH_CHECK(STITCH_MBEDTLS(mbedtls_sha256_finish)(&state_->context, digest.data()) == 0) << "SHA-256 failed";
  std::string text;
  for (const unsigned char byte : digest) {
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

std::string sha256_hex(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return hash.finish();
}

}  // namespace stitch
