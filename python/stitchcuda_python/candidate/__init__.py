# SPDX-License-Identifier: Apache-2.0
"""What is known of a candidate in KernelBench's form without running it: what it must look like, and its source."""
