// SPDX-License-Identifier: Apache-2.0
#ifndef __x86_64__

#include <boost/context/detail/fcontext.hpp>

#include "fiber/switch.h"

namespace stitch_emulator {
namespace {

using boost::context::detail::transfer_t;

void (*entry_of_new_context)() = nullptr;

void enter(transfer_t transfer) {
  *static_cast<Context*>(transfer.data) = transfer.fctx;
  entry_of_new_context();
}

}  // namespace

// One entry serves all fibers, so it need not be kept for each.
Context make_context(char* top, size_t bytes, void (*entry)()) {
  entry_of_new_context = entry;
  return boost::context::detail::make_fcontext(top, bytes, enter);
}

void switch_context(Context* from, Context to) {
  const transfer_t transfer = boost::context::detail::jump_fcontext(to, from);
  *static_cast<Context*>(transfer.data) = transfer.fctx;
}

}  // namespace stitch_emulator

#endif
