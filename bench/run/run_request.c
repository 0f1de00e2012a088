/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/run/run_request.h"

#include <string.h>

#include "base/str_parse.h"
#include "bench/record/journal.h"
#include "bench/record/record_fields.h"

#define TEXT(type, name) VRS_FIELD_ROW(type, TEXT, name, 0, 0, false)
#define WHOLE(type, name, high) VRS_FIELD_ROW(type, INT, name, 0, high, false)

static const struct vrs_field request_fields[] = {
	VRS_FIELD_ROW(vrs_run_request, BOOL, probe, 0, 0, true),
	VRS_FIELD_ROW(vrs_run_request, BOOL, ceilings, 0, 0, false),
	VRS_FIELD_ROW(vrs_run_request, BOOL, calibrate, 0, 0, false),
	VRS_FIELD_ROW(vrs_run_request, BOOL, net_only, 0, 0, false),
	VRS_FIELD_ROW(vrs_run_request, DOUBLE, live_hz, 0, 1000, false),
	WHOLE(vrs_run_request, eyes, 2),
	TEXT(vrs_run_request, input),
	TEXT(vrs_run_request, output),
	TEXT(vrs_run_request, frames_file),
	TEXT(vrs_run_request, mattes_file),
	TEXT(vrs_run_request, soak_file),
	TEXT(vrs_run_request, reference_file),
	TEXT(vrs_run_request, truth_file),
	WHOLE(vrs_run_request, truth_width, 32768),
	WHOLE(vrs_run_request, truth_height, 32768),
	VRS_FIELD_ROW(vrs_run_request, INT64, truth_frames, 0, 1e9, false),
	VRS_FIELD_ROW(vrs_run_request, BOOL, truth_loops, 0, 0, false),
	WHOLE(vrs_run_request, quality_frames, 100000),
	WHOLE(vrs_run_request, encode_frames, 100000),
	TEXT(vrs_run_request, plain_file),
	VRS_FIELD_ROW(vrs_run_request, DOUBLE, slowdown, 0, 10, false),
	{0},
};

static const struct vrs_field info_fields[] = {
	WHOLE(vrs_run_info, width, 65536),
	WHOLE(vrs_run_info, height, 65536),
	WHOLE(vrs_run_info, eyes, 2),
	WHOLE(vrs_run_info, batch, 65536),
	WHOLE(vrs_run_info, threads, 65536),
	WHOLE(vrs_run_info, streams, 65536),
	WHOLE(vrs_run_info, net_width, 65536),
	WHOLE(vrs_run_info, net_height, 65536),
	VRS_FIELD_ROW(vrs_run_info, DOUBLE, fps, 0, 1e6, false),
	VRS_FIELD_ROW(vrs_run_info, INT64, frames, 0, 1e12, false),
	WHOLE(vrs_run_info, references, 65536),
	VRS_FIELD_ROW(vrs_run_info, INT64, frame_bytes, 0, 1e12, false),
	VRS_FIELD_ROW(vrs_run_info, INT64, weight_bytes, 0, 1e14, false),
	VRS_FIELD_ROW(vrs_run_info, INT64, input_bytes, 0, 1e14, false),
	VRS_FIELD_ROW(vrs_run_info, INT64, state_bytes, 0, 1e14, false),
	VRS_FIELD_OPEN_ENUM_ROW(vrs_run_info, layout, &vrs_stereo_names, VRS_STEREO_MONO),
	TEXT(vrs_run_info, projection),
	TEXT(vrs_run_info, backend),
	TEXT(vrs_run_info, isa),
	TEXT(vrs_run_info, model),
	TEXT(vrs_run_info, device),
	TEXT(vrs_run_info, driver),
	VRS_FIELD_ROW(vrs_run_info, INT64, device_bytes, 0, 1e14, false),
	VRS_FIELD_ROW(vrs_run_info, INT64, device_limit_bytes, 0, 1e14, false),
	{0},
};

/* What a file or the environment says for other jobs is no mistake of this one. */
static enum vrs_status write_settings(const struct vrs_config *config, cJSON *settings)
{
	struct vrs_config *own;
	enum vrs_status status = vrs_config_copy(&own, config);
	if (status != VRS_OK)
		return status;
	vrs_config_drop_needless(own);
	status = vrs_config_to_json(own, settings);
	vrs_config_destroy(own);
	return status;
}

enum vrs_status vrs_run_request_write(const struct vrs_run_request *request, const struct vrs_config *config, struct vrs_buf *out,
				      struct vrs_error *err)
{
	cJSON *object = cJSON_CreateObject(), *settings = NULL;
	char *text = NULL;
	enum vrs_status status = VRS_ENOMEM;
	if (object && vrs_fields_write(object, request_fields, request) && vrs_fields_write(object, vrs_rules_fields, &request->rules) &&
	    (settings = vrs_json_put_object(object, "settings")))
		status = write_settings(config, settings);
	if (status == VRS_OK)
		text = vrs_json_print(object, false);
	cJSON_Delete(object);
	vrs_buf_init(out, VRS_RUN_TEXT_MAX);
	if (status == VRS_OK)
		status = text ? vrs_buf_puts(out, text) : VRS_ENOMEM;
	vrs_json_free_text(text);
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "cannot describe the run for its process: %s", vrs_status_str(status));
}

enum vrs_status vrs_run_request_read(const char *text, size_t length, struct vrs_run_request *ret_request, struct vrs_config *config,
				     struct vrs_error *err)
{
	static const char name[] = "run request";
	struct vrs_run_request request = {.probe = false};
	cJSON *object;
	enum vrs_status status = vrs_json_parse(text, length, VRS_RUN_TEXT_MAX, name, &object, err);
	if (status != VRS_OK)
		return status;
	status = vrs_fields_read(object, request_fields, &request, name, "", err);
	if (status == VRS_OK)
		status = vrs_fields_read(object, vrs_rules_fields, &request.rules, name, "", err);
	if (status == VRS_OK)
		status = vrs_config_from_json(cJSON_GetObjectItemCaseSensitive(object, "settings"), config, VRS_SOURCE_FLAG, name, err);
	cJSON_Delete(object);
	if (status == VRS_OK)
		*ret_request = request;
	return status;
}

int64_t vrs_run_device_limit(uint64_t device_memory_bytes, double share)
{
	double most = (double)device_memory_bytes;
	return (int64_t)(share > 0 && share < 1 ? share * most : most);
}

enum vrs_status vrs_run_reply_write(const struct vrs_run_reply *reply, FILE *out)
{
	cJSON *object = cJSON_CreateObject(), *info = object ? vrs_json_put_object(object, "info") : NULL, *run = NULL, *ceilings = NULL;
	bool ok = info && vrs_json_put_string(object, "schema", VRS_RUN_SCHEMA) && vrs_json_put_string(object, "status", vrs_status_name(reply->status)) &&
		  (!reply->error[0] || vrs_json_put_string(object, "error", reply->error)) && vrs_fields_write(info, info_fields, &reply->info) &&
		  (run = vrs_json_put_object(object, "run")) && vrs_fields_write(run, vrs_run_fields, &reply->run) &&
		  (!(reply->ceilings.triad_gbps > 0) || ((ceilings = vrs_json_put_object(object, "ceilings")) &&
							vrs_fields_write(ceilings, vrs_ceilings_fields, &reply->ceilings)));
	return vrs_json_put_line(object, ok, out);
}

/* Start of the last non-empty line; its length without newline. */
static const char *last_line(const char *text, size_t length, size_t *ret_length)
{
	while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
		length--;
	size_t start = length;
	while (start > 0 && text[start - 1] != '\n')
		start--;
	*ret_length = length - start;
	return text + start;
}

static bool status_of_name(const char *name, enum vrs_status *ret)
{
	for (int s = VRS_OK; name && s >= VRS_STATUS_LAST; s--) /* vrseg/status_list.h counts down */
		if (strcmp(vrs_status_name((enum vrs_status)s), name) == 0) {
			*ret = (enum vrs_status)s;
			return true;
		}
	return false;
}

static enum vrs_status read_reply(const cJSON *object, struct vrs_run_reply *reply, struct vrs_error *err)
{
	static const char name[] = "run reply";
	const cJSON *info = cJSON_GetObjectItemCaseSensitive(object, "info"), *run = cJSON_GetObjectItemCaseSensitive(object, "run");
	const cJSON *ceilings = cJSON_GetObjectItemCaseSensitive(object, "ceilings");
	const char *text = vrs_json_string(object, "error"), *schema = vrs_json_string(object, "schema");
	/* Builds before there was a schema say none. */
	if (schema && strcmp(schema, VRS_RUN_SCHEMA) != 0)
		return vrs_fail(err, VRS_EUNSUPPORTED, "its runs speak %.40s, this program speaks " VRS_RUN_SCHEMA, schema);
	if (!status_of_name(vrs_json_string(object, "status"), &reply->status) || !cJSON_IsObject(info) || !cJSON_IsObject(run))
		return vrs_fail_at(err, VRS_EFORMAT, name, 0, 0, "status, info or run is missing");
	if (text)
		vrs_strcpy(reply->error, sizeof reply->error, text);
	enum vrs_status status = vrs_fields_read(info, info_fields, &reply->info, name, "info.", err);
	if (status == VRS_OK && cJSON_IsObject(ceilings))
		status = vrs_fields_read(ceilings, vrs_ceilings_fields, &reply->ceilings, name, "ceilings.", err);
	return status == VRS_OK ? vrs_fields_read(run, vrs_run_fields, &reply->run, name, "run.", err) : status;
}

enum vrs_status vrs_run_reply_read(const char *text, size_t length, struct vrs_run_reply *ret_reply, struct vrs_error *err)
{
	size_t line_length;
	const char *line = last_line(text, length, &line_length);
	struct vrs_run_reply reply = {.status = VRS_OK};
	cJSON *object;
	vrs_run_init(&reply.run);
	vrs_result_ceilings_init(&reply.ceilings);
	enum vrs_status status = vrs_json_parse(line, line_length, VRS_RUN_TEXT_MAX, "run reply", &object, err);
	if (status != VRS_OK)
		return status;
	status = read_reply(object, &reply, err);
	cJSON_Delete(object);
	if (status == VRS_OK)
		*ret_reply = reply;
	return status;
}
