/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/components.h"

#include <string.h>

enum vrs_status vrs_components_init(struct vrs_components *c, struct vrs_arena *arena, int width, int height)
{
	size_t size;
	if (width < 1 || height < 1 || !vrs_mul_size((size_t)width, (size_t)height, &size) || size > INT32_MAX)
		return VRS_EINVAL;
	*c = (struct vrs_components){.width = width, .height = height};
	c->label = vrs_arena_calloc(arena, size, sizeof *c->label);
	c->stack = vrs_arena_calloc(arena, size, sizeof *c->stack);
	c->area = vrs_arena_calloc(arena, size / 2 + 2, sizeof *c->area); /* a checkerboard has the most parts */
	c->border = vrs_arena_calloc(arena, size / 2 + 2, sizeof *c->border);
	return arena->failed ? VRS_ENOMEM : VRS_OK;
}

static void fill(struct vrs_components *c, const uint8_t *set, int first, bool diagonal, bool circle)
{
	static const int8_t step[8][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
	int depth = 0, label = ++c->count, area = 0;
	uint8_t border = 0;
	c->stack[depth++] = first;
	c->label[first] = label;
	while (depth > 0) {
		int at = c->stack[--depth], y = at / c->width, x = at - y * c->width;
		area++;
		border |= y == 0 || y == c->height - 1 || (!circle && (x == 0 || x == c->width - 1));
		for (int i = 0; i < (diagonal ? 8 : 4); i++) {
			int u = x + step[i][0], v = y + step[i][1];
			if (circle)
				u = u < 0 ? u + c->width : u >= c->width ? u - c->width : u;
			if (u < 0 || v < 0 || u >= c->width || v >= c->height)
				continue;
			int next = v * c->width + u;
			if (!set[next] || c->label[next])
				continue;
			c->label[next] = label;
			c->stack[depth++] = next;
		}
	}
	c->area[label] = area;
	c->border[label] = border;
}

void vrs_components_find(struct vrs_components *c, const uint8_t *set, bool diagonal, bool circle)
{
	int size = c->width * c->height;
	memset(c->label, 0, (size_t)size * sizeof *c->label);
	c->count = c->largest = 0;
	c->area[0] = 0;
	for (int i = 0; i < size; i++)
		if (set[i] && !c->label[i]) {
			fill(c, set, i, diagonal, circle);
			if (c->area[c->count] > c->area[c->largest])
				c->largest = c->count;
		}
}
