# SPDX-License-Identifier: Apache-2.0
"""The disposable process that runs one ModelNew on memory it is lent. It holds no answer, no seed and no clock, and
nobody believes what it says: it shares no code with what imports, answers or compares."""
