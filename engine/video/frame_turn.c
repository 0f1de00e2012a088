/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/frame_turn.h"

#include <libavutil/buffer.h>
#include <libavutil/display.h>

#include <vrseg/log.h>

#include "base/mem.h"
#include "video/av_format.h"
#include "video/av_side_data.h"

#define TILE 32         /* samples: rows and columns of a tile stay in the first cache */
#define ALIGNMENT 64
#define MATRIX_ONE 65536

struct vrs_frame_turner {
	struct vrs_turn turn;
	struct vrs_picture_format from, to;
	AVBufferPool *pool;
	int stride[4];
	size_t offset[4];       /* of the planes in a buffer */
};

static int unit(int32_t value)
{
	return value == MATRIX_ONE ? 1 : value == -MATRIX_ONE ? -1 : 0;
}

bool vrs_turn_read(struct vrs_turn *ret_turn, const AVStream *stream, const AVFrame *frame, const char *name)
{
	const int32_t *m = vrs_av_display_matrix(stream);
	int32_t of_photo[9];
	struct vrs_turn turn;

	if (!m && frame && vrs_av_photo_matrix(of_photo, stream, frame))
		m = of_photo;
	if (!m)
		return false;
	turn = (struct vrs_turn){.xx = unit(m[0]), .yx = unit(m[1]), .xy = unit(m[3]), .yy = unit(m[4])};
	if (turn.xx == 1 && turn.yy == 1)
		return false;
	if ((turn.xx && turn.yy && !m[1] && !m[3]) || (turn.xy && turn.yx && !m[0] && !m[4])) {
		*ret_turn = turn;
		return true;
	}
	vrs_log(VRS_LOG_WARNING, "%s is rotated by %.4g degrees, which is left to the player; people are searched for in the picture as stored", name,
		-av_display_rotation_get(m));
	return false;
}

void vrs_turn_forget(AVStream *stream)
{
	int32_t *m = vrs_av_display_matrix(stream);

	if (m)
		av_display_rotation_set(m, 0);
}

const char *vrs_turn_words(const struct vrs_turn *turn)
{
	if (turn->xx * turn->yy - turn->xy * turn->yx < 0)
		return turn->xy ? "turned and mirrored" : "mirrored";
	return turn->xx ? "turned by 180 degrees" : turn->yx > 0 ? "turned by 90 degrees" : "turned by 270 degrees";
}

void vrs_turn_format(struct vrs_picture_format *format, const struct vrs_turn *turn)
{
	struct vrs_picture_format before = *format;

	if (!turn->xy)
		return;
	format->width = before.height;
	format->height = before.width;
	format->chroma_shift_x = before.chroma_shift_y;
	format->chroma_shift_y = before.chroma_shift_x;
	format->chroma_location = 0; /* its sides have changed places */
}

enum vrs_status vrs_frame_turner_create(struct vrs_frame_turner **ret_turner, const struct vrs_turn *turn, const struct vrs_picture_format *format)
{
	struct vrs_frame_turner *turner = vrs_calloc(1, sizeof *turner);
	size_t bytes = 0;

	if (!turner)
		return VRS_ENOMEM;
	turner->turn = *turn;
	turner->from = turner->to = *format;
	vrs_turn_format(&turner->to, turn);
	for (int p = 0; p < format->planes; p++) {
		int row = vrs_plane_width(&turner->to, p) * vrs_sample_bytes(&turner->to);

		turner->stride[p] = (row + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
		turner->offset[p] = bytes;
		bytes += (size_t)turner->stride[p] * (size_t)vrs_plane_height(&turner->to, p);
	}
	turner->pool = av_buffer_pool_init(bytes + 2 * ALIGNMENT, NULL); /* to align the first plane, and for vector loads past the last */
	if (!turner->pool) {
		vrs_free(turner);
		return VRS_ENOMEM;
	}
	*ret_turner = turner;
	return VRS_OK;
}

void vrs_frame_turner_destroy(struct vrs_frame_turner *turner)
{
	if (!turner)
		return;
	av_buffer_pool_uninit(&turner->pool);
	vrs_free(turner);
}

/* One plane: where a shown sample comes from moves by `right` bytes from column to column and by `down` from row to row. */
struct plane_walk {
	const uint8_t *from;
	uint8_t *to;
	ptrdiff_t right, down, stride;
	int width, height;
};

#define WALK_TILE(type) \
	for (int y = top; y < bottom; y++) { \
		const uint8_t *from = w->from + y * w->down + left * w->right; \
		type *to = (type *)(void *)(w->to + y * w->stride); \
		for (int x = left; x < end; x++, from += w->right) \
			to[x] = *(const type *)(const void *)from; \
	}

static void walk_plane(const struct plane_walk *w, int sample_bytes)
{
	for (int top = 0; top < w->height; top += TILE)
		for (int left = 0; left < w->width; left += TILE) {
			int bottom = top + TILE < w->height ? top + TILE : w->height, end = left + TILE < w->width ? left + TILE : w->width;

			if (sample_bytes == 1)
				WALK_TILE(uint8_t)
			else
				WALK_TILE(uint16_t)
		}
}

static void turn_plane(const struct vrs_frame_turner *turner, int plane, const AVFrame *src, AVFrame *dst)
{
	const struct vrs_turn *turn = &turner->turn;
	int bytes = vrs_sample_bytes(&turner->from), width = vrs_plane_width(&turner->from, plane), height = vrs_plane_height(&turner->from, plane);
	ptrdiff_t stride = src->linesize[plane];
	/* a rotation's inverse is its transpose: x = xx * shown x + yx * shown y, y = xy * shown x + yy * shown y, from the far end where negative */
	int first_x = turn->xx < 0 || turn->yx < 0 ? width - 1 : 0, first_y = turn->xy < 0 || turn->yy < 0 ? height - 1 : 0;
	struct plane_walk walk = {
		.from = src->data[plane] + first_y * stride + first_x * bytes,
		.to = dst->data[plane],
		.right = turn->xx * bytes + turn->xy * stride,
		.down = turn->yx * bytes + turn->yy * stride,
		.stride = dst->linesize[plane],
		.width = vrs_plane_width(&turner->to, plane),
		.height = vrs_plane_height(&turner->to, plane),
	};

	walk_plane(&walk, bytes);
}

enum vrs_status vrs_frame_turner_run(struct vrs_frame_turner *turner, AVFrame **frame)
{
	AVFrame *made = av_frame_alloc(), *src = *frame;
	uint8_t *base;

	if (!made)
		return VRS_ENOMEM;
	made->buf[0] = av_buffer_pool_get(turner->pool);
	if (!made->buf[0]) {
		av_frame_free(&made);
		return VRS_ENOMEM;
	}
	base = (uint8_t *)(((uintptr_t)made->buf[0]->data + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
	for (int p = 0; p < turner->to.planes; p++) {
		made->data[p] = base + turner->offset[p];
		made->linesize[p] = turner->stride[p];
		turn_plane(turner, p, src, made);
	}
	made->extended_data = made->data;
	vrs_av_frame_tag(made, &turner->to);
	made->pts = src->pts;
	made->pkt_duration = src->pkt_duration;
	av_frame_free(frame);
	*frame = made;
	return VRS_OK;
}
