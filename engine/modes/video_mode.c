/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One video: describes what is done with it, runs the job, and says how it went. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/printable.h"
#include "base/stop.h"
#include "modes/another_try.h"
#include "modes/keyboard.h"
#include "modes/program.h"

#include <vrseg/log.h>
#include <vrseg/long_job.h>
#include <vrseg/machine.h>
#include <vrseg/output_file.h>
#include <vrseg/peaks.h>

/* Under whatever name: /dev/stdout, or the pipe or file that the shell has put there.  What goes to /dev/null is in nobody's way. */
static bool is_standard_output(const char *file)
{
	const char *path = strncmp(file, "y4m:", 4) == 0 ? file + 4 : strncmp(file, "hash:", 5) == 0 ? file + 5 : file;
	struct stat target, out, null;
	if (strcmp(path, "-") == 0)
		return true;
	if (stat(path, &target) != 0 || fstat(STDOUT_FILENO, &out) != 0 || target.st_dev != out.st_dev || target.st_ino != out.st_ino)
		return false;
	return !S_ISCHR(out.st_mode) || stat("/dev/null", &null) != 0 || null.st_rdev != out.st_rdev;
}

static void on_frame(void *cookie, const struct vrs_frame_times *times)
{
	struct vrs_program_state *program = cookie;
	(void)times;
	vrs_progress_frame(program->meter, program->job);
	vrs_job_metrics_frame(program->metrics, program->job);
}

static void on_output(void *cookie)
{
	struct vrs_program_state *program = cookie;
	program->output_begun = true;
}

static void on_matte(void *cookie, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	struct vrs_program_state *program = cookie;
	if (program->truth)
		vrs_truth_add(program->truth, index, eye, matte, covers);
	if (program->check)
		vrs_pack_check_add(program->check, index, eye, matte, covers);
}

static void on_segment(void *cookie, const struct vrs_job_stats *stats)
{
	struct vrs_program_state *program = cookie;
	vrs_progress_stats(program->meter, stats);
	vrs_job_metrics_stats(program->metrics, stats);
}

static void on_job(void *cookie, struct vrs_job *job)
{
	struct vrs_program_state *program = cookie;
	vrs_keyboard_watch(program->keys, job);
	program->job = job;
}

static void on_device_lost(void *cookie, const char *left)
{
	vrs_program_note_lost(cookie, left);
}

static void on_info(void *cookie, const struct vrs_job_info *info)
{
	struct vrs_program_state *program = cookie;
	program->info = *info;
	vrs_job_metrics_begin(program->metrics, info);
	const struct vrs_rect *view = &info->views[0];
	const char *auto_reason = info->precision_reason;
	char rate[32] = "";
	if (info->fps > 0)
		snprintf(rate, sizeof rate, ", %.4g frames/s", info->fps);
	vrs_log(VRS_LOG_INFO, "%s: %dx%d%s, %s, %s", info->input, info->width, info->height, rate, info->codec, info->pixels);
	vrs_log(VRS_LOG_INFO, "layout %s, %s (%s)", vrs_stereo_name(info->layout.stereo), vrs_projection_name(info->layout.projection),
		info->layout.reason);
	if (info->packing[0] && !info->packing_shifts) /* of which the job has warned */
		vrs_log(VRS_LOG_INFO, "alpha packing: %s", info->packing);
	vrs_log(VRS_LOG_INFO, "network %s at %dx%d %s %dx%d %s%s; %s %s, %s%s%s%s, batch %d, streams %d x threads %d", info->model, info->net_width,
		info->net_height, info->follows ? "looks for people in" : "sees", view->width, view->height,
		info->eyes > 1 ? "of each eye" : "of the picture", info->follows ? " and follows them" : "", info->backend,
		info->device[0] ? info->device : info->isa, vrs_precision_name(info->precision), auto_reason[0] ? " (" : "", auto_reason,
		auto_reason[0] ? ")" : "", info->batch, info->streams, info->threads);
	if (info->early_model[0])
		vrs_log(VRS_LOG_INFO, "early exit: %s at %dx%d runs first", info->early_model, info->early_width, info->early_height);
}

/* The last column. */
static void print_dtssd(const struct vrs_truth_score *s, const struct vrs_truth_metric *dtssd, FILE *out)
{
	double factor = vrs_quality_figure_info(VRS_FIGURE_DTSSD)->factor;
	if (s->pairs > 0)
		fprintf(out, "   %6.2f %6.2f\n", factor * dtssd->mean, factor * dtssd->worst);
	else
		fprintf(out, "   %6s %6s\n", "-", "-");
}

static void print_score(const char *eye, const char *size, const struct vrs_truth_score *s, FILE *out)
{
	fprintf(out, "%-6s %-7s %6llu   %.4f %.4f   %.4f %.4f   %.4f %.4f", eye, size, (unsigned long long)s->frames, s->iou.mean, s->iou.worst,
		s->mad.mean, s->mad.worst, s->boundary_f.mean, s->boundary_f.worst);
	print_dtssd(s, &s->dtssd, out);
}

/* Errors over the box of the people: MSE x 1000 and dtSSD x 100, as papers print them. */
static void print_box(const char *eye, const struct vrs_truth_score *s, FILE *out)
{
	double mse = vrs_quality_figure_info(VRS_FIGURE_BOX_MSE)->factor;
	fprintf(out, "%-6s %-7s %6llu   %.4f %.4f   ", eye, "box", (unsigned long long)s->frames, s->contour_f.mean, s->contour_f.worst);
	if (!s->has_box) {
		fprintf(out, "nobody is there\n");
		return;
	}
	fprintf(out, "%.4f %.4f   %6.2f %6.2f", s->box_mad.mean, s->box_mad.worst, mse * s->box_mse.mean, mse * s->box_mse.worst);
	print_dtssd(s, &s->box_dtssd, out);
}

static const char *eye_name(const struct vrs_truth_result *result, int eye)
{
	return result->eyes == 1 ? "mono" : eye == 0 ? "left" : "right";
}

static void print_truth(const struct vrs_program_state *program, const struct vrs_job_stats *stats)
{
	const struct vrs_truth_result *result = &program->truth_result;
	fprintf(program->results, "%-6s %-7s %6s   %-13s   %-13s   %-13s   %-13s\n", "eye", "size", "frames", "IoU mean/worst", "MAD", "boundary F",
		vrs_quality_figure_info(VRS_FIGURE_DTSSD)->head);
	for (int i = 0; i < result->eyes; i++) {
		print_score(eye_name(result, i), "frame", &result->frame_size[i], program->results);
		print_score(eye_name(result, i), "matte", &result->matte_size[i], program->results);
	}
	fprintf(program->results, "%-6s %-7s %6s   %-13s   %-13s   %-13s   %-13s\n", "eye", "over", "frames",
		vrs_quality_figure_info(VRS_FIGURE_CONTOUR_F)->head, "MAD", "MSE x1000", "dtSSD x100");
	for (int i = 0; i < result->eyes; i++)
		print_box(eye_name(result, i), &result->frame_size[i], program->results);
	if (result->pair.frames > 0)
		fprintf(program->results, "eyes, where the truth sees the same: mattes agree by %.4f, worst %.4f in frame %lld; truths by %.4f\n",
			result->pair.mattes.mean, result->pair.mattes.worst, (long long)result->pair.mattes.worst_frame, result->pair.truths.mean);
	if (!program->settings.report.stats) /* the report of the stages has it already */
		vrs_job_print_agreement(stats, program->results);
}

static void print_packed(FILE *out, const char *eye, const struct vrs_truth_metric *iou, const struct vrs_truth_metric *mad)
{
	fprintf(out, "packed matte, %-5s eye: IoU %.4f, worst %.4f in frame %lld; mean difference %.4f, worst %.4f in frame %lld\n", eye, iou->mean,
		iou->worst, (long long)iou->worst_frame, mad->mean, mad->worst, (long long)mad->worst_frame);
}

static void close_check(struct vrs_program_state *program)
{
	vrs_pack_check_close(program->check);
	program->check = NULL;
}

/*
 * --truth: where the comparison has failed, the output does not replace another one.
 * --verify-pack: the packed video is read again before it has its name, and its mattes are compared with those that were meant.  After a stop it is
 * kept as it is, like all that was encoded; report_packing says that it was not compared.
 */
static enum vrs_status check_output(void *cookie, const char *file, struct vrs_error *err)
{
	struct vrs_program_state *program = cookie;
	struct vrs_pack_result *result = &program->packing;
	enum vrs_status status = program->truth ? vrs_truth_result(program->truth, &program->truth_result, err) : VRS_OK;
	if (status != VRS_OK || !program->check)
		return status;
	status = vrs_pack_check_run(program->check, file, result, err);
	close_check(program);
	program->packing_known = status == VRS_OK;
	if (status == VRS_OK && !result->passed)
		return vrs_fail(err, VRS_EIO, "%s did not pass --verify-pack, and is not kept: %s", program->settings.output.file, result->reason);
	return status == VRS_ESTOPPED ? VRS_OK : status;
}

/* After the job, which has ended with job_status. */
static enum vrs_status report_packing(struct vrs_program_state *program, enum vrs_status job_status, struct vrs_error *err)
{
	const struct vrs_pack_result *result = &program->packing;
	close_check(program);
	if (!program->packing_known && job_status == VRS_OK)
		return vrs_fail(err, VRS_ESTOPPED, "stopped before all mattes of %s were compared", program->settings.output.file);
	if (!program->packing_known)
		return job_status;
	print_packed(program->results, "left", &result->iou[0], &result->mad[0]);
	print_packed(program->results, "right", &result->iou[1], &result->mad[1]);
	fprintf(program->results, "packing of %llu frames: %s\n", (unsigned long long)result->frames, result->passed ? "PASS" : "FAIL");
	return job_status;
}

static enum vrs_status try_whole(struct vrs_program_state *program, struct vrs_job_stats *ret_stats, struct vrs_error *err)
{
	const struct vrs_settings *settings = &program->settings;
	enum vrs_status status = settings->output.verify_pack ? vrs_pack_check_create(&program->check, settings, err) : VRS_OK;
	struct vrs_job_callbacks callbacks = {.cookie = program, .on_frame = on_frame, .on_matte = program->truth_file || program->check ? on_matte : NULL,
		.check_output = program->truth_file || program->check ? check_output : NULL, .outlives_device = true};
	program->packing_known = false;
	if (status == VRS_OK && program->truth_file && !program->truth)
		status = vrs_truth_open(&program->truth, program->truth_file, program->input, settings, err);
	callbacks.on_output = on_output;
	if (status == VRS_OK)
		status = vrs_job_create(&program->job, program->input, settings, 1, &callbacks, err);
	if (status == VRS_OK && program->check)
		status = vrs_pack_check_attach(program->check, vrs_job_info(program->job), err);
	if (status == VRS_OK && program->truth)
		status = vrs_truth_attach(program->truth, vrs_job_info(program->job), settings->pipeline.every_nth, err);
	if (status != VRS_OK) {
		close_check(program);
		return status;
	}
	on_info(program, vrs_job_info(program->job));
	vrs_keyboard_watch(program->keys, program->job);
	status = vrs_job_run(program->job, err);
	vrs_keyboard_watch(program->keys, NULL);
	vrs_job_stats(program->job, ret_stats);
	if (settings->output.verify_pack)
		status = report_packing(program, status, err);
	if (status == VRS_OK && program->truth && vrs_truth_result(program->truth, &program->truth_result, &program->truth_error))
		program->truth_result.eyes = 0;
	return status;
}

static enum vrs_status run_whole(struct vrs_program_state *program, struct vrs_job_stats *ret_stats, struct vrs_error *err)
{
	char left[VRS_DEVICES_TEXT];
	enum vrs_status status;
	bool again;
	do {
		program->output_begun = false;
		status = try_whole(program, ret_stats, err);
		again = vrs_program_tries_again(program, status, vrs_job_repeats(&program->settings, program->input, program->output_begun), err);
		if (again)
			*err = (struct vrs_error){0};
	} while (again);
	if (program->job && vrs_job_lost_device(program->job, left, sizeof left)) /* and has gone on without it */
		vrs_program_note_lost(program, left);
	return status;
}

static enum vrs_status run_in_segments(struct vrs_program_state *program, const struct vrs_long_plan *plan, struct vrs_job_stats *ret_stats,
				    struct vrs_error *err)
{
	struct vrs_long_truth truth = {.file = program->truth_file};
	const struct vrs_long_job request = {.input = program->input, .plan = plan, .settings = &program->settings,
		.truth = program->truth_file ? &truth : NULL, .cookie = program, .on_info = on_info, .on_job = on_job, .on_frame = on_frame,
		.on_segment = on_segment, .on_device_lost = on_device_lost};
	enum vrs_status status = vrs_output_name_check(program->input, &program->settings, err);
	bool again = status == VRS_OK;
	while (again) {
		status = vrs_long_job_run(&request, ret_stats, err);
		again = vrs_program_tries_again(program, status, false, err);
	}
	program->truth_error = truth.error;
	if (status == VRS_OK && !truth.error.status)
		program->truth_result = truth.result;
	return status;
}

/* An option of videos in segments that was asked for; NULL: none. */
static const char *asked_for(const struct vrs_program_state *program)
{
	const struct vrs_settings *settings = &program->settings;
	if (settings->pipeline.processes)
		return "--processes";
	return settings->pipeline.resume && vrs_config_source(program->config, "pipeline.resume") == VRS_SOURCE_FLAG ? "--resume" : NULL;
}

/* The plan of a video that is made in segments; NULL: in one go. What was asked for and cannot be is refused, or told where the input decides. */
static enum vrs_status plan_segments(const struct vrs_program_state *program, struct vrs_long_plan **ret_plan, struct vrs_error *err)
{
	struct vrs_error why = {0};
	const char *flag = asked_for(program);
	enum vrs_status status = vrs_long_plan_make(ret_plan, program->input, &program->settings, &why);
	if (status == VRS_ECONFIG && flag)
		return vrs_fail(err, VRS_ECONFIG, "%s is for videos that are made in segments, and %s; leave one of the two out", flag, why.text);
	if (status == VRS_EUNSUPPORTED && flag && vrs_path_exists(program->input))
		return vrs_config_warn(&program->settings, program->input, err, "%s is made in one go, without %s: %s", program->input, flag, why.text);
	if (status == VRS_END && program->settings.pipeline.processes)
		vrs_log(VRS_LOG_INFO, "%s is made by one process: %s", program->input, why.text);
	return vrs_status_may_pass(status) ? vrs_fail(err, status, "%s", why.text) : VRS_OK;
}

/* --dry-run: a job is made, and not run. It has no trace. */
static enum vrs_status print_plan(struct vrs_program_state *program, struct vrs_error *err)
{
	const struct vrs_job_callbacks callbacks = {.plans_only = true};
	enum vrs_status status = vrs_auto_tune(program, false, err);
	program->settings.report.trace[0] = '\0';
	if (status == VRS_OK)
		status = vrs_job_create(&program->job, program->input, &program->settings, 1, &callbacks, err);
	if (status != VRS_OK)
		return status;
	on_info(program, vrs_job_info(program->job));
	vrs_memory_print(&program->info.memory, &program->info.memory_room, program->results);
	return VRS_OK;
}

enum vrs_status vrs_video_run(struct vrs_program_state *program, struct vrs_job_stats *ret_stats, struct vrs_error *err)
{
	struct vrs_long_plan *plan = NULL;
	*ret_stats = (struct vrs_job_stats){0};
	vrs_log_distinct(true); /* the same files are opened more than once */
	enum vrs_status status = vrs_config_check_files(program->config, &program->settings, program->input, err);
	if (status == VRS_OK)
		status = vrs_auto_tune(program, true, err);
	if (status == VRS_OK)
		status = plan_segments(program, &plan, err);
	program->keys = vrs_keyboard_begin(program);
	if (status == VRS_OK)
		status = plan ? run_in_segments(program, plan, ret_stats, err) : run_whole(program, ret_stats, err);
	vrs_keyboard_end(program->keys);
	program->keys = NULL;
	vrs_log_distinct(false);
	vrs_long_plan_free(plan);
	vrs_job_metrics_end(program->metrics, ret_stats, status);
	if (status != VRS_OK && status != VRS_ESTOPPED && !ret_stats->kept)
		vrs_progress_clear(program->meter);
	else
		vrs_progress_end(program->meter, ret_stats);
	return status;
}

/* What the machine could do is measured now that it is idle, in half a second. */
static void print_bounds(struct vrs_program_state *program, const struct vrs_job_stats *stats)
{
	struct vrs_machine *machine = vrs_calloc(1, sizeof *machine);
	struct vrs_peaks peaks;
	struct vrs_error err = {0};
	enum vrs_status status = machine ? vrs_machine_detect(machine, false) : VRS_ENOMEM;
	if (status == VRS_OK)
		status = vrs_peaks_measure(machine, program->info.cpus, 1, vrs_machine_ceilings, &peaks, &err);
	if (status == VRS_OK)
		vrs_bound_report(stats, &program->info, &peaks, program->results);
	vrs_free(machine);
}

static void print_summary(struct vrs_program_state *program, const struct vrs_job_stats *stats)
{
	char file[VRS_PATH_MAX];
	double seconds = (double)stats->wall_ns / 1e9;
	uint64_t frames = stats->frames_done - stats->frames_aside;
	fprintf(program->results, "%llu frame%s in %.2f s, %.2f frames/s -> %s\n", (unsigned long long)frames, frames == 1 ? "" : "s", seconds,
		seconds > 0 ? (double)frames / seconds : 0,
		vrs_printable(file, sizeof file, program->settings.output.file));
	program->missed_targets += vrs_target_report(stats, &program->info, program->settings.target.fps,
						    program->settings.target.max_latency_ms, program->results);
	if (!program->settings.report.stats && !program->settings.report.profile)
		return;
	vrs_stage_report(stats, &program->info, program->results);
	if (program->settings.report.profile && program->job)
		vrs_job_profile_report(program->job, program->results);
	if (!vrs_stop_requested())
		print_bounds(program, stats);
}

bool vrs_program_output_is_complete(const struct vrs_program_state *program, const char *input, bool is_replaced)
{
	char reason[VRS_PATH_MAX + 64];
	const struct vrs_settings *settings = &program->settings;
	bool unfinished = vrs_long_job_is_unfinished(settings->output.file); /* which knows what no comparison of frames can */
	if (unfinished)
		snprintf(reason, sizeof reason, "%s is unfinished", settings->output.file);
	else if (vrs_output_is_complete(input, settings->output.file, settings, reason, sizeof reason))
		return true;
	vrs_log(VRS_LOG_INFO, "%s%s", reason, unfinished && settings->pipeline.resume ? "; going on with it" : is_replaced ? "; making it again" : "");
	return false;
}

/*
 * --skip-existing: is the output there already?  Another one under a name that the user has typed is replaced with --overwrite alone, unlike outputs
 * whose names are made up (multi_file_mode.c); one that a stopped run has saved by the run that goes on with it.
 */
static enum vrs_status skip_existing(const struct vrs_program_state *program, bool *ret_done, struct vrs_error *err)
{
	char file[VRS_PATH_MAX];
	const struct vrs_settings *settings = &program->settings;
	*ret_done = false;
	if (!settings->output.skip_existing)
		return VRS_OK;
	enum vrs_status status = vrs_output_compare_check(program->input, err);
	if (status != VRS_OK || !vrs_path_exists(settings->output.file))
		return status;
	*ret_done = vrs_program_output_is_complete(program, program->input, settings->output.overwrite);
	if (*ret_done)
		fprintf(program->results, "%s is there and complete: skipped%s\n", vrs_printable(file, sizeof file, settings->output.file),
			program->truth_file ? "; nothing was compared with the truth" : "");
	return VRS_OK;
}

enum vrs_status vrs_mode_video(struct vrs_program_state *program, struct vrs_error *err)
{
	const struct vrs_settings *settings = &program->settings;
	struct vrs_job_stats stats = {0};
	bool done = false;
	enum vrs_status status = vrs_config_check(program->config, settings, err);
	if (status == VRS_OK && !settings->output.file[0])
		status = vrs_default_output(program, NULL, vrs_output_suffix(settings), NULL, err);
	if (is_standard_output(settings->output.file))
		program->results = program->aside;
	if (status == VRS_OK)
		status = vrs_program_settle_output(program, true, err);
	if (status == VRS_OK && program->dry_run)
		return print_plan(program, err);
	if (status == VRS_OK)
		status = skip_existing(program, &done, err);
	if (status == VRS_OK && done)
		return VRS_OK;
	if (status == VRS_OK)
		status = vrs_video_run(program, &stats, err);
	if (status != VRS_OK && !(status == VRS_ESTOPPED && stats.frames_done > stats.frames_aside) && !stats.kept)
		return status;
	program->last_stats = stats;
	print_summary(program, &stats);
	if (status == VRS_OK && program->truth_error.status) {
		*err = program->truth_error;
		return err->status;
	}
	if (status == VRS_OK && program->truth_result.eyes)
		print_truth(program, &stats);
	return status;
}
