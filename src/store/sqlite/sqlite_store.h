// SPDX-License-Identifier: Apache-2.0
// The store as one SQLite file, for processes of one machine; beside it FILE.lock, SQLite's own and the bells.
#pragma once

#include <filesystem>
#include <memory>

#include "store/interface/store.h"

namespace stitch::store {

Result<std::unique_ptr<Store>> open_sqlite_store(const std::filesystem::path& file, const StoreOptions& options);

}  // namespace stitch::store
