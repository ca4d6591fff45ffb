// SPDX-License-Identifier: Apache-2.0
// Thrust.
// expect: refused
// says: {HERE}:
// says: thrust/ headers are not supported
#include <thrust/reduce.h>  // HERE

int main() { return 0; }
