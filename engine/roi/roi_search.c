/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/roi_search.h"

#include <math.h>

#include "base/assert.h"
#include "roi/roi_worker.h"

#define MOST_VIEWS VRS_REGIONS_MAX /* of an eye: more would be narrower than people */
#define NINE 9                     /* views of a flat picture, half as wide and high: people who are small in the whole */
#define BESIDE 8                   /* views of a half sphere besides its middle */
#define TALL 1.5                   /* a network's picture that is higher than wide by that factor shows people in squares too narrow to be seen */
#define ACROSS 4                   /* tall views in a row; two rows have as many as there are squares */
#define SMALL 7                    /* views of a half sphere's horizon, */
#define SMALL_SHARE 0.25           /* of its width and height: people an eighth as high as the eye fill half of them */
#define MOST_OF_EYE 0.75           /* a start view of that much shows the eye well enough */

static bool is_circle(const struct vrs_roi_plan *plan)
{
	return vrs_follow_is_whole_circle(&plan->follow[0], &plan->follow[0].start);
}

/* A middle that leaves out much on all sides. */
static bool is_middle(const struct vrs_roi_plan *plan)
{
	const struct vrs_rect *eye = &plan->follow[0].eye, *start = &plan->follow[0].start;
	return !plan->format.circle && start->width < MOST_OF_EYE * eye->width && start->height < MOST_OF_EYE * eye->height;
}

/* Side of the square views of a circle: the part of the height that settings look at first in half spheres; whole chroma samples. */
static int side_of(const struct vrs_roi_plan *plan)
{
	const struct vrs_rect *eye = &plan->follow[0].eye;
	int side = (int)(eye->height * plan->settings->matte.view_size) & ~3;
	return side < 4 ? eye->height : side;
}

int vrs_roi_search_small(const struct vrs_roi_plan *plan)
{
	if (!plan->follows)
		return 0;
	if (!is_circle(plan))
		return is_middle(plan) ? 1 + BESIDE : plan->tracks ? 1 + NINE : 0;
	int squares = (2 * plan->follow[0].circle + side_of(plan) - 1) / side_of(plan);
	return squares < 3 ? 0 : squares > MOST_VIEWS - 1 ? MOST_VIEWS : squares + 1;
}

int vrs_roi_search_views(const struct vrs_roi_plan *plan)
{
	bool has_small = plan->follows && plan->tracks && is_middle(plan);
	return vrs_roi_search_small(plan) + (has_small ? SMALL : 0);
}

/* Of three overlapping parts of a side of an eye: the first, the middle or the last one. */
static void part_of(int at, int length, int start, int which, int *ret_at, int *ret_length)
{
	int half = (length / 2 + 3) & ~3;
	*ret_length = start > half ? start : half < length ? half : length;
	*ret_at = at + ((length - *ret_length) * which / 2 & ~3);
}

static bool is_tall(const struct vrs_roi_plan *plan)
{
	int width = plan->shape.matte_width, height = plan->shape.matte_height;
	return height > TALL * width && height <= ACROSS * width;
}

/* View k, from 0 on, of the network's shape and as large as a square with that side: two rows, which both hold the horizon. */
static struct vrs_rect tall_view(const struct vrs_roi_plan *plan, const struct vrs_rect *eye, int side, int k)
{
	double stretch = sqrt((double)plan->shape.matte_height / plan->shape.matte_width);
	int width = (int)(side / stretch) & ~3, high = (int)(side * stretch) & ~3, height = high < eye->height ? high : eye->height;
	return (struct vrs_rect){eye->x + ((eye->width - width) * (k % ACROSS) / (ACROSS - 1) & ~3),
		eye->y + ((eye->height - height) * (k / ACROSS) & ~3), width, height};
}

/* From left to right. */
static struct vrs_rect small_view(const struct vrs_rect *eye, int k)
{
	int width = (int)(eye->width * SMALL_SHARE) & ~3, height = (int)(eye->height * SMALL_SHARE) & ~3;
	return (struct vrs_rect){eye->x + ((eye->width - width) * k / (SMALL - 1) & ~3), eye->y + ((eye->height - height) / 2 & ~3), width, height};
}

struct vrs_rect vrs_roi_search_view(const struct vrs_roi_plan *plan, int eye, int k)
{
	/* the horizon comes first, where people stand */
	static const struct {
		int across, down;
	} beside[BESIDE] = {{0, 1}, {2, 1}, {1, 2}, {1, 0}, {0, 2}, {2, 2}, {0, 0}, {2, 0}};
	const struct vrs_follow *follow = &plan->follow[eye];
	struct vrs_rect view;
	if (!is_circle(plan) && !is_middle(plan)) {
		part_of(follow->eye.x, follow->eye.width, 0, (k - 1) % 3, &view.x, &view.width);
		part_of(follow->eye.y, follow->eye.height, 0, (k - 1) / 3, &view.y, &view.height);
		return view;
	}
	if (!is_circle(plan) && k > BESIDE)
		return small_view(&follow->eye, k - BESIDE - 1);
	if (!is_circle(plan)) {
		part_of(follow->eye.x, follow->eye.width, follow->start.width, beside[k - 1].across, &view.x, &view.width);
		part_of(follow->eye.y, follow->eye.height, follow->start.height, beside[k - 1].down, &view.y, &view.height);
		return is_tall(plan) ? tall_view(plan, &follow->eye, view.width < view.height ? view.width : view.height, k - 1) : view;
	}
	int side = side_of(plan), squares = vrs_roi_search_views(plan) - 1;
	return (struct vrs_rect){follow->eye.x + ((int)((int64_t)follow->circle * (k - 1) / squares) & ~3),
		follow->eye.y + ((follow->eye.height - side) / 2 & ~3), side, side};
}

int vrs_roi_search_due(const struct vrs_roi_plan *plan, uint64_t phase, bool wide, bool lost, int *ret_views)
{
	int views = wide ? vrs_roi_search_views(plan) : 0;
	if (views > 0 && !lost && !is_circle(plan)) {
		ret_views[0] = 1 + (int)(phase / VRS_ROI_WIDE_EVERY % BESIDE);
		return 1;
	}
	for (int k = 0; k < views; k++)
		ret_views[k] = k;
	return views;
}

/* Is the middle of a part within one of the regions? */
static bool is_known(const struct vrs_regions *regions, const struct vrs_rect *part)
{
	int x = part->x + part->width / 2, y = part->y + part->height / 2;
	for (int r = 0; r < regions->count; r++)
		if (x >= regions->rect[r].x && x < regions->rect[r].x + regions->rect[r].width && y >= regions->rect[r].y &&
		    y < regions->rect[r].y + regions->rect[r].height)
			return true;
	return false;
}

void vrs_roi_search_judge(const struct vrs_roi_plan *plan, const struct vrs_roi_set *set, const int *places, int count, int eye,
			  struct vrs_regions *now)
{
	VRS_ASSERT(eye >= 0 && eye < plan->eyes && count <= set->of_input);
	const struct vrs_follow *follow = &plan->follow[eye];
	int width = plan->shape.matte_width, height = plan->shape.matte_height;
	/* one view of many tells who comes besides those who are known */
	bool anew = count > 1, circle = is_circle(plan);
	struct vrs_regions found = {0};
	for (int k = 0; k < count; k++) {
		struct vrs_follow_extent people;
		struct vrs_rect part;
		const struct vrs_rect *view = &set->rects[places[k]];
		const float *alpha = set->alpha + plan->look_size * (size_t)places[k];
		if (!vrs_follow_find(alpha, width, height, vrs_follow_is_whole_circle(follow, view), &people))
			continue;
		(void)vrs_follow_around(follow, view, &people, width, height, &part);
		bool is_start = anew && k == 0;
		if (circle || is_start || !is_known(now, &part))
			found.rect[found.count++] = part;
	}
	if (found.count == 0)
		return;
	for (int r = 0; r < now->count && !anew; r++) {
		found.who[found.count] = now->who[r];
		found.rect[found.count++] = now->rect[r];
	}
	(void)vrs_regions_join(&found, plan->regions, follow->circle);
	*now = found;
}
