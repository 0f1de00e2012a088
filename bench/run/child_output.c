/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the encoder made of the pictures: how many bytes, and how near they come to what it was given. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/proc.h"
#include "base/str_parse.h"
#include "bench/run/child_run.h"

#define SIMILARITY_KEY "lavfi.ssim.All="
#define SIMILARITY_TIMEOUT_SECONDS 60

/* The whole file over all its frames: those of the warm-up are encoded like the others. */
static void output_size(const struct vrs_child *child, struct vrs_run *run)
{
	struct vrs_job_stats stats;
	struct stat info;
	double fps = vrs_job_info(child->job)->fps;
	vrs_job_stats(child->job, &stats);
	if (stats.frames_done == 0 || stat(child->settings->output.file, &info) < 0 || !S_ISREG(info.st_mode))
		return;
	run->output_bytes_per_frame = (double)info.st_size / (double)stats.frames_done;
	if (fps > 0)
		run->output_kbps = 8e-3 * run->output_bytes_per_frame * fps;
}

/* The first frames once more, without loss. */
static enum vrs_status make_plain(const struct vrs_child *child, struct vrs_error *err)
{
	const struct vrs_run_request *request = child->request;
	struct vrs_settings *plain = vrs_calloc(1, sizeof *plain);
	struct vrs_job *job = NULL;
	if (!plain)
		return vrs_fail_nomem(err);
	*plain = *child->settings;
	vrs_strcpy(plain->output.file, sizeof plain->output.file, request->plain_file);
	vrs_strcpy(plain->output.encoder, sizeof plain->output.encoder, "ffv1");
	vrs_strcpy(plain->output.bitrate, sizeof plain->output.bitrate, "auto");
	plain->output.preset[0] = 0;
	plain->output.crf = plain->output.quality = -1;
	plain->output.lossless = false;
	plain->pipeline.max_frames = request->encode_frames;
	enum vrs_status status = vrs_job_create(&job, request->input, plain, 0, NULL, err);
	if (status == VRS_OK)
		status = vrs_job_run(job, err);
	vrs_job_destroy(job);
	vrs_free(plain);
	return status;
}

/* Mean of the values that ffmpeg printed, a line for each frame; NaN: none. */
static double mean_similarity(const char *text)
{
	double sum = 0, value;
	int count = 0;
	for (const char *at = text; (at = strstr(at, SIMILARITY_KEY)); count++) {
		char word[32];
		at += strlen(SIMILARITY_KEY);
		snprintf(word, sizeof word, "%.*s", (int)strcspn(at, "\r\n"), at);
		if (!vrs_parse_double(word, 0, 1, &value))
			return NAN;
		sum += value;
	}
	return count ? sum / count : NAN;
}

/* Without ffmpeg, or where it cannot read the file, the value stays absent. */
static enum vrs_status compare(const struct vrs_child *child, double *ret_similarity, struct vrs_error *err)
{
	char frames[16], encoded[VRS_PATH_MAX + 8], plain[VRS_PATH_MAX + 8];
	snprintf(frames, sizeof frames, "%d", child->request->encode_frames);
	snprintf(encoded, sizeof encoded, "file:%s", child->settings->output.file);
	snprintf(plain, sizeof plain, "file:%s", child->request->plain_file);
	const char *const argv[] = {"ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-threads", "1", "-i", encoded, "-threads", "1", "-i",
				    plain, "-lavfi", "[0:v:0][1:v:0]ssim=shortest=1,metadata=mode=print:key=lavfi.ssim.All:file=-", "-frames:v", frames,
				    "-f", "null", "-", NULL};
	const struct vrs_proc_options options = {.argv = argv, .timeout_seconds = SIMILARITY_TIMEOUT_SECONDS, .output_max = 1 << 20};
	struct vrs_proc_result result;
	enum vrs_status status = vrs_proc_run(&options, &result, err);
	if (status == VRS_ENOTFOUND) {
		err->status = VRS_OK;
		return VRS_OK;
	}
	if (status != VRS_OK)
		return status;
	if (result.stopped)
		status = vrs_fail(err, VRS_ESTOPPED, "stopped while comparing the encoded pictures");
	else if (result.exit_code == 0)
		*ret_similarity = mean_similarity(vrs_buf_str(&result.out));
	vrs_proc_result_fini(&result);
	return status;
}

enum vrs_status vrs_child_output(struct vrs_child *child, struct vrs_run *run, struct vrs_error *err)
{
	if (vrs_job_info(child->job)->live || strcmp(child->request->output, "null:") == 0)
		return VRS_OK;
	output_size(child, run);
	if (child->request->encode_frames == 0)
		return VRS_OK;
	vrs_job_destroy(child->job); /* its memory would add to that of the next one */
	child->job = NULL;
	enum vrs_status status = make_plain(child, err);
	if (vrs_run_lacks_memory(status)) { /* for a lossless encoder, which takes more than others */
		*err = (struct vrs_error){.status = VRS_OK};
		status = VRS_OK;
	} else if (status == VRS_OK) {
		status = compare(child, &run->encode_ssim, err);
	}
	(void)unlink(child->request->plain_file);
	return status;
}
