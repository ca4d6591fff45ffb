// SPDX-License-Identifier: Apache-2.0
// The store that an address names.
#pragma once

#include <memory>
#include <string>

#include "store/interface/store.h"

namespace stitch::store {

// "sqlite:FILE" or a file's name; "redis://HOST[:PORT][/DATABASE][?prefix=NAME&password-file=FILE]", a Valkey server
// likewise. A password in the address is refused: it would be seen in the list of processes. kUsage for other texts.
Result<std::unique_ptr<Store>> open_store(const std::string& url, const StoreOptions& options = {});

// The address checked, nothing opened.
Result<void> check_store_url(const std::string& url);

}  // namespace stitch::store
