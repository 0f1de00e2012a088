/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "segments/truth_text.h"

#include <math.h>

#define METRICS 4
#define NUMBERS (2 + 3 * METRICS) /* of one eye at one size: frames, pairs, then sum, worst and its frame of each metric */
#define MAX_COUNT 9007199254740992.0 /* 2^53 */

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

bool vrs_truth_text_put(cJSON *object, const char *key, const struct vrs_truth_sums *sums)
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

bool vrs_truth_text_take(const cJSON *object, const char *key, struct vrs_truth_sums *ret_sums)
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
