/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Model manifests: their keys, and where they are: configs/models/NAME.yaml, or sensible values for the bare path of a network file. */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include <vrseg/config.h>
#include <vrseg/yaml.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/str_parse.h"

#define CONSTANTS "input.constants" /* {NAME: VALUE}: inputs of a network that are the same for every picture */

/* An entry on its way into a manifest. */
struct reading {
	const struct vrs_yaml *yaml;
	const struct vrs_yaml_entry *entry;
	const struct field *field; /* NULL: a constant */
	struct vrs_manifest *manifest;
	void *to;                  /* the field's member of it */
	struct vrs_error *err;
};

/* One key of a manifest. */
struct field {
	const char *key;
	enum vrs_status (*read)(const struct reading *r);
	size_t offset, size; /* in struct vrs_manifest */
	double min, max;
	bool required;
};

/* Texts of a list, or the one text of a scalar. */
static int item_count(const struct vrs_yaml_entry *entry)
{
	return entry->kind == VRS_YAML_LIST ? entry->item_count : *entry->value ? 1 : 0;
}

static const char *item(const struct vrs_yaml_entry *entry, int i)
{
	return entry->kind == VRS_YAML_LIST ? entry->items[i] : entry->value;
}

/* what: "names", "pairs" */
static enum vrs_status count_items(const struct reading *r, int max, const char *what, int *ret_count)
{
	*ret_count = item_count(r->entry);
	if (*ret_count >= 1 && *ret_count <= max)
		return VRS_OK;
	return vrs_yaml_fail(r->yaml, r->entry, r->err, VRS_ECONFIG, "%s: 1 to %d %s are expected", r->entry->key, max, what);
}

static enum vrs_status read_name(const struct reading *r, const char *name, char *to, size_t size)
{
	if (vrs_strcpy(to, size, name))
		return VRS_OK;
	return vrs_yaml_fail(r->yaml, r->entry, r->err, VRS_ECONFIG, "%s: the name \"%.60s...\" is too long", r->field ? r->field->key : CONSTANTS, name);
}

static enum vrs_status read_number(const struct reading *r, const char *text, float *to)
{
	double value;

	if (!vrs_parse_double(text, r->field->min, r->field->max, &value))
		return vrs_yaml_fail(r->yaml, r->entry, r->err, VRS_ECONFIG, "%s: \"%.60s\" is not a number from %g to %g", r->field->key, text,
				     r->field->min, r->field->max);
	*to = (float)value;
	return VRS_OK;
}

static enum vrs_status read_text(const struct reading *r)
{
	if (!*r->entry->value)
		return vrs_yaml_fail(r->yaml, r->entry, r->err, VRS_ECONFIG, "%s: the value is missing", r->field->key);
	if (!vrs_strcpy(r->to, r->field->size, r->entry->value))
		return vrs_yaml_fail(r->yaml, r->entry, r->err, VRS_ECONFIG, "%s: the text is longer than %zu bytes", r->field->key, r->field->size - 1);
	return VRS_OK;
}

static enum vrs_status read_int(const struct reading *r)
{
	int64_t number;

	if (!vrs_parse_int(r->entry->value, (int64_t)r->field->min, (int64_t)r->field->max, &number))
		return vrs_yaml_fail(r->yaml, r->entry, r->err, VRS_ECONFIG, "%s: \"%.60s\" is not a whole number from %.0f to %.0f", r->field->key,
				     r->entry->value, r->field->min, r->field->max);
	*(int *)r->to = (int)number;
	return VRS_OK;
}

static enum vrs_status read_bool(const struct reading *r)
{
	if (vrs_parse_bool(r->entry->value, r->to))
		return VRS_OK;
	return vrs_yaml_fail(r->yaml, r->entry, r->err, VRS_ECONFIG, "%s: \"%.60s\" is neither true nor false", r->field->key, r->entry->value);
}

static enum vrs_status read_real(const struct reading *r)
{
	return read_number(r, r->entry->value, r->to);
}

/* [r, g, b], or one number for all three. */
static enum vrs_status read_triple(const struct reading *r)
{
	enum vrs_status status = VRS_OK;

	if (r->entry->kind == VRS_YAML_LIST && r->entry->item_count != 3)
		return vrs_yaml_fail(r->yaml, r->entry, r->err, VRS_ECONFIG, "%s: three numbers are expected, or one for all channels", r->field->key);
	for (int i = 0; i < 3 && status == VRS_OK; i++)
		status = read_number(r, item(r->entry, i), (float *)r->to + i);
	return status;
}

/* Names of the outputs that hold detections, coarse maps last. */
static enum vrs_status read_detections(const struct reading *r)
{
	struct vrs_manifest *m = r->manifest;
	enum vrs_status status = count_items(r, VRS_MANIFEST_MAX_DETECTIONS, "names", &m->detection_count);

	for (int i = 0; i < m->detection_count && status == VRS_OK; i++)
		status = read_name(r, item(r->entry, i), m->detections[i], sizeof m->detections[i]);
	return status;
}

/* "in > out" pairs: the output that becomes the input of the next frame. */
static enum vrs_status read_states(const struct reading *r)
{
	struct vrs_manifest *m = r->manifest;
	enum vrs_status status = count_items(r, VRS_MANIFEST_MAX_STATES, "pairs", &m->state_count);

	for (int i = 0; i < m->state_count && status == VRS_OK; i++)
		if (sscanf(item(r->entry, i), "%63[^> ] > %63[^> ]", m->states[i].in, m->states[i].out) != 2)
			status = vrs_yaml_fail(r->yaml, r->entry, r->err, VRS_ECONFIG, "%s: \"%.60s\" is not a pair \"INPUT > OUTPUT\"", r->field->key,
					       item(r->entry, i));
	return status;
}

static enum vrs_status read_size(const struct reading *r)
{
	int size[2];

	if (!vrs_parse_size2(r->entry->value, (int64_t)r->field->min, (int64_t)r->field->max, size))
		return vrs_yaml_fail(r->yaml, r->entry, r->err, VRS_ECONFIG, "%s: \"%.60s\" is not a size; write [width, height] within 1 to %.0f",
				     r->field->key, r->entry->value, r->field->max);
	r->manifest->input_width = size[0];
	r->manifest->input_height = size[1];
	return VRS_OK;
}

/* Sizes of a list into to[count][2]. */
static enum vrs_status read_sizes(const struct reading *r, int (*to)[2], int count)
{
	for (int i = 0; i < count; i++)
		if (!vrs_parse_size2(item(r->entry, i), (int64_t)r->field->min, (int64_t)r->field->max, to[i]))
			return vrs_yaml_fail(r->yaml, r->entry, r->err, VRS_ECONFIG, "%s: \"%.60s\" is not a size; write [[width, height], ...]",
					     r->field->key, item(r->entry, i));
	return VRS_OK;
}

/* [[width, height], [width, height]]: normal, large */
static enum vrs_status read_auto_sizes(const struct reading *r)
{
	if (r->entry->kind != VRS_YAML_LIST || r->entry->item_count != VRS_AUTO_SIZES)
		return vrs_yaml_fail(r->yaml, r->entry, r->err, VRS_ECONFIG, "%s: two sizes are expected, a normal and a large one", r->field->key);
	return read_sizes(r, r->to, VRS_AUTO_SIZES);
}

/* [[width, height], ...] */
static enum vrs_status read_trained(const struct reading *r)
{
	struct vrs_manifest *m = r->manifest;
	enum vrs_status status = count_items(r, VRS_MANIFEST_MAX_TRAINED, "sizes", &m->trained_count);

	return status != VRS_OK ? status : read_sizes(r, m->trained, m->trained_count);
}

static enum vrs_status read_kind(const struct reading *r)
{
	/* in the order of enum vrs_output_kind */
	static const char *const kinds[] = {"probability", "logits", "softmax2", "alpha_foreground", "prototypes", NULL};

	for (int i = 0; kinds[i]; i++)
		if (strcmp(kinds[i], r->entry->value) == 0) {
			r->manifest->output_kind = (enum vrs_output_kind)i;
			return VRS_OK;
		}
	return vrs_yaml_fail(r->yaml, r->entry, r->err, VRS_ECONFIG, "%s: \"%.60s\" is not one of probability, logits, softmax2, alpha_foreground, "
			     "prototypes", r->field->key, r->entry->value);
}

#define AT(member) offsetof(struct vrs_manifest, member), sizeof ((struct vrs_manifest *)0)->member

static const struct field fields[] = {
	{"name", read_text, AT(name), 0, 0, false},
	{"file", read_text, AT(file), 0, 0, true},
	{"licence", read_text, AT(licence), 0, 0, true},
	{"source", read_text, AT(source), 0, 0, true},
	{"sha256", read_text, AT(sha256), 0, 0, false},
	{"input.size", read_size, AT(input_width), 1, 8192, true},
	{"input.size_multiple", read_int, AT(size_multiple), 0, 1024, false},
	{"input.vr_size", read_auto_sizes, AT(vr_size), 1, 8192, false},
	{"input.flat_size", read_auto_sizes, AT(flat_size), 1, 8192, false},
	{"trained_sizes", read_trained, AT(trained), 1, 8192, false},
	{"input.bgr", read_bool, AT(bgr), 0, 0, false},
	{"input.mean", read_triple, AT(mean), -1000, 1000, false},
	{"input.scale", read_triple, AT(scale), -1000, 1000, false},
	{"input.name", read_text, AT(input_name), 0, 0, false},
	{"output.kind", read_kind, AT(output_kind), 0, 0, true},
	{"output.name", read_text, AT(output_name), 0, 0, false},
	{"output.channel", read_int, AT(output_channel), 0, 65535, false},
	{"output.detections", read_detections, AT(detections), 0, 0, false},
	{"output.classes", read_int, AT(classes), 1, 100000, false},
	{"output.person_class", read_int, AT(person_class), 0, 99999, false},
	{"output.threshold", read_real, AT(threshold), 0, 1, false},
	{"states", read_states, AT(states), 0, 0, false},
};

static enum vrs_status read_constant(const struct reading *r)
{
	struct vrs_manifest *m = r->manifest;
	struct vrs_manifest_constant *constant = &m->constants[m->constant_count];
	const char *key = r->entry->key, *name = key + sizeof CONSTANTS;

	if (!key[sizeof CONSTANTS - 1] || !*name)
		return vrs_yaml_fail(r->yaml, r->entry, r->err, VRS_ECONFIG, CONSTANTS ": a value for each name is expected, as in {downsample_ratio: 0.25}");
	if (m->constant_count == VRS_MANIFEST_MAX_CONSTANTS)
		return vrs_yaml_fail(r->yaml, r->entry, r->err, VRS_ECONFIG, CONSTANTS ": more than %d names", VRS_MANIFEST_MAX_CONSTANTS);
	enum vrs_status status = read_name(r, name, constant->name, sizeof constant->name);

	if (status == VRS_OK)
		status = count_items(r, VRS_MANIFEST_MAX_VALUES, "numbers", &constant->count);
	for (int i = 0; status == VRS_OK && i < constant->count; i++)
		if (!vrs_parse_double(item(r->entry, i), -(double)FLT_MAX, (double)FLT_MAX, &constant->values[i]))
			status = vrs_yaml_fail(r->yaml, r->entry, r->err, VRS_ECONFIG, "%s: \"%.60s\" is not a number", key, item(r->entry, i));
	m->constant_count += status == VRS_OK;
	return status;
}

static enum vrs_status fail_unknown_key(const struct reading *r)
{
	const char *candidates[sizeof fields / sizeof fields[0] + 1] = {NULL}, *closest;

	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
		candidates[i] = fields[i].key;
	closest = vrs_closest(r->entry->key, candidates);
	return vrs_yaml_fail(r->yaml, r->entry, r->err, VRS_ECONFIG, "unknown key \"%.100s\" in a model manifest%s%s%s", r->entry->key,
			     closest ? "; did you mean \"" : "", closest ? closest : "", closest ? "\"?" : "");
}

static enum vrs_status read_entry(const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, struct vrs_manifest *manifest,
				  struct vrs_error *err)
{
	struct reading r = {.yaml = yaml, .entry = entry, .manifest = manifest, .err = err};
	size_t length = sizeof CONSTANTS - 1;

	if (strncmp(entry->key, CONSTANTS, length) == 0 && (entry->key[length] == '.' || entry->key[length] == '\0'))
		return read_constant(&r);
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
		if (strcmp(fields[i].key, entry->key) == 0) {
			r.field = &fields[i];
			r.to = (char *)manifest + fields[i].offset;
			return fields[i].read(&r);
		}
	return fail_unknown_key(&r);
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

/* After all entries: is everything there, and does it fit together? */
static enum vrs_status check(const struct vrs_yaml *yaml, const struct vrs_manifest *manifest, struct vrs_error *err)
{
	size_t hash_len = strlen(manifest->sha256);

	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
		if (fields[i].required && !vrs_yaml_find(yaml, fields[i].key))
			return vrs_yaml_fail(yaml, NULL, err, VRS_ECONFIG, "the key %s is missing", fields[i].key);
	if (hash_len && (hash_len != 64 || strspn(manifest->sha256, "0123456789abcdef") != 64))
		return vrs_yaml_fail(yaml, vrs_yaml_find(yaml, "sha256"), err, VRS_ECONFIG, "sha256: 64 lower-case hexadecimal digits are expected");
	return check_prototypes(yaml, manifest, err);
}

/* Name without folder and extension. */
static void stem(const char *path, char *buf, size_t size)
{
	const char *base = vrs_path_base(path), *dot = strrchr(base, '.');
	size_t len = dot && dot != base ? (size_t)(dot - base) : strlen(base);

	(void)snprintf(buf, size, "%.*s", (int)len, base); /* a name only shown; cut when long */
}

static void set_defaults(struct vrs_manifest *manifest, const char *path)
{
	memset(manifest, 0, sizeof *manifest);
	stem(path, manifest->name, sizeof manifest->name);
	manifest->output_kind = VRS_OUTPUT_PROBABILITY;
	manifest->output_channel = -1;
	for (int i = 0; i < 3; i++)
		manifest->scale[i] = 1;
}

/* vrs_data_file, where a file that is not there is no failure. */
static enum vrs_status find_data(const char *name, char *path, size_t size, bool *ret_found, struct vrs_error *err)
{
	struct vrs_error why = {0};
	enum vrs_status status = vrs_data_file(name, path, size, &why);

	*ret_found = status == VRS_OK;
	return vrs_status_may_pass(status) ? vrs_fail(err, status, "%s", why.text) : VRS_OK;
}

/* The network file: beside the manifest's data folder ("models/FILE"), or as the absolute path says. Absent files keep the name alone. */
static enum vrs_status locate(struct vrs_manifest *manifest, const char *manifest_path, struct vrs_error *err)
{
	char name[VRS_PATH_MAX + 16], path[VRS_PATH_MAX], dir[VRS_PATH_MAX];
	enum vrs_status status = VRS_OK;
	bool found = false;
	const char *slash = strrchr(manifest_path, '/');

	if (manifest->file[0] == '/')
		return VRS_OK;
	if (slash && (size_t)(slash - manifest_path) < sizeof dir) {
		memcpy(dir, manifest_path, (size_t)(slash - manifest_path));
		dir[slash - manifest_path] = '\0';
		if (vrs_path_join(path, sizeof path, dir, manifest->file) == VRS_OK)
			status = vrs_path_find(path, &found, err);
	}
	if (status == VRS_OK && !found) {
		(void)snprintf(name, sizeof name, "models/%s", manifest->file);
		status = find_data(name, path, sizeof path, &found, err);
	}
	if (status != VRS_OK || !found)
		return status;
	return vrs_strcpy(manifest->file, sizeof manifest->file, path) ? VRS_OK : VRS_ELIMIT;
}

static uint64_t hash_entry(uint64_t hash, const struct vrs_yaml_entry *entry)
{
	hash = vrs_hash(hash, entry->key, strlen(entry->key) + 1);
	hash = vrs_hash(hash, entry->value, strlen(entry->value) + 1);
	for (int i = 0; i < entry->item_count; i++)
		hash = vrs_hash(hash, entry->items[i], strlen(entry->items[i]) + 1);
	return hash;
}

static enum vrs_status load_file(struct vrs_manifest *ret_manifest, const char *path, struct vrs_error *err)
{
	struct vrs_manifest manifest;
	struct vrs_yaml yaml;
	enum vrs_status status = vrs_yaml_read(&yaml, path, err);

	set_defaults(&manifest, path);
	for (int i = 0; status == VRS_OK && i < yaml.count; i++)
		status = read_entry(&yaml, &yaml.entries[i], &manifest, err);
	if (status == VRS_OK)
		status = check(&yaml, &manifest, err);
	manifest.content = VRS_HASH_INIT;
	for (int i = 0; status == VRS_OK && i < yaml.count; i++)
		manifest.content = hash_entry(manifest.content, &yaml.entries[i]);
	vrs_yaml_fini(&yaml);
	if (status == VRS_OK)
		status = locate(&manifest, path, err);
	if (status == VRS_OK)
		*ret_manifest = manifest;
	if (status == VRS_EFORMAT || status == VRS_ELIMIT) {
		status = VRS_ECONFIG;
		if (err)
			err->status = status;
	}
	return status;
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t n = strlen(name), k = strlen(suffix);

	return n > k && strcmp(name + n - k, suffix) == 0;
}

static enum vrs_status fail_unknown(const char *name, struct vrs_error *err)
{
	char **names = NULL;
	const char *closest = NULL;
	enum vrs_status status = vrs_data_names("models", &names, NULL);

	if (status == VRS_OK)
		closest = vrs_closest(name, (const char *const *)names);
	if (status == VRS_OK && !names[0])
		status = vrs_fail(err, VRS_ECONFIG, "no networks are installed beside this program: start it in its build folder, or install it with "
				  "cmake --install");
	else
		status = closest ? vrs_fail(err, VRS_ECONFIG, "there is no model \"%.100s\"; did you mean \"%s\"?", name, closest)
				 : vrs_fail(err, VRS_ECONFIG, "there is no model \"%.100s\"; --list-models shows all", name);
	vrs_data_names_free(names);
	return status;
}

/*
 * The path of a network file, or the name of one in the model folders.  Everything that a manifest would say is taken as usual: RGB in
 * 0..1, output a probability, sizes as far as the graph allows.
 */
static enum vrs_status bare_network(struct vrs_manifest *ret_manifest, const char *path, struct vrs_error *err)
{
	struct vrs_manifest manifest;
	bool found;

	set_defaults(&manifest, path);
	manifest.size_multiple = 1;
	if (!vrs_strcpy(manifest.file, sizeof manifest.file, path))
		return vrs_fail(err, VRS_ELIMIT, "the path of the network file is longer than %zu bytes", sizeof manifest.file - 1);
	enum vrs_status status = vrs_path_find(path, &found, err);
	if (status == VRS_OK && !found && !strchr(path, '/'))
		status = locate(&manifest, path, err);
	if (status == VRS_ELIMIT)
		return vrs_fail(err, VRS_ELIMIT, "the path of the network file %s is too long", path);
	if (status != VRS_OK)
		return status;
	if (!vrs_path_exists(manifest.file))
		return vrs_fail(err, VRS_ENOTFOUND, "cannot find the network file %s", path);
	*ret_manifest = manifest;
	return VRS_OK;
}

/* The manifest of that name in the data folders; *ret_found false: there is none. */
static enum vrs_status load_named(struct vrs_manifest *ret_manifest, const char *name, bool *ret_found, struct vrs_error *err)
{
	char file[256], path[VRS_PATH_MAX];

	*ret_found = false;
	if ((size_t)snprintf(file, sizeof file, "models/%s.yaml", name) >= sizeof file)
		return VRS_OK;
	enum vrs_status status = find_data(file, path, sizeof path, ret_found, err);

	return status == VRS_OK && *ret_found ? load_file(ret_manifest, path, err) : status;
}

/* The first whose network file is there; the last one where none is. One that is damaged, or cannot be read now, is not passed over. */
static enum vrs_status load_best(struct vrs_manifest *ret_manifest, struct vrs_error *err)
{
	static const char *const names[] = {VRS_MODEL_BEST, "selfie_segmentation"};
	enum vrs_status status = VRS_OK;
	bool is_there = true, found = false;

	for (size_t i = 0; i < sizeof names / sizeof names[0] && status == VRS_OK && !found; i++) {
		status = load_named(ret_manifest, names[i], &is_there, err);
		if (status == VRS_OK && is_there)
			status = vrs_path_find(ret_manifest->file, &found, err);
	}
	return status == VRS_OK && !is_there ? fail_unknown(names[1], err) : status;
}

enum vrs_status vrs_manifest_load(struct vrs_manifest *ret_manifest, const char *name_or_path, struct vrs_error *err)
{
	bool found;

	if (!ret_manifest || !name_or_path || !*name_or_path)
		return vrs_fail(err, VRS_ECONFIG, "the name of the model is missing");
	if (strcmp(name_or_path, VRS_MODEL_AUTO) == 0)
		return load_best(ret_manifest, err);
	if (has_suffix(name_or_path, ".yaml") || has_suffix(name_or_path, ".yml"))
		return load_file(ret_manifest, name_or_path, err);
	if (strchr(name_or_path, '/') || has_suffix(name_or_path, ".tflite") || has_suffix(name_or_path, ".onnx"))
		return bare_network(ret_manifest, name_or_path, err);
	enum vrs_status status = load_named(ret_manifest, name_or_path, &found, err);

	return status == VRS_OK && !found ? fail_unknown(name_or_path, err) : status;
}

/* At sizes that it was not trained for a network runs as well, and its mattes fall apart in silence. */
bool vrs_manifest_is_trained(const struct vrs_manifest *manifest, const int size[2])
{
	int width = size[0] ? size[0] : manifest->input_width, height = size[1] ? size[1] : manifest->input_height;

	for (int i = 0; i < manifest->trained_count; i++)
		if (manifest->trained[i][0] == width && manifest->trained[i][1] == height)
			return true;
	return manifest->trained_count == 0;
}

enum vrs_status vrs_manifest_warn_size(const struct vrs_manifest *manifest, const struct vrs_settings *settings, const int size[2],
				       struct vrs_error *err)
{
	char which[64];

	if (vrs_manifest_is_trained(manifest, size))
		return VRS_OK;
	(void)snprintf(which, sizeof which, "input size %dx%d", size[0] ? size[0] : manifest->input_width, size[1] ? size[1] : manifest->input_height);
	return vrs_manifest_warn_untrained(manifest, settings, which, err);
}

enum vrs_status vrs_manifest_warn_untrained(const struct vrs_manifest *manifest, const struct vrs_settings *settings, const char *which,
					    struct vrs_error *err)
{
	char id[96], sizes[VRS_MANIFEST_MAX_TRAINED * 12 + 1] = "";

	for (int i = 0; i < manifest->trained_count; i++) {
		size_t used = strlen(sizes);

		(void)snprintf(sizes + used, sizeof sizes - used, "%s%dx%d", i ? ", " : "", manifest->trained[i][0], manifest->trained[i][1]);
	}
	(void)snprintf(id, sizeof id, "untrained %s", manifest->name);
	return vrs_config_warn(settings, id, err, "%s: the network %s was not trained for that, so expect worse mattes; sizes that suit it: %s", which,
			       manifest->name, sizes);
}
