/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ONNX files to graphs: opset 7 to 21, through protobuf-c.  Limits: model_limits.h. */
#ifndef VRS_GRAPH_ONNX_IMPORT_H
#define VRS_GRAPH_ONNX_IMPORT_H

#include "graph/ir.h"

/* Do the bytes look like an ONNX file? (Protobuf has no magic number: a plausible ModelProto start.) */
bool vrs_onnx_probe(const void *data, size_t size);
/*
 * name is used in messages; folder holds external data files, which must lie inside it (NULL: external data is refused).
 * VRS_EFORMAT: damaged; VRS_EUNSUPPORTED: one message that lists every operator and attribute that is not supported, with its node; VRS_ELIMIT;
 * VRS_ENOMEM.  Sizes that the file leaves open are -1 in the graph's inputs (a batch becomes 1).
 */
enum vrs_status vrs_onnx_import(struct vrs_graph *ret_graph, const void *data, size_t size, const char *name, const char *folder,
				struct vrs_error *err);

#endif
