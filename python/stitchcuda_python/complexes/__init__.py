# SPDX-License-Identifier: Apache-2.0
"""Complex numbers inside a program, as pairs of real tensors."""
