/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TFLite file -> graph IR.  Float networks (float16 weights behind DEQUANTIZE become float32); sizes become scales, see ir.h. */
#ifndef VRS_GRAPH_TFLITE_IMPORT_H
#define VRS_GRAPH_TFLITE_IMPORT_H

#include "graph/ir.h"

/* Whether the bytes begin like a TFLite file (file identifier TFL3). */
bool vrs_tflite_probe(const void *data, size_t size);
/*
 * VRS_EFORMAT with the byte offset; VRS_EUNSUPPORTED names every operator that is not supported with its nodes; VRS_ELIMIT; VRS_ENOMEM.
 * name is used in messages.
 */
enum vrs_status vrs_tflite_import(struct vrs_graph *ret_graph, const void *data, size_t size, const char *name, struct vrs_error *err);

#endif
