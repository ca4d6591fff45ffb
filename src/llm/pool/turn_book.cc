// SPDX-License-Identifier: Apache-2.0
#include "llm/pool/turn_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/error/check.h"

namespace stitch::llm {
namespace {

constexpr size_t kMaxLines = 10'000;

// "waits 7 4711 123456 BOOT", "served 7 4711 123456 BOOT"
bool take_ticket(std::istringstream& words, bool is_served, TurnBook& book) {
  Ticket ticket{.is_served = is_served};
  int64_t pid = 0;
  if (!(words >> ticket.number >> pid >> ticket.owner.start_ticks >> ticket.owner.boot) || pid <= 0 ||
      (!book.tickets.empty() && book.tickets.back().number >= ticket.number)) {
    return false;
  }
  ticket.owner.pid = static_cast<pid_t>(pid);
  book.tickets.push_back(std::move(ticket));
  return true;
}

// "sent 6 1764000000000 5120"
bool take_sent(std::istringstream& words, TurnBook& book) {
  SentRequest sent;
  if (!(words >> sent.number >> sent.at_ms >> sent.tokens) || sent.tokens < 0 ||
      (!book.sent.empty() && book.sent.back().at_ms > sent.at_ms)) {
    return false;
  }
  book.sent.push_back(sent);
  return true;
}

int64_t wait_for_requests(const TurnBook& book, int64_t per_minute, int64_t now_ms) {
  const auto sent = static_cast<int64_t>(book.sent.size());
  return per_minute <= 0 || sent < per_minute
             ? 0
             : book.sent[static_cast<size_t>(sent - per_minute)].at_ms + kMinuteMs - now_ms;
}

int64_t wait_for_tokens(const TurnBook& book, int64_t per_minute, int64_t tokens, int64_t now_ms) {
  int64_t total = tokens;
  for (const SentRequest& each : book.sent) {
    total += each.tokens;
  }
  int64_t wait_ms = 0;
  for (const SentRequest& each : book.sent) {
    if (per_minute <= 0 || total <= per_minute) {
      break;
    }
    total -= each.tokens;
    wait_ms = each.at_ms + kMinuteMs - now_ms;
  }
  return wait_ms;
}

}  // namespace

std::string to_text(const TurnBook& book) {
  std::string text = fmt::format("closed {}\n", book.closed_until_ms);
  for (const SentRequest& each : book.sent) {
    text += fmt::format("sent {} {} {}\n", each.number, each.at_ms, each.tokens);
  }
  for (const Ticket& each : book.tickets) {
    text += fmt::format("{} {} {} {} {}\n", each.is_served ? "served" : "waits", each.number, each.owner.pid,
                        each.owner.start_ticks, each.owner.boot);
  }
  return text;
}

TurnBook turn_book_from_text(std::string_view text) {
  TurnBook book;
  std::istringstream lines{std::string(text)};
  size_t count = 0;
  for (std::string line; count < kMaxLines && std::getline(lines, line); ++count) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "waits" || kind == "served") {
      take_ticket(words, kind == "served", book);
    } else if (kind == "sent") {
      take_sent(words, book);
    } else if (kind == "closed" && !(words >> book.closed_until_ms)) {
      book.closed_until_ms = 0;
    }
  }
  return book;
}

void tidy(TurnBook& book, int64_t now_ms, const std::function<bool(const ProcessIdentity&)>& is_there) {
  std::erase_if(book.tickets, [&](const Ticket& each) { return !is_there(each.owner); });
  std::erase_if(book.sent,
                [&](const SentRequest& each) { return each.at_ms > now_ms || each.at_ms <= now_ms - kMinuteMs; });
  book.closed_until_ms = book.closed_until_ms > now_ms + kMaxClosedMs ? 0 : book.closed_until_ms;
}

int64_t add_ticket(TurnBook& book, const ProcessIdentity& owner) {
  int64_t last = book.tickets.empty() ? 0 : book.tickets.back().number;
  for (const SentRequest& each : book.sent) {
    last = std::max(last, each.number);
  }
  book.tickets.push_back({.number = last + 1, .owner = owner});
  return last + 1;
}

Ticket* find_ticket(TurnBook& book, int64_t number) {
  const auto found =
      std::find_if(book.tickets.begin(), book.tickets.end(), [&](const Ticket& each) { return each.number == number; });
  return found == book.tickets.end() ? nullptr : &*found;
}

void remove_ticket(TurnBook& book, int64_t number) {
  std::erase_if(book.tickets, [&](const Ticket& each) { return each.number == number; });
}

std::optional<int64_t> wait_of(const TurnBook& book, int64_t number, const PoolLimits& limits, int64_t tokens,
                               int64_t now_ms) {
  int64_t served = 0;
  for (const Ticket& each : book.tickets) {
    if (!each.is_served && each.number < number) {
      return std::nullopt;
    }
    served += each.is_served ? 1 : 0;
  }
  if (limits.concurrency > 0 && served >= limits.concurrency) {
    return std::nullopt;
  }
  return std::max({int64_t{0}, book.closed_until_ms - now_ms,
                   wait_for_requests(book, limits.requests_per_minute, now_ms),
                   wait_for_tokens(book, limits.tokens_per_minute, tokens, now_ms)});
}

void serve(TurnBook& book, int64_t number, int64_t tokens, int64_t now_ms) {
  Ticket* ticket = find_ticket(book, number);
  STITCH_CHECK(ticket != nullptr) << "ticket " << number << " is not in the book";
  ticket->is_served = true;
  book.sent.push_back({number, now_ms, tokens});
}

}  // namespace stitch::llm
