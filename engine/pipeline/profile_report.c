/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators of the network by time, over all streams of a job (report.profile).  All streams run the same plan, so their rows have the same order. */
#include <vrseg/progress.h>

#include <stdlib.h>

#include "base/mem.h"
#include "base/printable.h"
#include "pipeline/job.h"

#define MOST_ROWS 20

static int by_time(const void *a, const void *b)
{
	const struct vrs_op_profile *x = a, *y = b;
	return (x->total_ns < y->total_ns) - (x->total_ns > y->total_ns);
}

static struct vrs_session *large_of(const struct vrs_roi_worker *worker)
{
	return worker->session;
}

static struct vrs_session *small_of(const struct vrs_roi_worker *worker)
{
	return worker->small_session;
}

/* The rows of all streams' sessions of one network added up, slowest first; the caller frees them. NULL: none, or no memory. */
static struct vrs_op_profile *add_up(const struct vrs_job *job, struct vrs_session *(*session_of)(const struct vrs_roi_worker *worker),
				     int *ret_count)
{
	const struct vrs_op_profile *rows = NULL;
	int count = vrs_session_profile(session_of(&job->workers[0].roi), &rows);
	struct vrs_op_profile *sum = count > 0 ? vrs_calloc((size_t)count, sizeof *sum) : NULL;
	for (int i = 0; i < count && sum; i++)
		sum[i] = rows[i];
	for (int w = 1; w < job->threads.streams && sum; w++) {
		int more = vrs_session_profile(session_of(&job->workers[w].roi), &rows);
		for (int i = 0; i < more && i < count; i++) {
			sum[i].total_ns += rows[i].total_ns;
			sum[i].runs += rows[i].runs;
		}
	}
	if (sum)
		qsort(sum, (size_t)count, sizeof *sum, by_time);
	*ret_count = count;
	return sum;
}

static void print_network(const struct vrs_job *job, struct vrs_session *(*session_of)(const struct vrs_roi_worker *worker), FILE *out)
{
	int count = 0;
	struct vrs_op_profile *rows = add_up(job, session_of, &count);
	double total = 0, frames = (double)(job->flow.stats.frames_done ? job->flow.stats.frames_done : 1);
	if (!rows)
		return;
	for (int i = 0; i < count; i++)
		total += (double)rows[i].total_ns;
	fprintf(out, "%-52s %9s %8s %7s  %s\n", "operator", "ms/frame", "share", "calls", "kernel");
	for (int i = 0; i < count && i < MOST_ROWS && total > 0; i++)
		fprintf(out, "%-52.52s %9.3f %6.1f %% %7llu  %s\n", rows[i].name, (double)rows[i].total_ns / 1e6 / frames,
			100 * (double)rows[i].total_ns / total, (unsigned long long)rows[i].runs, rows[i].kernel);
	if (count > MOST_ROWS)
		fprintf(out, "and %d more\n", count - MOST_ROWS);
	vrs_free(rows);
}

void vrs_job_profile_report(const struct vrs_job *job, FILE *out)
{
	char name[4 * sizeof job->info.model]; /* a manifest may give any */
	if (job->roi.cascade) {
		fprintf(out, "the small network, %s:\n", vrs_printable(name, sizeof name, job->info.early_model));
		print_network(job, small_of, out);
		fprintf(out, "the large network, %s:\n", vrs_printable(name, sizeof name, job->info.model));
	}
	print_network(job, large_of, out);
}
