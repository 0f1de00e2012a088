/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reshapes of transposed tensors.  A reshape takes runs of dims of x to runs of dims of y with as many elements ([C][H][W] to [C][H * W]: runs C and
 * HW).  If the dims of every run lie together, and in order, in the tensor as it is stored, then that tensor can be reshaped run by run, and
 * what remains is a transposition of whole runs.
 */
#include "graph/pass_layout.h"

struct run {
	int x_begin, x_end, y_begin, y_end;
	int place;              /* in the stored tensor */
};

/* Runs of the reshape; their number, 0 when it moves no elements or does not fit. */
static int find_runs(const int64_t *x, int x_rank, const int64_t *y, int y_rank, struct run *runs)
{
	int i = 0, j = 0, count = 0;

	while (i < x_rank && j < y_rank) {
		struct run *run = &runs[count++];
		int64_t have = x[i], want = y[j];

		run->x_begin = i++;
		run->y_begin = j++;
		while (have != want) {
			if (have < want ? i >= x_rank : j >= y_rank)
				return 0;
			if (have < want)
				have *= x[i++];
			else
				want *= y[j++];
		}
		run->x_end = i;
		run->y_end = j;
	}
	if (count == 0)
		return 0;
	/* What is left are dims of 1. */
	runs[count - 1].x_end = x_rank;
	runs[count - 1].y_end = y_rank;
	return count;
}

/* Where the dims of a run lie in the stored tensor; false: apart, or in another order. Dims of 1 can be thought anywhere. */
static bool place_run(const struct vrs_perm *perm, const int64_t *x, struct run *run)
{
	struct vrs_perm inverse = vrs_perm_inverse(perm);
	int last = -1;

	run->place = perm->at[run->x_begin];
	for (int i = run->x_begin; i < run->x_end; i++) {
		int at = perm->at[i];

		if (x[i] == 1)
			continue;
		if (last < 0)
			run->place = at;
		if (last >= at)
			return false;
		for (int k = last + 1; last >= 0 && k < at; k++)
			if (x[inverse.at[k]] != 1)
				return false;
		last = at;
	}
	return true;
}

static void sort_runs(struct run *runs, int count)
{
	for (int i = 1; i < count; i++) {
		struct run run = runs[i];
		int k = i;

		for (; k > 0 && runs[k - 1].place > run.place; k--)
			runs[k] = runs[k - 1];
		runs[k] = run;
	}
}

bool vrs_layout_view(const struct vrs_perm *perm, const int64_t *x, int x_rank, const int64_t *y, int y_rank, int64_t *ret_dims,
		     struct vrs_perm *ret_perm)
{
	struct run runs[VRS_MAX_RANK];
	int count = find_runs(x, x_rank, y, y_rank, runs), at = 0;

	if (count == 0 || x_rank != perm->rank)
		return false;
	for (int i = 0; i < count; i++)
		if (!place_run(perm, x, &runs[i]))
			return false;
	sort_runs(runs, count);
	ret_perm->rank = y_rank;
	for (int i = 0; i < count; i++) {
		for (int j = runs[i].y_begin; j < runs[i].y_end; j++) {
			ret_dims[at] = y[j];
			ret_perm->at[j] = at++;
		}
	}
	return true;
}
