# SPDX-License-Identifier: Apache-2.0
"""The requests that the server answers, one file each."""
