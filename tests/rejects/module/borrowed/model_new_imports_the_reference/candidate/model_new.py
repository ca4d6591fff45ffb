# SPDX-License-Identifier: Apache-2.0
from program import Model


class ModelNew(Model):
    pass
