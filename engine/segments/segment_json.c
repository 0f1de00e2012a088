/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "segments/segment_json.h"

#include <math.h>

#define METRICS 4
#define NUMBERS (2 + 3 * METRICS) /* of one eye at one size: frames, pairs, then sum, worst and its frame of each metric */
#define MAX_COUNT 9007199254740992.0 /* 2^53 */

static bool put_field(cJSON *object, const struct vrs_json_field *field, const void *from)
{
	const char *at = (const char *)from + field->offset;
	switch (field->type) {
	case VRS_JSON_COUNT: /* fits: frames, bytes, nanoseconds */
	case VRS_JSON_NUMBER:
		return vrs_json_put_int(object, field->key, *(const int64_t *)at);
	case VRS_JSON_SMALL:
		return vrs_json_put_int(object, field->key, *(const int *)at);
	case VRS_JSON_REAL:
		return vrs_json_put_number(object, field->key, *(const double *)at);
	case VRS_JSON_FLAG:
		return vrs_json_put_bool(object, field->key, *(const bool *)at);
	}
	return false;
}

static bool take_field(const cJSON *object, const struct vrs_json_field *field, void *to)
{
	char *at = (char *)to + field->offset;
	int64_t value;
	if (field->type == VRS_JSON_REAL)
		return vrs_json_number(object, field->key, (double *)at);
	if (field->type == VRS_JSON_FLAG)
		return vrs_json_bool(object, field->key, (bool *)at);
	if (!vrs_json_int(object, field->key, &value) || value < field->min || value > field->max)
		return false;
	if (field->type == VRS_JSON_SMALL)
		*(int *)at = (int)value;
	else
		*(int64_t *)at = value;
	return true;
}

bool vrs_json_fields_put(cJSON *object, const struct vrs_json_field *fields, const void *from)
{
	bool good = object != NULL;
	for (; good && fields->key; fields++)
		good = put_field(object, fields, from);
	return good;
}

bool vrs_json_fields_take(const cJSON *object, const struct vrs_json_field *fields, void *to)
{
	bool good = true;
	for (; good && fields->key; fields++)
		good = take_field(object, fields, to);
	return good;
}

static void to_numbers(const struct vrs_truth_sum *sum, double *numbers)
{
	const struct vrs_truth_metric *metrics[METRICS] = {&sum->score.iou, &sum->score.mad, &sum->score.boundary_f, &sum->score.dtssd};
	*numbers++ = (double)sum->score.frames;
	*numbers++ = (double)sum->pairs;
	for (int i = 0; i < METRICS; i++) {
		*numbers++ = metrics[i]->mean;
		*numbers++ = metrics[i]->worst;
		*numbers++ = (double)metrics[i]->worst_frame;
	}
}

static bool is_count(double value)
{
	return value >= 0 && value < MAX_COUNT && value == floor(value);
}

static bool from_numbers(const double *numbers, struct vrs_truth_sum *sum)
{
	struct vrs_truth_metric *metrics[METRICS] = {&sum->score.iou, &sum->score.mad, &sum->score.boundary_f, &sum->score.dtssd};
	bool good = is_count(numbers[0]) && is_count(numbers[1]);
	for (int i = 0; i < METRICS && good; i++)
		good = isfinite(numbers[2 + 3 * i]) && isfinite(numbers[3 + 3 * i]) && is_count(numbers[4 + 3 * i]);
	if (!good)
		return false;
	sum->score.frames = (uint64_t)numbers[0];
	sum->pairs = (uint64_t)numbers[1];
	for (int i = 0; i < METRICS; i++)
		*metrics[i] = (struct vrs_truth_metric){numbers[2 + 3 * i], numbers[3 + 3 * i], (int64_t)numbers[4 + 3 * i]};
	return true;
}

bool vrs_json_truth_put(cJSON *object, const char *key, const struct vrs_truth_sums *sums)
{
	double numbers[4 * NUMBERS];
	if (sums->eyes == 0)
		return true;
	for (int eye = 0; eye < sums->eyes; eye++) {
		to_numbers(&sums->frame_size[eye], numbers + 2 * eye * NUMBERS);
		to_numbers(&sums->matte_size[eye], numbers + (2 * eye + 1) * NUMBERS);
	}
	cJSON *array = cJSON_CreateDoubleArray(numbers, 2 * sums->eyes * NUMBERS);
	if (array && cJSON_AddItemToObject(object, key, array))
		return true;
	cJSON_Delete(array);
	return false;
}

bool vrs_json_truth_take(const cJSON *object, const char *key, struct vrs_truth_sums *ret_sums)
{
	const cJSON *array = cJSON_GetObjectItemCaseSensitive(object, key);
	double numbers[4 * NUMBERS];
	int count = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : 0, i = 0;
	bool good = count == 2 * NUMBERS || count == 4 * NUMBERS;
	*ret_sums = (struct vrs_truth_sums){0};
	for (const cJSON *item = good ? array->child : NULL; item && good; item = item->next) {
		good = cJSON_IsNumber(item);
		numbers[i++] = item->valuedouble;
	}
	struct vrs_truth_sums sums = {.eyes = count / (2 * NUMBERS)};
	for (int eye = 0; eye < sums.eyes && good; eye++)
		good = from_numbers(numbers + 2 * eye * NUMBERS, &sums.frame_size[eye]) &&
		       from_numbers(numbers + (2 * eye + 1) * NUMBERS, &sums.matte_size[eye]);
	if (good)
		*ret_sums = sums;
	return good;
}
