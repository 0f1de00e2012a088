/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random but plausible networks for tests: encoder-decoders, detectors, transformers and recurrent networks, put together of blocks as exporters
 * write them.  A seed gives one network of up to some hundred million multiply-adds.
 */
#ifndef TESTS_ONNX_PLAUSIBLE_H
#define TESTS_ONNX_PLAUSIBLE_H

#include "onnx/network_writer.h"

enum plausible_family { PLAUSIBLE_ENCODER_DECODER, PLAUSIBLE_DETECTOR, PLAUSIBLE_TRANSFORMER, PLAUSIBLE_RECURRENT, PLAUSIBLE_FAMILIES };

/* What a network keeps to in all its blocks. */
struct style {
	int act, norm, down, up, block, kernel;
};

/* [1][c][h][w]; sequences are [1][h * w][c]. */
struct map {
	char *v;
	int c, h, w;
};

/* The network of a seed, which ends with its outputs; the family is seed % PLAUSIBLE_FAMILIES. */
void plausible_network(struct network *n, uint64_t seed);
const char *plausible_family_name(uint64_t seed);

/* Blocks on maps (plausible_maps.c). */
struct window {
	int kernel, stride, dilation, groups;
};
struct style plausible_style(struct network *n);
struct map plausible_conv(struct network *n, struct map x, int out, struct window w, bool bias);
struct map plausible_unit(struct network *n, const struct style *s, struct map x, int out, struct window w); /* convolution, norm, activation */
char *plausible_norm(struct network *n, int kind, struct map x);
char *plausible_act(struct network *n, int kind, char *x, int channels);
struct map plausible_block(struct network *n, const struct style *s, struct map x, int out);
struct map plausible_down(struct network *n, const struct style *s, struct map x, int out);
struct map plausible_up(struct network *n, const struct style *s, struct map x, int out);
struct map plausible_join(struct network *n, int how, struct map x, struct map skip); /* 0: concatenation, 1: sum of the first channels, 2: gated */
struct map plausible_context(struct network *n, const struct style *s, struct map x); /* what stands at the bottom of a decoder */

/* Blocks on sequences (plausible_tokens.c). */
char *plausible_dense(struct network *n, char *x, int in, int out, bool bias);
char *plausible_layer_norm(struct network *n, int kind, char *x, int channels);
struct map plausible_attention(struct network *n, struct map x, int kind, int heads);
struct map plausible_mlp(struct network *n, const struct style *s, struct map x);
char *plausible_reshape(struct network *n, char *x, int rank, const int64_t *dims);
char *plausible_to_tokens(struct network *n, struct map x);                  /* [1][h * w][c] */
struct map plausible_from_tokens(struct network *n, char *x, struct map like);

#endif
