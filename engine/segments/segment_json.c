/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "segments/segment_json.h"

#include <math.h>
#include <string.h>

#include "job/truth_sums.h"

#define COUNTS 9 /* frames, pairs, box, size of the eye, circle */
#define NUMBERS (COUNTS + 3 * VRS_TRUTH_METRICS) /* of one eye at one size: counts, then sum, worst and its frame of each metric */
#define PAIR 7   /* of both eyes: frames, then sum, worst and its frame of mattes and of truths */
#define MOST_NUMBERS (4 * NUMBERS + PAIR)
#define SIDE_MAX 65536 /* of pictures */
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
	const double counts[COUNTS] = {(double)sum->score.frames, (double)sum->score.pairs, sum->box.x, sum->box.y, sum->box.width, sum->box.height,
		sum->width, sum->height, sum->circle};
	for (int i = 0; i < COUNTS; i++)
		*numbers++ = counts[i];
	for (int id = 0; id < VRS_TRUTH_METRICS; id++) {
		const struct vrs_truth_metric *metric = vrs_truth_sum_get(sum, id);
		*numbers++ = metric->mean;
		*numbers++ = metric->worst;
		*numbers++ = (double)metric->worst_frame;
	}
}

static void pair_to_numbers(const struct vrs_truth_eyes *pair, double numbers[PAIR])
{
	const double values[PAIR] = {(double)pair->frames, pair->mattes.mean, pair->mattes.worst, (double)pair->mattes.worst_frame, pair->truths.mean,
		pair->truths.worst, (double)pair->truths.worst_frame};
	memcpy(numbers, values, sizeof values);
}

static bool is_count(double value)
{
	return value >= 0 && value < MAX_COUNT && value == floor(value);
}

/* Nobody, or a part of the eye; on a circle it may go on at the left edge. */
static bool is_box(const struct vrs_truth_sum *sum)
{
	const struct vrs_rect *box = &sum->box;
	if (box->width == 0)
		return true;
	return box->height > 0 && box->y + box->height <= sum->height && box->x < sum->width && box->width <= sum->width &&
	       (sum->circle ? sum->circle == sum->width : box->x + box->width <= sum->width);
}

static bool from_numbers(const double *numbers, struct vrs_truth_sum *sum)
{
	bool good = true;
	for (int i = 0; i < COUNTS && good; i++)
		good = is_count(numbers[i]) && (i < 2 || numbers[i] <= SIDE_MAX);
	for (int i = COUNTS; i < NUMBERS && good; i += 3)
		good = isfinite(numbers[i]) && isfinite(numbers[i + 1]) && is_count(numbers[i + 2]);
	if (!good)
		return false;
	sum->score.frames = (uint64_t)numbers[0];
	sum->score.pairs = (uint64_t)numbers[1];
	sum->box = (struct vrs_rect){(int)numbers[2], (int)numbers[3], (int)numbers[4], (int)numbers[5]};
	sum->width = (int)numbers[6];
	sum->height = (int)numbers[7];
	sum->circle = (int)numbers[8];
	numbers += COUNTS;
	for (int id = 0; id < VRS_TRUTH_METRICS; id++, numbers += 3)
		*vrs_truth_sum_metric(sum, id) = (struct vrs_truth_metric){numbers[0], numbers[1], (int64_t)numbers[2]};
	return is_box(sum);
}

static bool pair_from_numbers(const double numbers[PAIR], struct vrs_truth_eyes *pair)
{
	if (!is_count(numbers[0]) || !is_count(numbers[3]) || !is_count(numbers[6]) || !isfinite(numbers[1] + numbers[2] + numbers[4] + numbers[5]))
		return false;
	pair->frames = (uint64_t)numbers[0];
	pair->mattes = (struct vrs_truth_metric){numbers[1], numbers[2], (int64_t)numbers[3]};
	pair->truths = (struct vrs_truth_metric){numbers[4], numbers[5], (int64_t)numbers[6]};
	return true;
}

bool vrs_json_truth_put(cJSON *object, const char *key, const struct vrs_truth_sums *sums)
{
	double numbers[MOST_NUMBERS];
	int count = 2 * sums->eyes * NUMBERS;
	if (sums->eyes == 0)
		return true;
	for (int eye = 0; eye < sums->eyes; eye++) {
		to_numbers(&sums->frame_size[eye], numbers + 2 * eye * NUMBERS);
		to_numbers(&sums->matte_size[eye], numbers + (2 * eye + 1) * NUMBERS);
	}
	if (sums->eyes == 2) {
		pair_to_numbers(&sums->pair, numbers + count);
		count += PAIR;
	}
	cJSON *array = cJSON_CreateDoubleArray(numbers, count);
	if (array && cJSON_AddItemToObject(object, key, array))
		return true;
	cJSON_Delete(array);
	return false;
}

bool vrs_json_truth_take(const cJSON *object, const char *key, struct vrs_truth_sums *ret_sums)
{
	const cJSON *array = cJSON_GetObjectItemCaseSensitive(object, key);
	double numbers[MOST_NUMBERS];
	int count = cJSON_IsArray(array) ? cJSON_GetArraySize(array) : 0, i = 0;
	bool good = count == 2 * NUMBERS || count == MOST_NUMBERS;
	*ret_sums = (struct vrs_truth_sums){0};
	for (const cJSON *item = good ? array->child : NULL; item && good; item = item->next) {
		good = cJSON_IsNumber(item);
		numbers[i++] = item->valuedouble;
	}
	struct vrs_truth_sums sums = {.eyes = count == MOST_NUMBERS ? 2 : count / (2 * NUMBERS)};
	for (int eye = 0; eye < sums.eyes && good; eye++)
		good = from_numbers(numbers + 2 * eye * NUMBERS, &sums.frame_size[eye]) &&
		       from_numbers(numbers + (2 * eye + 1) * NUMBERS, &sums.matte_size[eye]);
	if (good && sums.eyes == 2)
		good = pair_from_numbers(numbers + 4 * NUMBERS, &sums.pair);
	if (good)
		*ret_sums = sums;
	return good;
}
