# SPDX-License-Identifier: Apache-2.0
"""What a generated program is handed over as: a library behind a C ABI, a module, a single file."""
