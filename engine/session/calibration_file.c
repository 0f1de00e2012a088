/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calibrations as JSON files:
 *   { "format": "vrseg-calibration", "version": 1, "model_hash": "hex", "structure": "hex", "samples": N, "int8_rms": x, "mixed_rms": x,
 *     "ranges": [lo, hi, lo, hi, ...] a pair for each tensor, "int8": "01...", "mixed": "01..." a digit for each node,
 *     "checks": N, "int8_iou": x, "int8_worst_iou": x  where int8 was checked against fp32 }
 */
#include <vrseg/calibration.h>

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/mem.h"
#include "graph/quant.h"

#define FORMAT "vrseg-calibration"
#define VERSION 1
#define MAX_FILE_BYTES ((size_t)64 << 20)
#define MAX_ENTRIES (1 << 20) /* tensors or nodes */
/*
 * The guard.  On the truth clips int8 of the default networks has an IoU of 0.979 to 0.994 with fp32, and loses at most 0.0025 against the truth: who
 * differs as much, or on one picture much more, stays in float unless 8 bits are asked for.
 */
#define GUARD_CHECKS 4
#define GUARD_IOU 0.98
#define GUARD_WORST_IOU 0.95

struct vrs_calibration_info vrs_calibration_info(const struct vrs_calibration *c)
{
	struct vrs_calibration_info info = {.samples = c->samples, .int8_error = c->int8_error, .mixed_error = c->mixed_error};
	for (int32_t i = 0; i < c->node_count; i++) {
		info.int8_layers += c->int8[i] == VRS_NODE_INT8;
		info.mixed_layers += c->mixed[i] == VRS_NODE_INT8;
	}
	info.layers = info.int8_layers;
	info.checks = c->checks;
	info.int8_iou = c->int8_iou;
	info.int8_worst_iou = c->int8_worst_iou;
	info.few_checks = c->checks < GUARD_CHECKS;
	info.passes = !info.few_checks && c->int8_iou >= GUARD_IOU && c->int8_worst_iou >= GUARD_WORST_IOU;
	info.hash = vrs_hash_block(VRS_HASH_INIT, c->ranges, sizeof *c->ranges * (size_t)c->tensor_count);
	info.hash = vrs_hash_block(info.hash, c->int8, (size_t)c->node_count);
	info.hash = vrs_hash_block(info.hash, c->mixed, (size_t)c->node_count);
	return info;
}

void vrs_calibration_set_check(struct vrs_calibration *calibration, int checks, double iou, double worst_iou)
{
	calibration->checks = checks;
	calibration->int8_iou = iou;
	calibration->int8_worst_iou = worst_iou;
}

static bool put_digits(cJSON *json, const char *key, const uint8_t *precision, int32_t count)
{
	char *text = vrs_calloc((size_t)count + 1, 1);
	for (int32_t i = 0; text && i < count; i++)
		text[i] = (char)('0' + precision[i]);
	bool ok = text && vrs_json_put_string(json, key, text);
	vrs_free(text);
	return ok;
}

static bool put_ranges(cJSON *json, const struct vrs_calibration *c)
{
	cJSON *array = vrs_json_put_array(json, "ranges");
	bool ok = array != NULL;
	for (int32_t i = 0; ok && i < 2 * c->tensor_count; i++) {
		cJSON *number = cJSON_CreateNumber((double)(i % 2 ? c->ranges[i / 2].hi : c->ranges[i / 2].lo));
		ok = number && cJSON_AddItemToArray(array, number);
	}
	return ok;
}

static bool put_check(cJSON *json, const struct vrs_calibration *c)
{
	return c->checks == 0 || (vrs_json_put_int(json, "checks", c->checks) && vrs_json_put_number(json, "int8_iou", c->int8_iou) &&
				  vrs_json_put_number(json, "int8_worst_iou", c->int8_worst_iou));
}

enum vrs_status vrs_calibration_save(const struct vrs_calibration *c, const char *path, struct vrs_error *err)
{
	cJSON *json = cJSON_CreateObject();
	bool ok = json && vrs_json_put_string(json, "format", FORMAT) && vrs_json_put_int(json, "version", VERSION) &&
		  vrs_json_put_hash(json, "model_hash", c->model_hash) && vrs_json_put_hash(json, "structure", c->structure) &&
		  vrs_json_put_int(json, "samples", c->samples) && vrs_json_put_number(json, "int8_rms", c->int8_error) &&
		  vrs_json_put_number(json, "mixed_rms", c->mixed_error) && put_ranges(json, c) && put_digits(json, "int8", c->int8, c->node_count) &&
		  put_digits(json, "mixed", c->mixed, c->node_count) && put_check(json, c);
	char *text = ok ? vrs_json_print(json, false) : NULL;
	cJSON_Delete(json);
	if (!text)
		return vrs_fail(err, VRS_ENOMEM, "out of memory while the calibration is written");
	char folder[PATH_MAX];
	vrs_path_folder(folder, path);
	enum vrs_status status = vrs_mkdirs(folder, err);
	if (status == VRS_OK)
		status = vrs_file_replace(path, text, strlen(text), err);
	vrs_json_free_text(text);
	return status;
}

static bool get_hash(const cJSON *json, const char *key, uint64_t *ret_hash)
{
	const char *text = vrs_json_string(json, key);
	char *end;
	if (!text || strlen(text) != 16)
		return false;
	*ret_hash = strtoull(text, &end, 16);
	return *end == '\0';
}

static bool get_digits(const cJSON *json, const char *key, uint8_t *precision, int32_t count)
{
	const char *text = vrs_json_string(json, key);
	if (!text || strlen(text) != (size_t)count)
		return false;
	for (int32_t i = 0; i < count; i++) {
		if (text[i] != '0' && text[i] != '1')
			return false;
		precision[i] = (uint8_t)(text[i] - '0');
	}
	return true;
}

static bool get_ranges(const cJSON *array, struct vrs_calibration *c)
{
	const cJSON *item;
	int32_t i = 0;
	cJSON_ArrayForEach(item, array) {
		float value = (float)item->valuedouble;
		if (!cJSON_IsNumber(item) || !isfinite(value) || (i % 2 ? value < 0 : value > 0))
			return false;
		*(i % 2 ? &c->ranges[i / 2].hi : &c->ranges[i / 2].lo) = value;
		i++;
	}
	return true;
}

/* Absent in a calibration that was not checked; what does not make sense has not passed. */
static void get_check(const cJSON *json, struct vrs_calibration *c)
{
	int64_t checks = 0;
	double iou, worst;
	if (vrs_json_int(json, "checks", &checks) && checks > 0 && checks < INT32_MAX && vrs_json_number(json, "int8_iou", &iou) &&
	    vrs_json_number(json, "int8_worst_iou", &worst) && iou <= 1 && worst <= iou)
		vrs_calibration_set_check(c, (int)checks, iou, worst);
}

static enum vrs_status from_json(struct vrs_calibration **ret_calibration, const cJSON *json, const char *path, struct vrs_error *err)
{
	const char *format = vrs_json_string(json, "format"), *nodes = vrs_json_string(json, "int8");
	const cJSON *ranges = cJSON_GetObjectItemCaseSensitive(json, "ranges");
	int64_t version = 0, samples = 0;
	int pairs = cJSON_IsArray(ranges) ? cJSON_GetArraySize(ranges) : -1;
	struct vrs_calibration *c = NULL;
	if (!format || strcmp(format, FORMAT) != 0)
		return vrs_fail(err, VRS_EFORMAT, "%s is not a calibration", path);
	if (!vrs_json_int(json, "version", &version) || version != VERSION)
		return vrs_fail(err, VRS_EFORMAT, "%s was written by another version of the program: calibrate again", path);
	if (pairs < 0 || pairs % 2 || pairs / 2 > MAX_ENTRIES || !nodes || strlen(nodes) > MAX_ENTRIES)
		return vrs_fail(err, VRS_EFORMAT, "the calibration %s is damaged: calibrate again", path);
	if (vrs_calibration_create(&c, pairs / 2, (int32_t)strlen(nodes)) != VRS_OK)
		return vrs_fail(err, VRS_ENOMEM, "out of memory while %s is read", path);
	bool ok = get_hash(json, "model_hash", &c->model_hash) && get_hash(json, "structure", &c->structure) && vrs_json_int(json, "samples", &samples) &&
		  samples > 0 && samples < INT32_MAX && get_ranges(ranges, c) && get_digits(json, "int8", c->int8, c->node_count) &&
		  get_digits(json, "mixed", c->mixed, c->node_count);
	c->samples = (int)samples;
	(void)vrs_json_number(json, "int8_rms", &c->int8_error);
	(void)vrs_json_number(json, "mixed_rms", &c->mixed_error);
	get_check(json, c);
	if (!ok) {
		vrs_calibration_destroy(c);
		return vrs_fail(err, VRS_EFORMAT, "the calibration %s is damaged: calibrate again", path);
	}
	*ret_calibration = c;
	return VRS_OK;
}

enum vrs_status vrs_calibration_load(struct vrs_calibration **ret_calibration, const char *path, const struct vrs_model *model, struct vrs_error *err)
{
	cJSON *json = NULL;
	struct vrs_calibration *c = NULL;
	enum vrs_status status = vrs_json_read_file(path, MAX_FILE_BYTES, &json, err);
	if (status == VRS_EFORMAT) {
		if (err)
			*err = (struct vrs_error){0};
		return vrs_fail(err, status, "the calibration %s is damaged: calibrate again", path);
	}
	if (status != VRS_OK)
		return status;
	status = from_json(&c, json, path, err);
	cJSON_Delete(json);
	if (status != VRS_OK)
		return status;
	if (c->model_hash != vrs_model_info(model).hash) {
		vrs_calibration_destroy(c);
		return vrs_fail(err, VRS_EINVAL, "%s was made for another network than %s: calibrate again", path, vrs_model_info(model).path);
	}
	*ret_calibration = c;
	return VRS_OK;
}

enum vrs_status vrs_calibration_folder(char *ret_path, size_t size, struct vrs_error *err)
{
	char cache[PATH_MAX];
	enum vrs_status status = vrs_cache_path(cache, sizeof cache, err);
	if (status == VRS_OK && vrs_path_join(ret_path, size, cache, "calibrations") != VRS_OK)
		status = vrs_fail(err, VRS_ELIMIT, "the path of the cache folder is too long");
	return status;
}

/* A file for each network, manifest, input size and, since ranges belong to the nodes of a graph, for the graph as it was read and the fused one. */
enum vrs_status vrs_calibration_store_path(const struct vrs_model *model, uint64_t manifest, const struct vrs_session_options *options,
					   char *ret_path, size_t size, struct vrs_error *err)
{
	char folder[PATH_MAX], name[64];
	struct vrs_model_info info = vrs_model_info(model);
	enum vrs_status status = vrs_calibration_folder(folder, sizeof folder, err);
	snprintf(name, sizeof name, "%016" PRIx64 "-%dx%d%s.json", vrs_hash(info.hash, &manifest, sizeof manifest),
		 options->input_width ? options->input_width : info.input_width, options->input_height ? options->input_height : info.input_height,
		 options->fusion ? "" : "-unfused");
	if (status == VRS_OK && vrs_path_join(ret_path, size, folder, name) != VRS_OK)
		status = vrs_fail(err, VRS_ELIMIT, "the path of the cache folder is too long");
	return status;
}
