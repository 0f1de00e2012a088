/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks a document against a JSON Schema: type, enum, required, properties, additionalProperties, items, $ref within the schema, and the patterns
 * that ours uses.  A keyword that is not known here fails, so that no rule of the schema is skipped in silence.
 */
#ifndef VRS_TESTS_JSON_SCHEMA_H
#define VRS_TESTS_JSON_SCHEMA_H

#include <math.h>
#include <regex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

static bool schema_says(char why[256], const char *place, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static bool schema_says(char why[256], const char *place, const char *fmt, ...)
{
	va_list args;
	int n = snprintf(why, 256, "%.120s: ", place);
	va_start(args, fmt);
	(void)vsnprintf(why + n, (size_t)(256 - n), fmt, args);
	va_end(args);
	return false;
}

static bool schema_type(const char *type, const cJSON *value)
{
	return strcmp(type, "object") == 0    ? cJSON_IsObject(value)
	       : strcmp(type, "array") == 0   ? cJSON_IsArray(value)
	       : strcmp(type, "string") == 0  ? cJSON_IsString(value)
	       : strcmp(type, "boolean") == 0 ? cJSON_IsBool(value)
	       : strcmp(type, "null") == 0    ? cJSON_IsNull(value)
	       : strcmp(type, "integer") == 0 ? cJSON_IsNumber(value) && floor(value->valuedouble) >= value->valuedouble
					      : strcmp(type, "number") == 0 && cJSON_IsNumber(value);
}

static bool schema_pattern(const char *pattern, const char *text)
{
	regex_t regex;
	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		return false;
	bool ok = regexec(&regex, text, 0, NULL, 0) == 0;
	regfree(&regex);
	return ok;
}

static bool schema_enum(const cJSON *names, const cJSON *value)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, names)
		if (cJSON_Compare(item, value, true))
			return true;
	return false;
}

/* True when value fits the rules; else why names the first place that does not. */
static bool schema_fits(const cJSON *root, const cJSON *rules, const cJSON *value, const char *place, char why[256]);

static bool schema_members(const cJSON *root, const cJSON *rules, const cJSON *value, const char *place, char why[256])
{
	const cJSON *known = cJSON_GetObjectItemCaseSensitive(rules, "properties"), *member;
	const cJSON *others = cJSON_GetObjectItemCaseSensitive(rules, "additionalProperties");
	cJSON_ArrayForEach(member, value) {
		char here[200];
		const cJSON *rule = cJSON_GetObjectItemCaseSensitive(known, member->string);
		snprintf(here, sizeof here, "%s.%s", place, member->string);
		if (!rule && cJSON_IsFalse(others))
			return schema_says(why, here, "the schema does not know this key");
		if (!rule && !cJSON_IsObject(others))
			continue;
		if (!schema_fits(root, rule ? rule : others, member, here, why))
			return false;
	}
	return true;
}

static bool schema_keyword(const cJSON *root, const cJSON *rules, const cJSON *rule, const cJSON *value, const char *place, char why[256])
{
	const char *key = rule->string;
	const cJSON *item;
	if (strcmp(key, "$ref") == 0) {
		const cJSON *target = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(root, "$defs"), rule->valuestring + strlen("#/$defs/"));
		return target ? schema_fits(root, target, value, place, why) : schema_says(why, place, "%s leads nowhere", rule->valuestring);
	}
	if (strcmp(key, "type") == 0 && cJSON_IsArray(rule)) {
		cJSON_ArrayForEach(item, rule)
			if (schema_type(item->valuestring, value))
				return true;
		return schema_says(why, place, "is of none of the types that it may have");
	}
	if (strcmp(key, "type") == 0)
		return schema_type(rule->valuestring, value) || schema_says(why, place, "is no %s", rule->valuestring);
	if (strcmp(key, "enum") == 0)
		return schema_enum(rule, value) || schema_says(why, place, "is none of the values that it may have");
	if (strcmp(key, "pattern") == 0)
		return (cJSON_IsString(value) && schema_pattern(rule->valuestring, value->valuestring)) || schema_says(why, place, "is not %s", rule->valuestring);
	if (strcmp(key, "properties") == 0)
		return schema_members(root, rules, value, place, why);
	if (strcmp(key, "additionalProperties") == 0) /* without properties it stands alone */
		return cJSON_GetObjectItemCaseSensitive(rules, "properties") || schema_members(root, rules, value, place, why);
	if (strcmp(key, "required") == 0) {
		cJSON_ArrayForEach(item, rule)
			if (!cJSON_GetObjectItemCaseSensitive(value, item->valuestring))
				return schema_says(why, place, "%s is missing", item->valuestring);
		return true;
	}
	if (strcmp(key, "items") == 0) {
		int index = 0;
		cJSON_ArrayForEach(item, value) {
			char here[200];
			snprintf(here, sizeof here, "%s[%d]", place, index++);
			if (!schema_fits(root, rule, item, here, why))
				return false;
		}
		return true;
	}
	static const char *const words[] = {"description", "title", "$schema", "$defs"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(key, words[i]) == 0)
			return true;
	return schema_says(why, place, "the keyword %s of the schema is not checked", key);
}

static bool schema_fits(const cJSON *root, const cJSON *rules, const cJSON *value, const char *place, char why[256])
{
	const cJSON *rule;
	cJSON_ArrayForEach(rule, rules)
		if (!schema_keyword(root, rules, rule, value, place, why))
			return false;
	return true;
}

#endif
