/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stage report of --stats.  Utilisation is busy time over the time that the threads of a stage had; the stage that is most utilised limits the
 * job, unless all CPUs are busy: then the work itself does.
 */
#include <vrseg/progress.h>

#include <string.h>

struct unit {             /* threads that do one part of the work */
	const char *name;
	uint64_t busy_ns;
	int threads;
};

static double ms_per_frame(uint64_t ns, uint64_t frames)
{
	return frames ? (double)ns / 1e6 / (double)frames : 0;
}

static void print_stage(const struct vrs_stage_stats *stage, const char *name, const struct vrs_job_stats *stats, int threads, FILE *out)
{
	double had = (double)stats->wall_ns * threads;
	double part = had > 0 ? 100.0 / had : 0;
	fprintf(out, "%-12s %8llu %10.2f %9.2f %8.1f %%  %7.1f %%  %7.1f %%\n", name, (unsigned long long)stage->frames,
		ms_per_frame(stage->busy_ns, stats->frames_done), ms_per_frame(stage->cpu_ns, stats->frames_done), (double)stage->busy_ns * part,
		(double)stage->wait_input_ns * part, (double)stage->wait_output_ns * part);
}

/* The decoder's and encoder's own threads are not ours to clock; what is left of the process is theirs. */
static uint64_t library_cpu(const struct vrs_job_stats *stats)
{
	uint64_t ours = 0;
	for (int i = VRS_STAGE_PREPROCESS; i <= VRS_STAGE_COMPOSE; i++)
		ours += stats->stage[i].cpu_ns;
	return stats->cpu_ns > ours ? stats->cpu_ns - ours : 0;
}

static void print_verdict(const struct vrs_job_stats *stats, const struct vrs_job_info *info, FILE *out)
{
	const struct vrs_stage_stats *s = stats->stage;
	uint64_t work = s[VRS_STAGE_PREPROCESS].busy_ns + s[VRS_STAGE_INFERENCE].busy_ns + s[VRS_STAGE_POSTPROCESS].busy_ns +
			s[VRS_STAGE_COMPOSE].busy_ns;
	const struct unit units[] = {{"decoding", s[VRS_STAGE_DECODE].busy_ns, 1}, {"the network and its pictures", work, info->streams},
		{"encoding", s[VRS_STAGE_ENCODE].busy_ns, 1}};
	const struct unit *limit = &units[0];
	for (int i = 1; i < 3; i++)
		if ((double)units[i].busy_ns / units[i].threads > (double)limit->busy_ns / limit->threads)
			limit = &units[i];
	double wall = (double)stats->wall_ns, cpus = (double)stats->cpu_ns / wall, share = (double)limit->busy_ns / limit->threads / wall;
	fprintf(out, "CPU: %.2f of %d in use, %.1f ms per frame, of which %.1f are the decoder's and encoder's\n", cpus, info->cpus,
		ms_per_frame(stats->cpu_ns, stats->frames_done), ms_per_frame(library_cpu(stats), stats->frames_done));
	if (info->live && !stats->live.dropped && share < 0.9) {
		fprintf(out, "limit: the pace of the source (%s: busy %.0f %% of the time)\n", limit->name, 100 * share);
		return;
	}
	fprintf(out, "limit: %s, busy %.0f %% of the time%s\n", limit->name, 100 * share,
		cpus > 0.9 * info->cpus ? "; all CPUs are in use, so only less work makes it faster" : "");
}

void vrs_job_print_agreement(const struct vrs_job_stats *stats, FILE *out)
{
	if (stats->eyes_compared)
		fprintf(out, "eyes: their mattes agree by %.4f, worst %.4f in frame %lld\n", stats->eyes_sum / (double)stats->eyes_compared,
			stats->eyes_worst, (long long)stats->eyes_worst_frame);
}

void vrs_stage_report(const struct vrs_job_stats *stats, const struct vrs_job_info *info, FILE *out)
{
	if (!stats->frames_done || !stats->wall_ns)
		return;
	fprintf(out, "%-12s %8s %10s %9s %10s %10s %10s\n", "stage", "frames", "ms/frame", "cpu ms", "busy", "starved", "blocked");
	for (int i = 0; i < VRS_STAGE_COUNT; i++) {
		bool worker = i >= VRS_STAGE_PREPROCESS && i <= VRS_STAGE_COMPOSE;
		print_stage(&stats->stage[i], vrs_stage_name((enum vrs_stage)i), stats, worker ? info->streams : 1, out);
	}
	vrs_job_print_agreement(stats, out);
	if (stats->frames_reused)
		fprintf(out, "reused: %llu of %llu frames did without the network\n", (unsigned long long)stats->frames_reused,
			(unsigned long long)stats->frames_done);
	if (stats->early_looks)
		fprintf(out, "early exit: %s was enough for %llu of %llu looks (%.0f %%), mean confidence %.4f\n", info->early_model,
			(unsigned long long)stats->early_enough, (unsigned long long)stats->early_looks,
			100.0 * (double)stats->early_enough / (double)stats->early_looks, stats->early_confidence / (double)stats->early_looks);
	print_verdict(stats, info, out);
	fprintf(out, "memory: peak %.0f MiB, frames in queues at most %.0f MiB\n", (double)stats->peak_rss_bytes / 1048576,
		(double)stats->queue_bytes / 1048576);
}
