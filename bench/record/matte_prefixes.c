/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/record/matte_prefixes.h"

#include <math.h>

#define DECIMALS 1e6
#define VALUE_MAX 1e9

void vrs_matte_prefixes_add(struct vrs_matte_prefixes *prefixes, int mattes, const struct vrs_truth_sums *sums)
{
	if (prefixes->count == VRS_MATTE_PREFIXES_MAX)
		return;
	float *figures = prefixes->figures[prefixes->count];
	for (int f = 0; f < VRS_QUALITY_FIGURES; f++)
		figures[f] = (float)(round(DECIMALS * vrs_quality_figure(sums, (enum vrs_quality_figure)f)) / DECIMALS);
	prefixes->mattes[prefixes->count++] = mattes;
}

int vrs_matte_prefixes_common(const struct vrs_matte_prefixes *a, const struct vrs_matte_prefixes *b)
{
	int i = (a->count < b->count ? a->count : b->count) - 1;
	while (i >= 0 && a->mattes[i] != b->mattes[i])
		i--;
	return i;
}

static bool is_judged(enum vrs_quality_figure figure)
{
	return vrs_quality_figure_info(figure)->margin > 0;
}

static bool put_figure(cJSON *to, const struct vrs_matte_prefixes *p, enum vrs_quality_figure figure)
{
	bool any = false;
	for (int i = 0; i < p->count; i++)
		any = any || isfinite(p->figures[i][figure]);
	cJSON *array = any ? vrs_json_put_array(to, vrs_quality_figure_info(figure)->key) : NULL;
	bool ok = array || !any;
	for (int i = 0; i < p->count && ok && any; i++) {
		double value = round(DECIMALS * (double)p->figures[i][figure]) / DECIMALS;
		cJSON *item = isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
		ok = item && cJSON_AddItemToArray(array, item);
	}
	return ok;
}

bool vrs_matte_prefixes_put(cJSON *object, const char *key, const struct vrs_matte_prefixes *prefixes)
{
	if (prefixes->count == 0)
		return true;
	cJSON *to = vrs_json_put_object(object, key), *mattes = to ? cJSON_AddArrayToObject(to, "mattes") : NULL;
	bool ok = mattes != NULL;
	for (int i = 0; i < prefixes->count && ok; i++) {
		cJSON *item = cJSON_CreateNumber(prefixes->mattes[i]);
		ok = item && cJSON_AddItemToArray(mattes, item);
	}
	for (int f = 0; f < VRS_QUALITY_FIGURES && ok; f++)
		ok = !is_judged((enum vrs_quality_figure)f) || put_figure(to, prefixes, (enum vrs_quality_figure)f);
	return ok;
}

/* Whole numbers that grow. */
static bool get_mattes(const cJSON *array, struct vrs_matte_prefixes *ret)
{
	const cJSON *item;
	if (!cJSON_IsArray(array) || cJSON_GetArraySize(array) < 1 || cJSON_GetArraySize(array) > VRS_MATTE_PREFIXES_MAX)
		return false;
	cJSON_ArrayForEach(item, array) {
		int before = ret->count > 0 ? ret->mattes[ret->count - 1] : 0;
		double value = cJSON_IsNumber(item) ? item->valuedouble : 0;
		if (!(value > before && value <= VALUE_MAX) || floor(value) < value)
			return false;
		ret->mattes[ret->count++] = (int)value;
	}
	return true;
}

static bool get_figure(const cJSON *array, enum vrs_quality_figure figure, struct vrs_matte_prefixes *ret)
{
	const cJSON *item;
	int i = 0;
	for (int k = 0; k < ret->count; k++)
		ret->figures[k][figure] = NAN;
	if (!array)
		return true;
	if (!cJSON_IsArray(array) || cJSON_GetArraySize(array) != ret->count)
		return false;
	cJSON_ArrayForEach(item, array) {
		if (!cJSON_IsNull(item) && (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= VALUE_MAX)))
			return false;
		ret->figures[i++][figure] = cJSON_IsNull(item) ? NAN : (float)item->valuedouble;
	}
	return true;
}

bool vrs_matte_prefixes_get(const cJSON *object, struct vrs_matte_prefixes *ret)
{
	ret->count = 0;
	bool ok = cJSON_IsObject(object) && get_mattes(cJSON_GetObjectItemCaseSensitive(object, "mattes"), ret);
	for (int f = 0; f < VRS_QUALITY_FIGURES && ok; f++)
		ok = get_figure(cJSON_GetObjectItemCaseSensitive(object, vrs_quality_figure_info((enum vrs_quality_figure)f)->key), (enum vrs_quality_figure)f,
				ret);
	if (!ok)
		ret->count = 0;
	return ok;
}
