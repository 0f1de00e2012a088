/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON from untrusted files: no input harms, errors have a place inside the text, and what parses prints and parses again to the same text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "require.h"

#define MAX_BYTES (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(const struct vrs_error *err, const uint8_t *data, size_t size)
{
	int lines = 1;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	require(err->status != VRS_OK && err->text[0]);
	require(err->line >= 0 && err->line <= lines && err->column >= 0 && (size_t)err->column <= size + 1);
}

static void check_round_trip(const cJSON *json)
{
	char *first = vrs_json_print(json, false);
	cJSON *again = NULL;

	require(first != NULL);
	require(vrs_json_parse(first, strlen(first), SIZE_MAX, "again", &again, NULL) == VRS_OK);
	char *second = vrs_json_print(again, false);

	require(second && strcmp(first, second) == 0);
	cJSON_Delete(again);
	vrs_json_free_text(first);
	vrs_json_free_text(second);
}

/* The typed getters on whatever there is. */
static void check_getters(const cJSON *json)
{
	for (const cJSON *item = json->child; item; item = item->next) {
		double number;
		int64_t integer;
		bool flag;
		const char *key = item->string ? item->string : "";
		bool is_number = vrs_json_number(json, key, &number), is_flag = vrs_json_bool(json, key, &flag);
		bool is_string = vrs_json_string(json, key) != NULL;

		require(is_number + is_flag + is_string <= 1);
		if (vrs_json_int(json, key, &integer))
			require(is_number || is_string);
	}
}

/* An array whose elements are read one by one: of a text that is whole, all can be read; of any other, memory stays in order. */
static void check_elements(const uint8_t *data, size_t size, bool whole)
{
	struct vrs_json_elements elements;
	cJSON *json = NULL, *item = NULL;
	enum vrs_status status = vrs_json_parse_around((const char *)data, size, MAX_BYTES, "fuzz", "cases", &json, &elements, NULL);

	require(!whole || status == VRS_OK);
	if (status != VRS_OK)
		return;
	while ((status = vrs_json_elements_next(&elements, &item, NULL)) == VRS_OK && item)
		vrs_json_elements_free(&elements, item);
	require(!whole || status == VRS_OK);
	cJSON_Delete(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vrs_error err = {0};
	cJSON *json = NULL;

	if (vrs_json_parse((const char *)data, size, MAX_BYTES, "fuzz", &json, &err) != VRS_OK) {
		require(json == NULL);
		check_error(&err, data, size);
		check_elements(data, size, false);
		return 0;
	}
	check_elements(data, size, true);
	check_getters(json);
	check_round_trip(json);
	cJSON_Delete(json);
	return 0;
}
