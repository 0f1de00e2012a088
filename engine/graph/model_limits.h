/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every cap on untrusted model bytes, in one place.  A file above a cap gives VRS_ELIMIT with the number; within the caps no product of
 * sizes leaves 64 bits, and the time and memory of an import grow linearly with the file.  Constants of a session grow with the file and the inputs.
 */
#ifndef VRS_GRAPH_MODEL_LIMITS_H
#define VRS_GRAPH_MODEL_LIMITS_H

#include <stdint.h>

#define VRS_MODEL_MAX_FILE_BYTES ((size_t)512 << 20)
#define VRS_MODEL_MAX_TENSORS 32768
#define VRS_MODEL_MAX_NODES 16384
#define VRS_MODEL_MAX_BUFFERS 65536
#define VRS_MODEL_MAX_OPCODES 1024
#define VRS_MODEL_MAX_DIM ((int64_t)1 << 24)      /* one dimension of a tensor */
#define VRS_MODEL_MAX_ELEMENTS ((int64_t)1 << 31) /* one tensor */
#define VRS_MODEL_MAX_WINDOW 65536                /* kernel, stride, dilation and pads, each */
/*
 * Bytes of all constants after import, as a multiple of the file: float16 weights double, and folding a constant expression may spread a
 * small operand over a large one.  Many tensors over one buffer would otherwise grow a small file without end.
 */
#define VRS_MODEL_MAX_CONST_FACTOR 8
#define VRS_MODEL_MIN_CONST_BYTES ((size_t)1 << 20) /* allowed whatever the size of the file */
/*
 * Bytes that the constants of a session may take besides those of the import: what follows from sizes, and weights that a pass turns or scales (a
 * copy each).  So many times those of the import, so many times the inputs (grids of coordinates), and a number for all.
 */
#define VRS_SESSION_MAX_CONST_FACTOR 4
#define VRS_SESSION_MAX_INPUT_FACTOR 16
#define VRS_SESSION_MIN_CONST_BYTES ((size_t)64 << 20)
/*
 * Operations on constants in an import, and again in a session: products and taps of folds, weights that are scaled.  So many for each byte of the
 * constants, and a number for all (a third of a second); beyond it a node runs every time.
 */
#define VRS_MODEL_MAX_WORK_FACTOR 64
#define VRS_MODEL_MIN_WORK ((uint64_t)1 << 28)

/* Messages of an ONNX file: parts within parts (a network within a node counts three), fields in all, and bytes that they may take unpacked. */
#define VRS_MODEL_MAX_NESTING 40
#define VRS_MODEL_MAX_FIELDS ((size_t)1 << 24)
#define VRS_MODEL_MAX_MESSAGE_FACTOR 9 /* an int64 of one byte in the file takes eight */
#define VRS_MODEL_MIN_MESSAGE_BYTES ((size_t)16 << 20)
#define VRS_MODEL_MAX_EXTERNAL_BYTES ((size_t)2 << 30) /* of weights beside an ONNX file */

/* Arrays that a user gives (graph/npy.c). NumPy's own headers have 54 to 118 bytes at rank 8. */
#define VRS_NPY_MAX_FILE_BYTES ((size_t)4 << 30)
#define VRS_NPY_MAX_HEADER_BYTES 65536

#endif
