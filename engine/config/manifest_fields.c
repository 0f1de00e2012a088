/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config/manifest_fields.h"

#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"

enum field_type { FIELD_TEXT, FIELD_INT, FIELD_BOOL, FIELD_REAL, FIELD_TRIPLE, FIELD_SIZE, FIELD_SIZES, FIELD_KIND, FIELD_NAMES, FIELD_STATES };

/* One key of a manifest. */
struct field {
	const char *key;
	enum field_type type;
	size_t offset, size; /* in struct vrs_manifest */
	double min, max;
	bool required;
};

#define TEXT(member) FIELD_TEXT, offsetof(struct vrs_manifest, member), sizeof ((struct vrs_manifest *)0)->member, 0, 0
#define AT(member) offsetof(struct vrs_manifest, member), 0

static const struct field fields[] = {
	{"name", TEXT(name), false},
	{"file", TEXT(file), true},
	{"licence", TEXT(licence), true},
	{"source", TEXT(source), true},
	{"sha256", TEXT(sha256), false},
	{"input.size", FIELD_SIZE, AT(input_width), 1, 8192, true},
	{"input.size_multiple", FIELD_INT, AT(size_multiple), 0, 1024, false},
	{"trained_sizes", FIELD_SIZES, AT(trained), 1, 8192, false},
	{"input.bgr", FIELD_BOOL, AT(bgr), 0, 0, false},
	{"input.mean", FIELD_TRIPLE, AT(mean), -1000, 1000, false},
	{"input.scale", FIELD_TRIPLE, AT(scale), -1000, 1000, false},
	{"input.name", TEXT(input_name), false},
	{"output.kind", FIELD_KIND, AT(output_kind), 0, 0, true},
	{"output.name", TEXT(output_name), false},
	{"output.channel", FIELD_INT, AT(output_channel), 0, 65535, false},
	{"output.detections", FIELD_NAMES, AT(detections), 0, 0, false},
	{"output.classes", FIELD_INT, AT(classes), 1, 100000, false},
	{"output.person_class", FIELD_INT, AT(person_class), 0, 99999, false},
	{"output.threshold", FIELD_REAL, AT(threshold), 0, 1, false},
	{"states", FIELD_STATES, AT(states), 0, 0, false},
};

/* In the order of enum vrs_output_kind. */
static const char *const kinds[] = {"probability", "logits", "softmax2", "alpha_foreground", "prototypes", NULL};

static const struct field *find_field(const char *key)
{
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
		if (strcmp(fields[i].key, key) == 0)
			return &fields[i];
	return NULL;
}

static enum vrs_status read_text(const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, const struct field *field, char *to,
				 struct vrs_error *err)
{
	if (!*entry->value)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: the value is missing", field->key);
	if (!vrs_strcpy(to, field->size, entry->value))
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: the text is longer than %zu bytes", field->key, field->size - 1);
	return VRS_OK;
}

static enum vrs_status read_int(const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, const struct field *field, char *to,
				struct vrs_error *err)
{
	int64_t number;
	int value;

	if (!vrs_parse_int(entry->value, (int64_t)field->min, (int64_t)field->max, &number))
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: \"%.60s\" is not a whole number from %.0f to %.0f", field->key, entry->value,
				     field->min, field->max);
	value = (int)number;
	memcpy(to, &value, sizeof value);
	return VRS_OK;
}

static enum vrs_status read_bool(const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, const struct field *field, char *to,
				 struct vrs_error *err)
{
	bool value;

	if (!vrs_parse_bool(entry->value, &value))
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: \"%.60s\" is neither true nor false", field->key, entry->value);
	memcpy(to, &value, sizeof value);
	return VRS_OK;
}

static enum vrs_status read_real(const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, const struct field *field, char *to,
				 struct vrs_error *err)
{
	double value;
	float stored;

	if (!vrs_parse_double(entry->value, field->min, field->max, &value))
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: \"%.60s\" is not a number from %g to %g", field->key, entry->value, field->min,
				     field->max);
	stored = (float)value;
	memcpy(to, &stored, sizeof stored);
	return VRS_OK;
}

/* Texts of a list, or the one text of a scalar. */
static int item_count(const struct vrs_yaml_entry *entry)
{
	return entry->kind == VRS_YAML_LIST ? entry->item_count : *entry->value ? 1 : 0;
}

static const char *item(const struct vrs_yaml_entry *entry, int i)
{
	return entry->kind == VRS_YAML_LIST ? entry->items[i] : entry->value;
}

/* Names of the outputs that hold detections, coarse maps last. */
static enum vrs_status read_names(const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, const struct field *field,
				  struct vrs_manifest *manifest, struct vrs_error *err)
{
	int count = item_count(entry);

	if (count < 1 || count > VRS_MANIFEST_MAX_DETECTIONS)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: 1 to %d names are expected", field->key, VRS_MANIFEST_MAX_DETECTIONS);
	for (int i = 0; i < count; i++)
		if (!vrs_strcpy(manifest->detections[i], sizeof manifest->detections[i], item(entry, i)))
			return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: the name \"%.60s...\" is too long", field->key, item(entry, i));
	manifest->detection_count = count;
	return VRS_OK;
}

/* "in > out" pairs: the output that becomes the input of the next frame. */
static enum vrs_status read_states(const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, const struct field *field,
				   struct vrs_manifest *manifest, struct vrs_error *err)
{
	int count = item_count(entry);

	if (count < 1 || count > VRS_MANIFEST_MAX_STATES)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: 1 to %d pairs are expected", field->key, VRS_MANIFEST_MAX_STATES);
	for (int i = 0; i < count; i++) {
		struct vrs_manifest_state *state = &manifest->states[i];

		if (sscanf(item(entry, i), "%63[^> ] > %63[^> ]", state->in, state->out) != 2)
			return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: \"%.60s\" is not a pair \"INPUT > OUTPUT\"", field->key, item(entry, i));
	}
	manifest->state_count = count;
	return VRS_OK;
}

/* [r, g, b], or one number for all three. */
static enum vrs_status read_triple(const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, const struct field *field, char *to,
				   struct vrs_error *err)
{
	float triple[3];

	if (entry->kind == VRS_YAML_LIST && entry->item_count != 3)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: three numbers are expected, or one for all channels", field->key);
	for (int i = 0; i < 3; i++) {
		const char *text = entry->kind == VRS_YAML_LIST ? entry->items[i] : entry->value;
		double value;

		if (!vrs_parse_double(text, field->min, field->max, &value))
			return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: \"%.60s\" is not a number from %.0f to %.0f", field->key, text,
					     field->min, field->max);
		triple[i] = (float)value;
	}
	memcpy(to, triple, sizeof triple);
	return VRS_OK;
}

static enum vrs_status read_size(const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, const struct field *field,
				 struct vrs_manifest *manifest, struct vrs_error *err)
{
	int size[2];

	if (!vrs_parse_size2(entry->value, (int64_t)field->min, (int64_t)field->max, size))
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: \"%.60s\" is not a size; write [width, height] within 1 to %.0f", field->key,
				     entry->value, field->max);
	manifest->input_width = size[0];
	manifest->input_height = size[1];
	return VRS_OK;
}

/* [[width, height], ...] */
static enum vrs_status read_sizes(const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, const struct field *field,
				  struct vrs_manifest *manifest, struct vrs_error *err)
{
	int count = item_count(entry);

	if (count < 1 || count > VRS_MANIFEST_MAX_TRAINED)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: 1 to %d sizes are expected", field->key, VRS_MANIFEST_MAX_TRAINED);
	for (int i = 0; i < count; i++)
		if (!vrs_parse_size2(item(entry, i), (int64_t)field->min, (int64_t)field->max, manifest->trained[i]))
			return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: \"%.60s\" is not a size; write [[width, height], ...]", field->key,
					     item(entry, i));
	manifest->trained_count = count;
	return VRS_OK;
}

static enum vrs_status read_kind(const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, const struct field *field,
				 struct vrs_manifest *manifest, struct vrs_error *err)
{
	for (int i = 0; kinds[i]; i++)
		if (strcmp(kinds[i], entry->value) == 0) {
			manifest->output_kind = (enum vrs_output_kind)i;
			return VRS_OK;
		}
	return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: \"%.60s\" is not one of probability, logits, softmax2, alpha_foreground, prototypes",
			     field->key, entry->value);
}

enum vrs_status vrs_manifest_read(const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, struct vrs_manifest *manifest,
				  struct vrs_error *err)
{
	const struct field *field = find_field(entry->key);
	char *to;

	if (vrs_manifest_is_constant(entry))
		return vrs_manifest_read_constant(yaml, entry, manifest, err);
	if (!field) {
		const char *candidates[sizeof fields / sizeof fields[0] + 1] = {NULL}, *closest;

		for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
			candidates[i] = fields[i].key;
		closest = vrs_closest(entry->key, candidates);
		if (closest)
			return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "unknown key \"%.100s\" in a model manifest; did you mean \"%s\"?",
					     entry->key, closest);
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "unknown key \"%.100s\" in a model manifest", entry->key);
	}
	to = (char *)manifest + field->offset;
	switch (field->type) {
	case FIELD_TEXT:
		return read_text(yaml, entry, field, to, err);
	case FIELD_INT:
		return read_int(yaml, entry, field, to, err);
	case FIELD_BOOL:
		return read_bool(yaml, entry, field, to, err);
	case FIELD_TRIPLE:
		return read_triple(yaml, entry, field, to, err);
	case FIELD_SIZE:
		return read_size(yaml, entry, field, manifest, err);
	case FIELD_SIZES:
		return read_sizes(yaml, entry, field, manifest, err);
	case FIELD_KIND:
		return read_kind(yaml, entry, field, manifest, err);
	case FIELD_REAL:
		return read_real(yaml, entry, field, to, err);
	case FIELD_NAMES:
		return read_names(yaml, entry, field, manifest, err);
	case FIELD_STATES:
		return read_states(yaml, entry, field, manifest, err);
	}
	return VRS_EINTERNAL;
}

/* Keys that only a head with prototypes has, and needs. */
static enum vrs_status check_prototypes(const struct vrs_yaml *yaml, const struct vrs_manifest *manifest, struct vrs_error *err)
{
	static const char *const keys[] = {"output.detections", "output.classes", "output.person_class", "output.threshold"};
	bool prototypes = manifest->output_kind == VRS_OUTPUT_PROTOTYPES;

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		const struct vrs_yaml_entry *entry = vrs_yaml_find(yaml, keys[i]);

		if (entry && !prototypes)
			return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s: only networks with \"output.kind: prototypes\" have it", keys[i]);
		if (!entry && prototypes && i < 2)
			return vrs_yaml_fail(yaml, NULL, err, VRS_ECONFIG, "the key %s is missing; \"output.kind: prototypes\" needs it", keys[i]);
	}
	if (prototypes && manifest->person_class >= manifest->classes)
		return vrs_yaml_fail(yaml, vrs_yaml_find(yaml, "output.person_class"), err, VRS_ECONFIG, "output.person_class: there are classes 0 to %d",
				     manifest->classes - 1);
	return VRS_OK;
}

enum vrs_status vrs_manifest_check(const struct vrs_yaml *yaml, const struct vrs_manifest *manifest, struct vrs_error *err)
{
	size_t hash_len = strlen(manifest->sha256);

	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
		if (fields[i].required && !vrs_yaml_find(yaml, fields[i].key))
			return vrs_yaml_fail(yaml, NULL, err, VRS_ECONFIG, "the key %s is missing", fields[i].key);
	if (hash_len && (hash_len != 64 || strspn(manifest->sha256, "0123456789abcdef") != 64))
		return vrs_yaml_fail(yaml, vrs_yaml_find(yaml, "sha256"), err, VRS_ECONFIG, "sha256: 64 lower-case hexadecimal digits are expected");
	return check_prototypes(yaml, manifest, err);
}

