/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "segments/segment_process.h"

#include <string.h>

#include "base/str_parse.h"
#include "segments/segment_json.h"

#include <vrseg/config.h>

#define TEXT_MAX (1u << 20) /* bytes of a request or a reply */

#define FIELD(structure, member) VRS_JSON_FIELD(structure, member, 0, INT64_MAX)
#define TIME(structure, member) VRS_JSON_FIELD(structure, member, INT64_MIN, INT64_MAX)
#define END {.key = NULL}

static const struct vrs_json_field request_fields[] = {
	VRS_JSON_FIELD(struct vrs_segment_request, number, 0, INT32_MAX - 1), VRS_JSON_FIELD(struct vrs_segment_request, process, 1, INT32_MAX - 1), END,
};

static const struct vrs_json_field segment_fields[] = {
	TIME(struct vrs_segment, video_first_us), TIME(struct vrs_segment, preroll), TIME(struct vrs_segment, first), TIME(struct vrs_segment, end),
	FIELD(struct vrs_segment, tail_frames), FIELD(struct vrs_segment, frames_before), FIELD(struct vrs_segment, frames_unseen),
	FIELD(struct vrs_segment, begin_ns), END,
};

#define SMALL(structure, member) VRS_JSON_FIELD(structure, member, 0, INT32_MAX - 1)
static const struct vrs_json_field picture_fields[] = {
	SMALL(struct vrs_picture_format, width), SMALL(struct vrs_picture_format, height), VRS_JSON_FIELD(struct vrs_picture_format, planes, 0, 4),
	VRS_JSON_FIELD(struct vrs_picture_format, chroma_shift_x, 0, 4), VRS_JSON_FIELD(struct vrs_picture_format, chroma_shift_y, 0, 4),
	VRS_JSON_FIELD(struct vrs_picture_format, bit_depth, 0, 16), VRS_JSON_FIELD(struct vrs_picture_format, matrix, 0, VRS_MATRIX_BT2020),
	VRS_JSON_FIELD(struct vrs_picture_format, range, 0, VRS_RANGE_FULL), SMALL(struct vrs_picture_format, primaries),
	SMALL(struct vrs_picture_format, transfer), SMALL(struct vrs_picture_format, chroma_location), END,
};

static const struct vrs_json_field result_fields[] = {
	FIELD(struct vrs_job_segment_result, networks), FIELD(struct vrs_job_segment_result, frames),
	FIELD(struct vrs_job_segment_result, truncated), FIELD(struct vrs_job_segment_result, lost_device),
	TIME(struct vrs_job_segment_result, first_pts), TIME(struct vrs_job_segment_result, end_pts), END,
};

#define QUEUE(i) FIELD(struct vrs_job_stats, device[i].runs), FIELD(struct vrs_job_stats, device[i].busy_ns)
_Static_assert(VRS_DEVICE_QUEUES == 3, "a pair for each queue");
static const struct vrs_json_field stats_fields[] = {
	FIELD(struct vrs_job_stats, frames_done), FIELD(struct vrs_job_stats, frames_reused), FIELD(struct vrs_job_stats, early_looks),
	FIELD(struct vrs_job_stats, early_enough), FIELD(struct vrs_job_stats, early_confidence), FIELD(struct vrs_job_stats, eyes_compared),
	FIELD(struct vrs_job_stats, eyes_sum), FIELD(struct vrs_job_stats, eyes_worst), TIME(struct vrs_job_stats, eyes_worst_frame),
	FIELD(struct vrs_job_stats, cpu_ns), FIELD(struct vrs_job_stats, peak_rss_bytes), FIELD(struct vrs_job_stats, queue_bytes),
	QUEUE(0), QUEUE(1), QUEUE(2), END,
};

static const struct vrs_json_field stage_fields[] = {
	FIELD(struct vrs_stage_stats, frames), FIELD(struct vrs_stage_stats, busy_ns), FIELD(struct vrs_stage_stats, cpu_ns),
	FIELD(struct vrs_stage_stats, wait_input_ns), FIELD(struct vrs_stage_stats, wait_output_ns), END,
};

#define COUNT(i) FIELD(struct vrs_time_histogram, counts[i])
static const struct vrs_json_field time_fields[] = {
	COUNT(0), COUNT(1), COUNT(2), COUNT(3), COUNT(4), COUNT(5), COUNT(6), COUNT(7), COUNT(8), COUNT(9), COUNT(10), COUNT(11), COUNT(12), COUNT(13),
	FIELD(struct vrs_time_histogram, sum_ns), END,
};
_Static_assert(sizeof time_fields / sizeof time_fields[0] == VRS_TIME_BUCKETS + 2, "a row for each bucket");

static bool put(cJSON *root, const char *key, const struct vrs_json_field *fields, const void *from)
{
	return vrs_json_fields_put(vrs_json_put_object(root, key), fields, from);
}

static bool take(const cJSON *root, const char *key, const struct vrs_json_field *fields, void *to)
{
	return vrs_json_fields_take(cJSON_GetObjectItemCaseSensitive(root, key), fields, to);
}

static const cJSON *member(const cJSON *root, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(root, key);
}

static char *print(cJSON *root, bool good)
{
	char *text = good ? vrs_json_print(root, false) : NULL;
	cJSON_Delete(root);
	return text;
}

/* Every option as text, but the output, whose name comes from the input's and may hold what options may not. */
static bool put_options(cJSON *root, const struct vrs_settings *settings)
{
	char value[VRS_PATH_MAX];
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	cJSON *options = vrs_json_put_object(root, "options");
	bool good = options && vrs_json_put_string(root, "file", settings->output.file);
	for (int i = 0; good && i < count; i++)
		if (rows[i].state == VRS_OPT_READY && strcmp(rows[i].key, "output.file") != 0)
			good = vrs_option_text(&rows[i], settings, value, sizeof value) == VRS_OK && vrs_json_put_string(options, rows[i].key, value);
	return good;
}

static enum vrs_status take_options(const cJSON *root, struct vrs_settings *ret, struct vrs_error *err)
{
	struct vrs_config *config;
	const cJSON *options = member(root, "options");
	const char *file = vrs_json_string(root, "file");
	enum vrs_status status = vrs_config_create(&config);
	if (status != VRS_OK)
		return status;
	for (const cJSON *item = options ? options->child : NULL; item && status == VRS_OK; item = item->next)
		status = cJSON_IsString(item) ? vrs_config_set(config, item->string, item->valuestring, VRS_SOURCE_FLAG, NULL, err) : VRS_EFORMAT;
	*ret = *vrs_config_settings(config);
	vrs_config_destroy(config);
	return status == VRS_OK && (!file || !vrs_strcpy(ret->output.file, sizeof ret->output.file, file)) ? VRS_EFORMAT : status;
}

char *vrs_segment_request_write(const struct vrs_segment_request *request)
{
	cJSON *root = cJSON_CreateObject();
	return print(root, root && vrs_json_put_string(root, "input", request->input) &&
				   (!request->truth || vrs_json_put_string(root, "truth", request->truth)) &&
				   (!request->segment.video || vrs_json_put_string(root, "video", request->segment.video)) &&
				   (!request->trace || vrs_json_put_string(root, "trace", request->trace)) &&
				   put(root, "request", request_fields, request) && put(root, "segment", segment_fields, &request->segment) &&
				   put(root, "pictures", picture_fields, &request->segment.pictures) &&
				   put_options(root, &request->settings));
}

enum vrs_status vrs_segment_request_read(struct vrs_segment_request *ret, const char *text, size_t size, struct vrs_error *err)
{
	*ret = (struct vrs_segment_request){0};
	enum vrs_status status = vrs_json_parse(text, size, TEXT_MAX, "request", &ret->json, err);
	if (status != VRS_OK)
		return status;
	ret->input = vrs_json_string(ret->json, "input");
	ret->truth = vrs_json_string(ret->json, "truth");
	ret->trace = vrs_json_string(ret->json, "trace");
	ret->segment.video = vrs_json_string(ret->json, "video");
	bool good = ret->input && take(ret->json, "request", request_fields, ret) &&
		    take(ret->json, "segment", segment_fields, &ret->segment) &&
		    take(ret->json, "pictures", picture_fields, &ret->segment.pictures);
	status = good ? take_options(ret->json, &ret->settings, err) : VRS_EFORMAT;
	return status == VRS_EFORMAT ? vrs_fail(err, status, "the request for a segment is damaged") : status;
}

void vrs_segment_request_fini(struct vrs_segment_request *request)
{
	cJSON_Delete(request->json);
}

static bool put_error(cJSON *root, const char *key, const struct vrs_error *error)
{
	cJSON *object = error->status != VRS_OK ? vrs_json_put_object(root, key) : NULL;
	return error->status == VRS_OK ||
	       (object && vrs_json_put_int(object, "status", error->status) && vrs_json_put_string(object, "text", error->text));
}

/* Nothing under the key: no error. */
static bool take_error(const cJSON *root, const char *key, struct vrs_error *ret)
{
	const cJSON *object = member(root, key);
	const char *words = vrs_json_string(object, "text");
	int64_t status;
	if (!object)
		return true;
	if (!words || !vrs_json_int(object, "status", &status) || status >= 0 || status < VRS_STATUS_LAST)
		return false;
	(void)vrs_fail(ret, (enum vrs_status)status, "%s", words);
	return true;
}

/* What has made the segment, and what can make others. */
static bool put_devices(cJSON *root, const struct vrs_job_segment_result *result)
{
	return vrs_json_put_string(root, "kernels", result->kernels) && vrs_json_put_string(root, "devices_left", result->devices_left);
}

static bool take_devices(const cJSON *root, struct vrs_job_segment_result *ret)
{
	const char *kernels = vrs_json_string(root, "kernels"), *left = vrs_json_string(root, "devices_left");
	return kernels && left && vrs_strcpy(ret->kernels, sizeof ret->kernels, kernels) &&
	       vrs_strcpy(ret->devices_left, sizeof ret->devices_left, left);
}

char *vrs_segment_reply_write(const struct vrs_segment_reply *reply)
{
	const struct vrs_segment_outcome *outcome = &reply->outcome;
	cJSON *root = cJSON_CreateObject(), *stages = root ? vrs_json_put_array(root, "stages") : NULL;
	bool good = stages && put_error(root, "error", &reply->error) && put_error(root, "truth_error", &outcome->truth_error) &&
		    put(root, "result", result_fields, &outcome->result) && put_devices(root, &outcome->result) &&
		    put(root, "stats", stats_fields, &outcome->stats) &&
		    put(root, "frame_time", time_fields, &outcome->stats.frame_time) && vrs_json_truth_put(root, "truth", &outcome->truth);
	for (int i = 0; good && i < VRS_STAGE_COUNT; i++) {
		cJSON *stage = cJSON_CreateObject();
		good = stage && cJSON_AddItemToArray(stages, stage) && vrs_json_fields_put(stage, stage_fields, &outcome->stats.stage[i]) &&
		       put(stage, "time", time_fields, &outcome->stats.stage_time[i]);
	}
	return print(root, good);
}

enum vrs_status vrs_segment_reply_read(struct vrs_segment_reply *ret, const char *text, size_t size, struct vrs_error *err)
{
	cJSON *root;
	struct vrs_segment_outcome *outcome = &ret->outcome;
	*ret = (struct vrs_segment_reply){0};
	enum vrs_status status = vrs_json_parse(text, size, TEXT_MAX, "reply", &root, err);
	if (status != VRS_OK)
		return status;
	const cJSON *stages = member(root, "stages");
	bool good = cJSON_IsArray(stages) && cJSON_GetArraySize(stages) == VRS_STAGE_COUNT && take_error(root, "error", &ret->error) &&
		    take_error(root, "truth_error", &outcome->truth_error) && take(root, "result", result_fields, &outcome->result) &&
		    take_devices(root, &outcome->result) && take(root, "stats", stats_fields, &outcome->stats) &&
		    take(root, "frame_time", time_fields, &outcome->stats.frame_time);
	for (int i = 0; good && i < VRS_STAGE_COUNT; i++) {
		const cJSON *stage = cJSON_GetArrayItem(stages, i);
		good = vrs_json_fields_take(stage, stage_fields, &outcome->stats.stage[i]) && take(stage, "time", time_fields, &outcome->stats.stage_time[i]);
	}
	(void)vrs_json_truth_take(root, "truth", &outcome->truth); /* none without a comparison */
	cJSON_Delete(root);
	return good ? VRS_OK : vrs_fail(err, VRS_EFORMAT, "the report of a segment is damaged");
}
