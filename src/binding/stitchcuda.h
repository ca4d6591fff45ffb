/* SPDX-License-Identifier: Apache-2.0
 * stitchcuda in your own process: what it decides without running any candidate code. libstitchcuda.so, plain C.
 *
 *   char* answer = stitchcuda_ask("{\"verb\": \"plan\", \"graph\": \"graph.ir\"}", 37);
 *   ... stitchcuda_free(answer);
 *
 * docs/formats.md lists the requests. Any thread may ask at any time: requests share nothing. No process is started, no
 * signal handled, no environment variable set. A mistake of stitchcuda's own ends the process, with a sentence. */
#ifndef STITCHCUDA_H
#define STITCHCUDA_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header. It is raised when something here or a request changes so that a caller would notice. */
#define STITCHCUDA_INTERFACE 1

/* That of the library; where it is another one than STITCHCUDA_INTERFACE, ask nothing. */
int stitchcuda_interface(void);

/* `request`: a JSON object of `bytes` bytes in UTF-8, read during the call only. The answer is a JSON object that ends
 * with a zero byte and is the caller's, until stitchcuda_free(); with a member "error" {code, sentence, place, remedy}
 * where there is none to give. NULL where memory ran out. */
char* stitchcuda_ask(const char* request, size_t bytes);

/* Takes NULL, too. */
void stitchcuda_free(char* answer);

#ifdef __cplusplus
}
#endif

#endif
