# SPDX-License-Identifier: Apache-2.0
"""What stitchcuda docs knows, and how it is asked."""
