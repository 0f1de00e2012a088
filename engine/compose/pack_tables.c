/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compose/pack_tables.h"

#include <string.h>

#include "vr/alpha_disc.h"

static struct vrs_device_map map_tables(const struct vrs_remap *map)
{
	struct vrs_remap_tables t = {0};

	if (map)
		t = vrs_remap_tables(map);
	return (struct vrs_device_map){.width = t.width, .height = t.height, .source_width = t.source_width, .source_height = t.source_height,
		.curves = t.curves ? &t.curves->u : NULL, .inside = t.inside, .kinds = t.kinds, .positions = t.positions,
		.position_count = t.position_count};
}

/* Rows of an eye's circle, in planes of a group. */
static const int32_t *make_spans(struct vrs_arena *arena, const struct vrs_alpha_pack *pack, int group, int height)
{
	int32_t *spans = vrs_arena_calloc(arena, (size_t)height, 2 * sizeof *spans);

	for (int y = 0; spans && y < height; y++)
		vrs_alpha_pack_span(pack, group, y, &spans[2 * y], &spans[2 * y + 1]);
	return spans;
}

enum vrs_status vrs_pack_tables(struct vrs_device_pack_options *ret, struct vrs_arena *arena, const struct vrs_alpha_pack *pack, int matte_width,
				int matte_height, struct vrs_error *err)
{
	const struct vrs_alpha_pack_parts parts = vrs_alpha_pack_parts(pack);
	const struct vrs_alpha_pack_options *options = parts.options;

	*ret = (struct vrs_device_pack_options){.source = options->format, .packed = *vrs_alpha_pack_format(pack),
		.eyes = {parts.eyes[0], parts.eyes[1]}, .disc = map_tables(parts.disc), .matte_width = matte_width, .matte_height = matte_height,
		.colored = options->colored};
	memcpy(ret->black, options->black, sizeof ret->black);
	memcpy(ret->codes, options->codes, sizeof ret->codes);
	for (int group = 0; group < 2; group++) {
		ret->maps[group] = map_tables(parts.maps[group]);
		ret->spans[group] = make_spans(arena, pack, group, vrs_plane_height(&ret->packed, group));
		if (!ret->spans[group])
			return vrs_fail_nomem(err);
	}
	return VRS_OK;
}

struct vrs_device_disc_place vrs_pack_place(const struct vrs_alpha_pack *pack, const struct vrs_matte *matte, const struct vrs_rect *view, int i)
{
	const struct vrs_alpha_pack_parts parts = vrs_alpha_pack_parts(pack);
	const struct vrs_rect *eye = &parts.eyes[i], inside = {view->x - eye->x, view->y - eye->y, view->width, view->height};
	struct vrs_alpha_disc_place place = vrs_alpha_disc_place(matte->width, matte->height, &inside);

	return (struct vrs_device_disc_place){.factor = {place.factor[0], place.factor[1]}, .shift = {place.shift[0], place.shift[1]}};
}
