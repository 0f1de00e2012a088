/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The child's side of part_process.c. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/str_parse.h"
#include "segments/segment_process.h"
#include "segments/truth_text.h"
#include "flow/trace.h"

#include <vrseg/config.h>

#define REQUEST_MAX (1u << 20)

struct request {
	struct vrs_config *config;
	struct vrs_settings settings;
	char input[VRS_PATH_MAX], truth[VRS_PATH_MAX], trace[VRS_PATH_MAX]; /* "": none */
	int64_t number, process;
	struct vrs_segment segment;
};

bool vrs_segment_requested(int argc, char **argv)
{
	return argc == 2 && strcmp(argv[1], VRS_SEGMENT_FLAG) == 0;
}

static enum vrs_status take_options(const cJSON *options, struct request *request, struct vrs_error *err)
{
	enum vrs_status status = vrs_config_create(&request->config);
	for (const cJSON *item = options ? options->child : NULL; item && status == VRS_OK; item = item->next)
		if (cJSON_IsString(item))
			status = vrs_config_set(request->config, item->string, item->valuestring, VRS_SOURCE_FLAG, NULL, err);
	if (status == VRS_OK)
		request->settings = *vrs_config_settings(request->config);
	return status;
}

/* A name that may be left out. */
static bool take_name(const cJSON *root, const char *key, char ret[VRS_PATH_MAX])
{
	const char *name = vrs_json_string(root, key);
	return !name || vrs_strcpy(ret, VRS_PATH_MAX, name);
}

static bool take_span(const cJSON *root, struct request *request)
{
	struct vrs_segment *segment = &request->segment;
	int64_t begin_ns;
	if (!vrs_json_int(root, "number", &request->number) || !vrs_json_int(root, "warm", &segment->preroll) ||
	    !vrs_json_int(root, "first", &segment->first) ||
	    !vrs_json_int(root, "end", &segment->end) || !vrs_json_int(root, "tail", &segment->tail) ||
	    !vrs_json_int(root, "frames_before", &segment->frames_before) || !vrs_json_int(root, "frames_unseen", &segment->frames_unseen) ||
	    !vrs_json_int(root, "begin_ns", &begin_ns) || !vrs_json_int(root, "process", &request->process))
		return false;
	segment->begin_ns = (uint64_t)begin_ns; /* all processes of a machine have one clock */
	return begin_ns >= 0 && segment->frames_before >= 0 && segment->frames_unseen >= 0 && request->number >= 0 && request->number < INT32_MAX &&
	       request->process > 0 && request->process < INT32_MAX;
}

static enum vrs_status read_request(FILE *in, struct request *request, struct vrs_error *err)
{
	static char text[REQUEST_MAX];
	size_t size = fread(text, 1, sizeof text, in);
	cJSON *root;
	enum vrs_status status = vrs_json_parse(text, size, sizeof text, "request", &root, err);
	if (status != VRS_OK)
		return status;
	const char *input = vrs_json_string(root, "input"), *file = vrs_json_string(root, "piece");
	status = take_options(cJSON_GetObjectItemCaseSensitive(root, "options"), request, err);
	bool good = input && file && take_span(root, request) && take_name(root, "truth", request->truth) &&
		    take_name(root, "trace", request->trace) && vrs_strcpy(request->input, sizeof request->input, input) &&
		    vrs_strcpy(request->settings.output.file, sizeof request->settings.output.file, file);
	if (status == VRS_OK && !good)
		status = vrs_fail(err, VRS_EFORMAT, "the request for a segment is damaged");
	request->settings.output.overwrite = true;
	cJSON_Delete(root);
	return status;
}

static bool put_stats(cJSON *root, const struct vrs_job_stats *stats)
{
	cJSON *stages = vrs_json_put_array(root, "stages");
	bool good = stages && vrs_json_put_int(root, "cpu_ns", (int64_t)stats->cpu_ns) &&
		    vrs_json_put_int(root, "peak_rss_bytes", (int64_t)stats->peak_rss_bytes) &&
		    vrs_json_put_int(root, "queue_bytes", (int64_t)stats->queue_bytes) && vrs_json_put_int(root, "reused", (int64_t)stats->frames_reused) &&
		    vrs_json_put_int(root, "eyes_compared", (int64_t)stats->eyes_compared) && vrs_json_put_number(root, "eyes_sum", stats->eyes_sum) &&
		    vrs_json_put_number(root, "eyes_worst", stats->eyes_worst) && vrs_json_put_int(root, "eyes_worst_frame", stats->eyes_worst_frame);
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

static bool put_truth(cJSON *root, const struct vrs_segment_outcome *outcome)
{
	const struct vrs_error *error = &outcome->truth_error;
	return vrs_truth_text_put(root, "truth", &outcome->truth) &&
	       (!error->status || (vrs_json_put_int(root, "truth_status", error->status) && vrs_json_put_string(root, "truth_text", error->text)));
}

static void write_reply(FILE *out, enum vrs_status status, const char *words, const struct vrs_segment_outcome *outcome)
{
	const struct vrs_job_segment_result *result = &outcome->result;
	cJSON *root = cJSON_CreateObject();
	bool good = root && vrs_json_put_int(root, "status", status) && vrs_json_put_string(root, "text", words) &&
		    vrs_json_put_int(root, "frames", (int64_t)result->frames) && vrs_json_put_bool(root, "cut_short", result->truncated) &&
		    vrs_json_put_int(root, "first_pts", result->first_pts) && vrs_json_put_int(root, "end_pts", result->end_pts) &&
		    put_stats(root, &outcome->stats) && put_truth(root, outcome);
	char *text = good ? vrs_json_print(root, false) : NULL;
	if (text)
		fprintf(out, "%s\n", text);
	fflush(out);
	vrs_json_free_text(text);
	cJSON_Delete(root);
}

static enum vrs_status make(struct request *request, struct vrs_segment_outcome *ret, struct vrs_error *err)
{
	struct vrs_segment_order order = {.input = request->input, .settings = &request->settings, .segment = request->segment,
		.number = (int)request->number,
		.truth = request->truth[0] ? request->truth : NULL};
	struct vrs_trace *trace = NULL;
	char title[VRS_PATH_MAX + 32];
	snprintf(title, sizeof title, "%s, process %d", request->input, (int)request->process);
	enum vrs_status status = request->trace[0] ? vrs_trace_create(&trace, request->trace, title, (int)request->process, true, err) : VRS_OK;
	order.segment.trace = trace;
	if (status == VRS_OK)
		status = vrs_segment_run(&order, ret, err);
	vrs_trace_destroy(trace);
	return status;
}

int vrs_segment_child_main(FILE *in, FILE *out)
{
	static struct request request;
	struct vrs_error err = {0};
	struct vrs_segment_outcome outcome = {0};
	enum vrs_status status = read_request(in, &request, &err);
	if (status == VRS_OK)
		status = make(&request, &outcome, &err);
	write_reply(out, status, status != VRS_OK ? err.text : "", &outcome);
	vrs_config_destroy(request.config);
	return vrs_exit_code(status == VRS_END ? VRS_OK : status);
}
