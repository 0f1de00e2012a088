/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The child's side of part_process.c. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str_parse.h"
#include "film/part_process.h"

#include <vrseg/config.h>

#define REQUEST_MAX (1u << 20)

struct request {
	struct vrs_config *config;
	struct vrs_settings settings;
	char input[VRS_PATH_MAX];
	struct vrs_job_part part;
};

bool vrs_part_requested(int argc, char **argv)
{
	return argc == 2 && strcmp(argv[1], VRS_PART_FLAG) == 0;
}

static enum vrs_status take_options(const cJSON *options, struct request *request, struct vrs_error *err)
{
	enum vrs_status status = vrs_config_create(&request->config);
	for (const cJSON *item = options ? options->child : NULL; item && !status; item = item->next)
		if (cJSON_IsString(item))
			status = vrs_config_set(request->config, item->string, item->valuestring, VRS_SOURCE_FLAG, NULL, err);
	if (!status)
		request->settings = *vrs_config_settings(request->config);
	return status;
}

static enum vrs_status read_request(FILE *in, struct request *request, struct vrs_error *err)
{
	static char text[REQUEST_MAX];
	size_t size = fread(text, 1, sizeof text, in);
	cJSON *root;
	enum vrs_status status = vrs_json_parse(text, size, sizeof text, "request", &root, err);
	if (status)
		return status;
	const char *input = vrs_json_string(root, "input"), *piece = vrs_json_string(root, "piece");
	struct vrs_job_part *part = &request->part;
	status = take_options(cJSON_GetObjectItemCaseSensitive(root, "options"), request, err);
	bool good = input && piece && vrs_json_int(root, "warm", &part->warm) && vrs_json_int(root, "first", &part->first) &&
		    vrs_json_int(root, "end", &part->end) && vrs_json_int(root, "tail", &part->tail) &&
		    vrs_strcpy(request->input, sizeof request->input, input) &&
		    vrs_strcpy(request->settings.output.file, sizeof request->settings.output.file, piece);
	if (!status && !good)
		status = vrs_fail(err, VRS_EFORMAT, "the request for a part is damaged");
	request->settings.output.overwrite = true;
	cJSON_Delete(root);
	return status;
}

static bool put_stats(cJSON *root, const struct vrs_job_stats *stats)
{
	cJSON *stages = vrs_json_put_array(root, "stages");
	bool good = stages && vrs_json_put_int(root, "cpu_ns", (int64_t)stats->cpu_ns) &&
		    vrs_json_put_int(root, "peak_rss_bytes", (int64_t)stats->peak_rss_bytes);
	for (int i = 0; good && i < VRS_STAGE_COUNT; i++) {
		const struct vrs_stage_stats *s = &stats->stage[i];
		cJSON *stage = cJSON_CreateObject();
		good = stage && cJSON_AddItemToArray(stages, stage) && vrs_json_put_int(stage, "frames", (int64_t)s->frames) &&
		       vrs_json_put_int(stage, "busy_ns", (int64_t)s->busy_ns) && vrs_json_put_int(stage, "cpu_ns", (int64_t)s->cpu_ns) &&
		       vrs_json_put_int(stage, "wait_input_ns", (int64_t)s->wait_input_ns) &&
		       vrs_json_put_int(stage, "wait_output_ns", (int64_t)s->wait_output_ns);
	}
	return good;
}

static void write_reply(FILE *out, enum vrs_status status, const char *words, const struct vrs_job_part_result *result,
			const struct vrs_job_stats *stats)
{
	cJSON *root = cJSON_CreateObject();
	bool good = root && vrs_json_put_int(root, "status", status) && vrs_json_put_string(root, "text", words) &&
		    vrs_json_put_int(root, "frames", (int64_t)result->frames) && vrs_json_put_bool(root, "cut_short", result->cut_short) &&
		    vrs_json_put_int(root, "first_pts", result->first_pts) && vrs_json_put_int(root, "end_pts", result->end_pts) && put_stats(root, stats);
	char *text = good ? vrs_json_print(root, false) : NULL;
	if (text)
		fprintf(out, "%s\n", text);
	fflush(out);
	vrs_json_free_text(text);
	cJSON_Delete(root);
}

int vrs_part_main(FILE *in, FILE *out)
{
	static struct request request;
	struct vrs_error err = {0};
	struct vrs_job_part_result result = {0};
	struct vrs_job_stats stats = {0};
	struct vrs_job *job = NULL;
	enum vrs_status status = read_request(in, &request, &err);
	if (!status)
		status = vrs_job_create_part(&job, request.input, &request.settings, &request.part, NULL, &err);
	if (!status) {
		status = vrs_job_run(job, &err);
		result = vrs_job_part_result(job);
		vrs_job_stats(job, &stats);
	}
	write_reply(out, status, status ? err.text : "", &result, &stats);
	vrs_job_destroy(job);
	vrs_config_destroy(request.config);
	return vrs_exit_code(status == VRS_END ? VRS_OK : status);
}
