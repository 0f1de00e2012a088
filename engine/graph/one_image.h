/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A batch of one is a dim of 1, and passes move dims of 1 for nothing: where a transposition or a view takes the batch away from the first dim, one
 * image alone would get other nodes than a batch of them, and with these other bits, and a calibration that fits no batch.  The graph of one image is
 * then that of two, with the sizes that those for two and for three images tell, where these are the true ones of one image before the passes.  The
 * plan learns where the batch lies from two such graphs, too.
 */
#ifndef VRS_GRAPH_ONE_IMAGE_H
#define VRS_GRAPH_ONE_IMAGE_H

#include "graph/ir.h"

/* False: the batch is the first dim of every value, as the graph of `images` tells at no cost. */
bool vrs_batch_may_move(const struct vrs_graph *graph, int64_t images);
/* Is the batch the first dim of each value, or none of its dims? The graphs of `images` and of one more, after vrs_pass_batch. */
bool vrs_batch_leads(const struct vrs_graph *graph, const struct vrs_graph *next, int64_t images);
/*
 * Fill batch_dims of all tensors.  more: the same graph for more images.  Where that has other nodes, nothing is filled.
 */
void vrs_graph_mark_batch(struct vrs_graph *graph, const struct vrs_graph *more);
/*
 * Before the passes, with constants folded: are all sizes, constants and attributes of one image what those of two and three tell, so that
 * vrs_graph_to_one may be used after the passes?  VRS_EUNSUPPORTED: no, such as min(images, 2) in a number; VRS_ENOMEM.
 */
enum vrs_status vrs_graph_check_one(const struct vrs_graph *one, const struct vrs_graph *two, const struct vrs_graph *three);
/*
 * Make the graph of two images that of one.  three: that for three.  VRS_EUNSUPPORTED: they differ in more than sizes, or a size is none of one
 * image; VRS_ENOMEM.  After either the graph is of no use.  batch_dims are filled.
 */
enum vrs_status vrs_graph_to_one(struct vrs_graph *two, const struct vrs_graph *three);

#endif
