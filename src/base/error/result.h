// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or the Error that kept us from it. Names follow std::expected so that a later switch is an alias.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "base/error/check.h"
#include "base/error/error.h"

namespace stitch {

struct [[nodiscard]] Unexpected {
  Error error;
};

// return failure(ErrorCode::kEnvironment, "nvcc was not found", "PATH", "install the CUDA toolkit 13.0");
inline Unexpected failure(ErrorCode code, std::string message, std::string location = {}, std::string remedy = {}) {
  return Unexpected{Error{code, std::move(message), std::move(location), std::move(remedy)}};
}
inline Unexpected failure(Error error) { return Unexpected{std::move(error)}; }

namespace internal {
// Out of line, so that each use of a Result is a test and a call. Both abort.
[[noreturn]] void value_of_failed_result(const Error& error);
[[noreturn]] void error_of_successful_result();
}  // namespace internal

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}                   // NOLINT: implicit by design
  Result(Unexpected failed) : state_(std::in_place_index<1>, std::move(failed.error)) {}  // NOLINT: implicit by design

  bool has_value() const { return state_.index() == 0; }

  T& value() & {
    if (!has_value()) {
      internal::value_of_failed_result(*std::get_if<1>(&state_));
    }
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    if (!has_value()) {
      internal::value_of_failed_result(*std::get_if<1>(&state_));
    }
    return *std::get_if<0>(&state_);
  }
  T&& value() && { return std::move(value()); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& {
    if (has_value()) {
      internal::error_of_successful_result();
    }
    return *std::get_if<1>(&state_);
  }
  Error&& error() && { return std::move(const_cast<Error&>(std::as_const(*this).error())); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Unexpected failed) : error_(std::move(failed.error)) {}  // NOLINT: implicit by design

  bool has_value() const { return !error_.has_value(); }
  const Error& error() const& {
    if (has_value()) {
      internal::error_of_successful_result();
    }
    return *error_;
  }
  Error&& error() && { return std::move(const_cast<Error&>(std::as_const(*this).error())); }

 private:
  std::optional<Error> error_;
};

}  // namespace stitch

#define STITCH_CONCAT_INNER(a, b) a##b
#define STITCH_CONCAT(a, b) STITCH_CONCAT_INNER(a, b)

// STITCH_TRY(write_file(path, text));                 leaves the function with the error, if there is one
#define STITCH_TRY(expression)                                        \
  do {                                                                \
    if (auto stitch_try = (expression); !stitch_try.has_value()) {    \
      return ::stitch::Unexpected{std::move(stitch_try).error()};     \
    }                                                                 \
  } while (false)

// STITCH_ASSIGN(const auto text, read_file(path));    ... and otherwise declares the value
#define STITCH_ASSIGN(declaration, expression) \
  STITCH_ASSIGN_INNER(declaration, expression, STITCH_CONCAT(stitch_result_, __COUNTER__))
#define STITCH_ASSIGN_INNER(declaration, expression, name) \
  auto name = (expression);                                \
  if (!name.has_value()) {                                 \
    return ::stitch::Unexpected{std::move(name).error()};  \
  }                                                        \
  declaration = std::move(name).value()
