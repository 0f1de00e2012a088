/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Without a latency a frame goes straight through (state of the running mean aside).  With one, frames lie in a ring: a frame is settled once its
 * matte is known, which for a frame between two seen ones is when the later of them comes; the running mean goes over settled frames in order, and
 * the centred mean over the ring when a frame is taken.
 */
#include "matte/temporal.h"

#include <string.h>

#include "base/wraparound.h"
#include "kernels/picture.h"
#include "matte/follow.h"
#include "matte/roi_warp.h"

#define MOST_FRAMES (UINT64_C(1) << 62)

struct entry {
	float *alpha;
	uint8_t *luma;          /* NULL: not kept */
	struct vrs_rect view;
	uint64_t scene;
	bool seen;              /* by the network */
};

struct vrs_temporal {
	struct vrs_temporal_options options;
	size_t size;            /* pixels */
	int latency, room;
	struct entry *ring;     /* [room], frame n in n % room; NULL without latency */
	struct entry last;      /* the frame itself where there is no ring: pointers of the caller, or of the running mean */
	uint64_t pushed, settled, taken; /* frames */
	uint64_t scene;         /* of the newest frame */
	bool has_past;
	struct vrs_scene_signature past;
	struct vrs_roi_warp moved;
	float *mean;            /* running mean, NULL: off */
	uint8_t *mean_luma;     /* of the newest frame in it; NULL: no gate */
	struct vrs_rect mean_view;
	uint64_t mean_scene;    /* 0: nothing in it */
	float *sum, *weights, *other; /* of the centred mean, and a moved matte */
	uint8_t *other_luma;
	float inverse_square;   /* 1 / gate^2; 0: no gate */
};

static bool same_view(const struct vrs_rect *a, const struct vrs_rect *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

int vrs_temporal_latency(const struct vrs_temporal_options *options)
{
	return options->window / 2 + options->stride - 1;
}

bool vrs_temporal_needs_luma(const struct vrs_temporal_options *o)
{
	return o->motion_gate > 0 && (o->smoothing < 1 || o->window > 1);
}

static void ring_init(struct vrs_temporal *t, struct vrs_arena *arena)
{
	const struct vrs_temporal_options *o = &t->options;
	t->room = o->window + 2 * o->stride; /* the window, the frames to come, and the seen frame before those between */
	t->ring = vrs_arena_calloc(arena, (size_t)t->room, sizeof *t->ring);
	t->sum = vrs_arena_calloc(arena, t->size, sizeof *t->sum);
	t->weights = vrs_arena_calloc(arena, t->size, sizeof *t->weights);
	bool keeps_luma = o->keeps_luma || vrs_temporal_needs_luma(o);
	for (int i = 0; i < t->room && !arena->failed; i++) {
		t->ring[i].alpha = vrs_arena_calloc(arena, t->size, sizeof *t->ring[i].alpha);
		t->ring[i].luma = keeps_luma ? vrs_arena_calloc(arena, t->size, 1) : NULL;
	}
}

enum vrs_status vrs_temporal_create(struct vrs_temporal **ret_temporal, struct vrs_arena *arena, const struct vrs_temporal_options *o)
{
	size_t size;
	if (o->width < 1 || o->height < 1 || !(o->smoothing > 0 && o->smoothing <= 1) || o->window < 1 || o->window > 1000 || o->stride < 1 ||
	    o->stride > 1000 || !(o->motion_gate >= 0) || !vrs_mul_size((size_t)o->width, (size_t)o->height, &size))
		return VRS_EINVAL;
	struct vrs_temporal *t = vrs_arena_calloc(arena, 1, sizeof *t);
	if (!t)
		return VRS_ENOMEM;
	t->options = *o;
	t->size = size;
	t->latency = vrs_temporal_latency(o);
	t->inverse_square = o->motion_gate > 0 ? (float)(1 / (o->motion_gate * o->motion_gate)) : 0;
	if (o->smoothing < 1 || o->window > 1 || o->stride > 1) {
		t->other = vrs_arena_calloc(arena, size, sizeof *t->other);
		t->other_luma = vrs_arena_calloc(arena, size, 1);
	}
	if (o->smoothing < 1) {
		t->mean = vrs_arena_calloc(arena, size, sizeof *t->mean);
		t->mean_luma = vrs_arena_calloc(arena, size, 1);
	}
	if (t->latency > 0 || o->window > 1)
		ring_init(t, arena);
	*ret_temporal = t;
	return vrs_roi_warp_init(&t->moved, arena, o->width, o->height, o->width, o->height);
}

void vrs_temporal_reset(struct vrs_temporal *t)
{
	t->has_past = false;
}

/* The running mean goes where the new matte covers the picture. */
static void move_mean(struct vrs_temporal *t, const struct entry *e)
{
	if (same_view(&e->view, &t->mean_view))
		return;
	vrs_roi_warp_set(&t->moved, &t->mean_view, &e->view, t->options.circle);
	vrs_roi_warp_alpha(&t->moved, t->other, t->mean, e->alpha);
	float *free_now = t->mean;
	t->mean = t->other;
	t->other = free_now;
	if (!e->luma)
		return;
	vrs_roi_warp_luma(&t->moved, t->other_luma, t->mean_luma, e->luma);
	uint8_t *free_luma = t->mean_luma;
	t->mean_luma = t->other_luma;
	t->other_luma = free_luma;
}

/* The matte joins the running mean. */
static void add_to_mean(struct vrs_temporal *t, const struct entry *e)
{
	if (t->mean_scene != e->scene) {
		memcpy(t->mean, e->alpha, t->size * sizeof *t->mean);
	} else {
		move_mean(t, e);
		const uint8_t *luma = e->luma ? e->luma : t->mean_luma; /* without a gate any luma will do */
		vrs_picture_kernels()->gated_mean(t->mean, e->alpha, luma, t->mean_luma, (float)(1 - t->options.smoothing), t->inverse_square,
						  (int)t->size);
	}
	t->mean_scene = e->scene;
	t->mean_view = e->view;
	if (e->luma)
		memcpy(t->mean_luma, e->luma, t->size);
}

static struct entry *entry_of(const struct vrs_temporal *t, uint64_t frame)
{
	return &t->ring[frame % (uint64_t)t->room];
}

/* People's sides as shares of the picture: moved by the share from the box of one seen frame to that of the other. */
struct extent {
	double at[2], length[2];
};

static bool extent_of(const struct vrs_temporal *t, const struct entry *e, struct extent *ret)
{
	struct vrs_follow_extent people;
	if (!vrs_follow_find(e->alpha, t->options.width, t->options.height, e->view.width == t->options.circle, &people))
		return false;
	double w = (double)e->view.width / t->options.width, h = (double)e->view.height / t->options.height;
	*ret = (struct extent){{e->view.x + people.left * w, e->view.y + people.top * h}, {people.width * w, people.height * h}};
	return true;
}

/* Where the pixels of the frame between, which has `view` and people at `now`, lie in a seen frame with people at `then`. */
static void map_between(struct vrs_temporal *t, const struct vrs_rect *view, const struct extent *now, const struct vrs_rect *seen,
			const struct extent *then)
{
	const double view_at[2] = {view->x, view->y}, view_length[2] = {view->width, view->height};
	const double seen_at[2] = {seen->x, seen->y}, seen_length[2] = {seen->width, seen->height};
	double scale[2], offset[2];
	for (int i = 0; i < 2; i++) {
		double grow = then->length[i] / now->length[i];
		scale[i] = view_length[i] * grow / seen_length[i];
		offset[i] = (then->at[i] + (view_at[i] - now->at[i]) * grow - seen_at[i]) / seen_length[i];
	}
	const struct vrs_roi_warp_circle circle = {t->options.circle / seen_length[0], t->options.circle / view_length[0],
		(now->at[0] + now->length[0] / 2 - view_at[0]) / view_length[0]};
	vrs_roi_warp_map(&t->moved, scale, offset, t->options.circle > 0 ? &circle : NULL);
}

/* The frame gets the view of a seen one. Its luma goes along; what it does not show there, that of the seen frame does. */
static void set_view(struct vrs_temporal *t, struct entry *e, const struct entry *seen)
{
	if (e->luma && !same_view(&e->view, &seen->view)) {
		vrs_roi_warp_set(&t->moved, &e->view, &seen->view, t->options.circle);
		vrs_roi_warp_luma(&t->moved, t->other_luma, e->luma, seen->luma);
		uint8_t *free_luma = e->luma;
		e->luma = t->other_luma;
		t->other_luma = free_luma;
	}
	e->view = seen->view;
}

/* The matte of frame e between `a` and `b` at share 0..1 of the way: people move evenly, and so does their outline. */
static void make_between(struct vrs_temporal *t, struct entry *e, const struct entry *a, const struct entry *b, double share)
{
	struct extent from, to, now;
	set_view(t, e, share < 0.5 ? a : b);
	bool moves = extent_of(t, a, &from) && extent_of(t, b, &to);
	struct vrs_rect view = e->view, seen_view[2] = {a->view, b->view};
	if (moves) { /* they take the shorter way around */
		int turn = vrs_wraparound_turn(to.at[0], to.length[0], from.at[0], from.length[0], t->options.circle);
		to.at[0] += turn;
		seen_view[1].x += turn;
		view.x += share < 0.5 ? 0 : turn;
	}
	for (int i = 0; i < 2 && moves; i++) {
		now.at[i] = from.at[i] + share * (to.at[i] - from.at[i]);
		now.length[i] = from.length[i] + share * (to.length[i] - from.length[i]);
	}
	memset(e->alpha, 0, t->size * sizeof *e->alpha);
	memset(t->other, 0, t->size * sizeof *t->other);
	for (int k = 0; k < 2; k++) {
		const struct entry *seen = k ? b : a;
		if (moves)
			map_between(t, &view, &now, &seen_view[k], k ? &to : &from);
		else
			vrs_roi_warp_set(&t->moved, &seen->view, &e->view, t->options.circle);
		vrs_roi_warp_alpha(&t->moved, k ? t->other : e->alpha, seen->alpha, k ? t->other : e->alpha);
	}
	for (size_t i = 0; i < t->size; i++)
		e->alpha[i] += (float)share * (t->other[i] - e->alpha[i]);
}

static void copy_matte(struct vrs_temporal *t, struct entry *e, const struct entry *from)
{
	memcpy(e->alpha, from->alpha, t->size * sizeof *e->alpha);
	set_view(t, e, from);
}

/* Frames [settled, end) get their mattes; frame `end`, if there is one, was seen. Before smoothing touches any of them. */
static void fill_between(struct vrs_temporal *t, uint64_t end, bool end_is_seen)
{
	const struct entry *before = t->settled > 0 ? entry_of(t, t->settled - 1) : NULL, *after = end_is_seen ? entry_of(t, end) : NULL;
	for (uint64_t n = t->settled; n < end; n++) {
		struct entry *e = entry_of(t, n);
		bool has_before = before && before->scene == e->scene, has_after = after && after->scene == e->scene;
		if (has_before && has_after)
			make_between(t, e, before, after, (double)(n - t->settled + 1) / (double)(end - t->settled + 1));
		else if (has_before || has_after)
			copy_matte(t, e, has_before ? before : after);
		else
			memset(e->alpha, 0, t->size * sizeof *e->alpha);
	}
}

/* All frames up to `end` are settled. */
static void settle(struct vrs_temporal *t, uint64_t end)
{
	for (; t->settled < end; t->settled++) {
		struct entry *e = entry_of(t, t->settled);
		if (!t->mean)
			continue;
		add_to_mean(t, e);
		memcpy(e->alpha, t->mean, t->size * sizeof *e->alpha);
	}
}

static void push_ring(struct vrs_temporal *t, const struct vrs_temporal_frame *frame, const struct vrs_rect *view)
{
	struct entry *e = entry_of(t, t->pushed);
	if (frame->alpha)
		memcpy(e->alpha, frame->alpha, t->size * sizeof *e->alpha);
	if (e->luma && frame->luma)
		memcpy(e->luma, frame->luma, t->size);
	e->view = *view;
	e->scene = t->scene;
	e->seen = frame->alpha != NULL;
	t->pushed++;
	if (!e->seen)
		return;
	fill_between(t, t->pushed - 1, true);
	settle(t, t->pushed);
}

bool vrs_temporal_push(struct vrs_temporal *t, const struct vrs_temporal_frame *frame)
{
	static const struct vrs_rect always = {0, 0, 1, 1};
	const struct vrs_rect *view = frame->view ? frame->view : &always;
	bool cut = t->has_past && frame->signature && vrs_scene_cut(&t->past, frame->signature);
	t->scene += cut || !t->has_past;
	if (frame->signature)
		t->past = *frame->signature;
	t->has_past = true;
	if (t->ring) {
		push_ring(t, frame, view);
		return cut;
	}
	/* the entry only reads them */
	t->last = (struct entry){.alpha = (float *)(uintptr_t)frame->alpha, .luma = (uint8_t *)(uintptr_t)frame->luma, .view = *view,
		.scene = t->scene};
	if (t->mean) {
		add_to_mean(t, &t->last);
		t->last.alpha = t->mean;
	}
	t->pushed++;
	return cut;
}

/* Frame e is to be taken: mean of its neighbours in time, the nearer the heavier. */
static const float *centred_mean(struct vrs_temporal *t, uint64_t frame)
{
	const struct vrs_picture_kernels *kernels = vrs_picture_kernels();
	const struct entry *e = entry_of(t, frame);
	int after = t->options.window / 2, before = t->options.window - 1 - after;
	memcpy(t->sum, e->alpha, t->size * sizeof *t->sum);
	for (size_t i = 0; i < t->size; i++)
		t->weights[i] = 1;
	for (int k = -before; k <= after; k++) {
		bool exists = k < 0 ? frame >= (uint64_t)-k : frame + (uint64_t)k < t->settled;
		const struct entry *other = exists ? entry_of(t, frame + (uint64_t)(int64_t)k) : NULL;
		if (k == 0 || !other || other->scene != e->scene)
			continue;
		const float *alpha = other->alpha;
		const uint8_t *luma = other->luma ? other->luma : t->other_luma;
		if (!same_view(&other->view, &e->view)) {
			vrs_roi_warp_set(&t->moved, &other->view, &e->view, t->options.circle);
			vrs_roi_warp_alpha(&t->moved, t->other, other->alpha, e->alpha);
			alpha = t->other;
			if (other->luma) {
				vrs_roi_warp_luma(&t->moved, t->other_luma, other->luma, e->luma);
				luma = t->other_luma;
			}
		}
		int distance = k < 0 ? -k : k, side = after > before ? after : before;
		kernels->gated_sum(t->sum, t->weights, alpha, e->luma ? e->luma : luma, luma, 1 - (float)distance / (float)(side + 1),
				   t->inverse_square, (int)t->size);
	}
	for (size_t i = 0; i < t->size; i++)
		t->sum[i] /= t->weights[i];
	return t->sum;
}

bool vrs_temporal_take(struct vrs_temporal *t, bool end, struct vrs_temporal_frame *ret_frame)
{
	if (t->taken == t->pushed || (!end && t->pushed - t->taken <= (uint64_t)t->latency))
		return false;
	const struct entry *e = &t->last;
	const float *alpha = e->alpha;
	if (t->ring) {
		if (end) { /* else all that can be taken is settled */
			fill_between(t, t->pushed, false);
			settle(t, t->pushed);
		}
		e = entry_of(t, t->taken);
		alpha = t->options.window > 1 ? centred_mean(t, t->taken) : e->alpha;
	}
	*ret_frame = (struct vrs_temporal_frame){.alpha = alpha, .luma = e->luma, .view = &e->view};
	t->taken++;
	return true;
}

int vrs_temporal_waiting(const struct vrs_temporal *t)
{
	return (int)(t->pushed - t->taken);
}

static bool archive_counts(struct vrs_temporal *t, struct vrs_archive *archive)
{
	bool good = vrs_archive_u64(archive, &t->pushed, MOST_FRAMES) && vrs_archive_u64(archive, &t->settled, t->pushed) &&
		    vrs_archive_u64(archive, &t->taken, t->ring ? t->settled : t->pushed) && vrs_archive_u64(archive, &t->scene, MOST_FRAMES);
	if (!t->ring)
		return good && vrs_archive_require(archive, t->taken == t->pushed);
	return good && vrs_archive_require(archive, t->pushed - t->taken <= (uint64_t)t->latency && t->pushed - t->settled < (uint64_t)t->options.stride);
}

static bool archive_entry(const struct vrs_temporal *t, struct entry *e, struct vrs_archive *archive, const struct vrs_rect *eye)
{
	return vrs_archive_alpha(archive, e->alpha, t->size) && (!e->luma || vrs_archive_bytes(archive, e->luma, t->size)) &&
	       vrs_archive_part(archive, &e->view, eye, t->options.circle) && vrs_archive_u64(archive, &e->scene, MOST_FRAMES) &&
	       vrs_archive_flag(archive, &e->seen);
}

static bool archive_mean(struct vrs_temporal *t, struct vrs_archive *archive, const struct vrs_rect *eye)
{
	if (!vrs_archive_u64(archive, &t->mean_scene, MOST_FRAMES) || t->mean_scene == 0)
		return !archive->damaged;
	return vrs_archive_alpha(archive, t->mean, t->size) && vrs_archive_bytes(archive, t->mean_luma, t->size) &&
	       vrs_archive_part(archive, &t->mean_view, eye, t->options.circle);
}

bool vrs_temporal_archive(struct vrs_temporal *t, struct vrs_archive *archive, const struct vrs_rect *eye)
{
	bool good = archive_counts(t, archive) && vrs_archive_flag(archive, &t->has_past) && vrs_scene_signature_archive(&t->past, archive);
	uint64_t kept = t->pushed < (uint64_t)t->room ? t->pushed : (uint64_t)t->room;
	for (uint64_t n = t->pushed - kept; good && t->ring && n < t->pushed; n++)
		good = archive_entry(t, entry_of(t, n), archive, eye);
	return good && (!t->mean || archive_mean(t, archive, eye));
}
