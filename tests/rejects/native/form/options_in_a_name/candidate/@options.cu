// SPDX-License-Identifier: Apache-2.0
-O3 -ffast-math -ffp-contract=fast program.cu
