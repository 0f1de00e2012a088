/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "segments/segment_process.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/proc.h"
#include "base/str_parse.h"
#include "segments/truth_text.h"

#include <vrseg/config.h>
#include <vrseg/log.h>

#define REPLY_MAX (1u << 20)

static bool put_option(cJSON *options, const char *key, int value)
{
	char text[16];
	snprintf(text, sizeof text, value ? "%d" : strcmp(key, "pipeline.max_frames") == 0 ? "all" : "auto", value);
	cJSON_DeleteItemFromObjectCaseSensitive(options, key);
	return vrs_json_put_string(options, key, text);
}

/* Every option as text, then what the settings say differently. */
static bool put_options(cJSON *root, const struct vrs_config *config, const struct vrs_settings *settings)
{
	char value[VRS_PATH_MAX + 16];
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	cJSON *options = vrs_json_put_object(root, "options");
	bool good = options != NULL;
	for (int i = 0; good && i < count; i++)
		if (rows[i].state == VRS_OPT_READY && strncmp(rows[i].key, "report.", 7) != 0 && strcmp(rows[i].key, "output.file") != 0 &&
		    vrs_config_get(config, rows[i].key, value, sizeof value) == VRS_OK)
			good = vrs_json_put_string(options, rows[i].key, value);
	cJSON_DeleteItemFromObjectCaseSensitive(options, "output.encoder");
	return good && vrs_json_put_string(options, "output.encoder", settings->output.encoder) &&
	       put_option(options, "engine.batch_size", settings->engine.batch_size) &&
	       put_option(options, "engine.streams", settings->engine.streams) && put_option(options, "engine.threads", settings->engine.threads) &&
	       put_option(options, "pipeline.decode_workers", settings->pipeline.decode_threads) &&
	       put_option(options, "pipeline.queue_size", settings->pipeline.queue_size) &&
	       put_option(options, "pipeline.max_frames", settings->pipeline.max_frames);
}

static char *write_request(const struct vrs_segment_request *request)
{
	cJSON *root = cJSON_CreateObject();
	const struct vrs_segment_order *order = request->order;
	const struct vrs_segment *segment = &order->segment;
	bool good = root && vrs_json_put_string(root, "input", order->input) && vrs_json_put_string(root, "piece", order->settings->output.file) &&
		    vrs_json_put_int(root, "number", order->number) && vrs_json_put_int(root, "warm", segment->preroll) &&
		    vrs_json_put_int(root, "first", segment->first) && vrs_json_put_int(root, "end", segment->end) &&
		    vrs_json_put_int(root, "tail", segment->tail) && vrs_json_put_int(root, "frames_before", segment->frames_before) &&
		    vrs_json_put_int(root, "frames_unseen", segment->frames_unseen) && vrs_json_put_int(root, "begin_ns", (int64_t)segment->begin_ns) &&
		    (!order->truth || vrs_json_put_string(root, "truth", order->truth)) &&
		    (!request->trace || vrs_json_put_string(root, "trace", request->trace)) &&
		    vrs_json_put_int(root, "process", request->process) && put_options(root, request->config, order->settings);
	char *text = good ? vrs_json_print(root, false) : NULL;
	cJSON_Delete(root);
	return text;
}

static bool take_count(const cJSON *object, const char *key, uint64_t *ret)
{
	int64_t value;
	if (!vrs_json_int(object, key, &value) || value < 0)
		return false;
	*ret = (uint64_t)value;
	return true;
}

static bool take_stats(const cJSON *root, struct vrs_job_stats *ret)
{
	const cJSON *stages = cJSON_GetObjectItemCaseSensitive(root, "stages");
	bool good = cJSON_IsArray(stages) && cJSON_GetArraySize(stages) == VRS_STAGE_COUNT && take_count(root, "cpu_ns", &ret->cpu_ns) &&
		    take_count(root, "peak_rss_bytes", &ret->peak_rss_bytes) && take_count(root, "queue_bytes", &ret->queue_bytes) &&
		    take_count(root, "reused", &ret->frames_reused) && take_count(root, "eyes_compared", &ret->eyes_compared) &&
		    vrs_json_number(root, "eyes_sum", &ret->eyes_sum) && vrs_json_number(root, "eyes_worst", &ret->eyes_worst) &&
		    vrs_json_int(root, "eyes_worst_frame", &ret->eyes_worst_frame);
	for (int i = 0; good && i < VRS_STAGE_COUNT; i++) {
		const cJSON *stage = cJSON_GetArrayItem(stages, i);
		struct vrs_stage_stats *s = &ret->stage[i];
		good = take_count(stage, "frames", &s->frames) && take_count(stage, "busy_ns", &s->busy_ns) && take_count(stage, "cpu_ns", &s->cpu_ns) &&
		       take_count(stage, "wait_input_ns", &s->wait_input_ns) && take_count(stage, "wait_output_ns", &s->wait_output_ns);
	}
	return good;
}

static bool is_status(int64_t status)
{
	return status <= 0 && status >= VRS_END;
}

static bool take_truth(const cJSON *root, struct vrs_segment_outcome *ret)
{
	const char *words = vrs_json_string(root, "truth_text");
	int64_t status = 0;
	(void)vrs_truth_text_take(root, "truth", &ret->truth); /* none without a comparison */
	if (!words)
		return true;
	if (!vrs_json_int(root, "truth_status", &status) || !is_status(status))
		return false;
	(void)vrs_fail(&ret->truth_error, (enum vrs_status)status, "%s", words);
	return true;
}

static bool read_reply(const struct vrs_buf *text, struct vrs_segment_reply *ret)
{
	cJSON *root;
	int64_t status = 0;
	if (vrs_json_parse(vrs_buf_str(text), text->len, REPLY_MAX, "reply", &root, NULL))
		return false;
	const char *words = vrs_json_string(root, "text");
	*ret = (struct vrs_segment_reply){0};
	struct vrs_job_segment_result *result = &ret->outcome.result;
	bool good = words && vrs_json_int(root, "status", &status) && is_status(status) && take_count(root, "frames", &result->frames) &&
		    vrs_json_bool(root, "cut_short", &result->truncated) && vrs_json_int(root, "first_pts", &result->first_pts) &&
		    vrs_json_int(root, "end_pts", &result->end_pts) && take_stats(root, &ret->outcome.stats) && take_truth(root, &ret->outcome);
	if (good) {
		ret->status = (enum vrs_status)status;
		ret->outcome.stats.frames_done = result->frames;
		(void)vrs_strcpy(ret->text, sizeof ret->text, words); /* long words are cut */
	}
	cJSON_Delete(root);
	return good;
}

/* Lines of the child go into our log as they are, without the name before them; its decisions were told by the parent already. */
static void pass_warnings(const char *text)
{
	static const char lead[] = "vrseg: warning: ";
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (strncmp(line, lead, sizeof lead - 1) == 0)
			vrs_log(VRS_LOG_WARNING, "%.*s", (int)(strcspn(line, "\n") - (sizeof lead - 1)), line + sizeof lead - 1);
}

enum vrs_status vrs_segment_process_run(const struct vrs_segment_request *request, struct vrs_segment_reply *ret_reply, struct vrs_error *err)
{
	const char *const argv[] = {"/proc/self/exe", VRS_SEGMENT_FLAG, NULL}; /* between fork and exec that is still this program */
	char *text = write_request(request);
	struct vrs_proc_result result;
	if (!text)
		return vrs_fail(err, VRS_ENOMEM, "no memory for a worker process");
	const struct vrs_proc_options options = {.argv = argv, .stdin_text = text, .output_max = REPLY_MAX};
	enum vrs_status status = vrs_proc_run(&options, &result, err);
	vrs_json_free_text(text);
	if (status != VRS_OK)
		return status;
	pass_warnings(vrs_buf_str(&result.err));
	if (read_reply(&result.out, ret_reply))
		status = VRS_OK;
	else if (result.stopped)
		status = vrs_fail(err, VRS_ESTOPPED, "stopped on request");
	else if (result.signal == SIGKILL)
		status = vrs_fail(err, VRS_ENOMEM, "a worker process was killed by the system, most likely for lack of memory");
	else
		status = vrs_fail(err, VRS_EINTERNAL, "a worker process ended without a report (%s %d)", result.signal ? "signal" : "exit code",
				  result.signal ? result.signal : result.exit_code);
	vrs_proc_result_fini(&result);
	return status;
}
