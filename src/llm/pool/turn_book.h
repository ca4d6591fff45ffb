// SPDX-License-Identifier: Apache-2.0
// Who waits for an endpoint and who is being answered, in order of arrival, and what the last minute held: as a file
// keeps it, and when the next may go. Pure: the clock and what processes there are are arguments.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process/identity.h"
#include "llm/pool/pool_use.h"

namespace stitch::llm {

inline constexpr int64_t kMinuteMs = 60'000;
inline constexpr int64_t kMaxClosedMs = 600'000;  // what a server asks for beyond it is not believed

struct Ticket {
  int64_t number = 0;  // no two alike; those who came later have greater ones
  ProcessIdentity owner{};
  bool is_served = false;
};

struct SentRequest {
  int64_t number = 0;  // of its ticket
  int64_t at_ms = 0;   // since 1970
  int64_t tokens = 0;  // the worst case while it is answered, then what it came to
};

struct TurnBook {
  std::vector<Ticket> tickets{};    // by number
  std::vector<SentRequest> sent{};  // by time
  int64_t closed_until_ms = 0;      // the server asked to be left alone until then
};

std::string to_text(const TurnBook& book);
// What cannot be read is left out: whoever misses the own ticket takes another.
TurnBook turn_book_from_text(std::string_view text);

// Takes out who is gone and what is older than a minute, or later than now: the clock was set back.
void tidy(TurnBook& book, int64_t now_ms, const std::function<bool(const ProcessIdentity&)>& is_there);

// Its number.
int64_t add_ticket(TurnBook& book, const ProcessIdentity& owner);
Ticket* find_ticket(TurnBook& book, int64_t number);
void remove_ticket(TurnBook& book, int64_t number);

// How long the ticket has to wait for the clock alone, 0: it may go; nothing: for others. `tokens`: the worst that the
// request can take. A request beyond tokens_per_minute goes when the last minute is empty.
std::optional<int64_t> wait_of(const TurnBook& book, int64_t number, const PoolLimits& limits, int64_t tokens,
                               int64_t now_ms);
// The ticket, which may go, is served from now on.
void serve(TurnBook& book, int64_t number, int64_t tokens, int64_t now_ms);

}  // namespace stitch::llm
