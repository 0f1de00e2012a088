/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where model manifests are: configs/models/NAME.yaml, or sensible values for the bare path of a network file. */
#include <stdio.h>
#include <string.h>

#include <vrseg/config.h>

#include "base/file.h"
#include "base/str_parse.h"
#include "config/manifest_fields.h"

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

/* The network file: beside the manifest's data folder ("models/FILE"), or as the absolute path says. Absent files keep the name alone. */
static enum vrs_status locate(struct vrs_manifest *manifest, const char *manifest_path)
{
	char name[VRS_PATH_MAX + 16], path[VRS_PATH_MAX], dir[VRS_PATH_MAX];
	const char *slash = strrchr(manifest_path, '/');

	if (manifest->file[0] == '/')
		return VRS_OK;
	if (slash && (size_t)(slash - manifest_path) < sizeof dir) {
		memcpy(dir, manifest_path, (size_t)(slash - manifest_path));
		dir[slash - manifest_path] = '\0';
		if (vrs_path_join(path, sizeof path, dir, manifest->file) == VRS_OK && vrs_path_exists(path))
			return vrs_strcpy(manifest->file, sizeof manifest->file, path) ? VRS_OK : VRS_ELIMIT;
	}
	(void)snprintf(name, sizeof name, "models/%s", manifest->file);
	if (vrs_data_file(name, path, sizeof path, NULL) == VRS_OK)
		return vrs_strcpy(manifest->file, sizeof manifest->file, path) ? VRS_OK : VRS_ELIMIT;
	return VRS_OK;
}

static enum vrs_status load_file(struct vrs_manifest *ret_manifest, const char *path, struct vrs_error *err)
{
	struct vrs_manifest manifest;
	struct vrs_yaml yaml;
	enum vrs_status status = vrs_yaml_read(&yaml, path, err);

	set_defaults(&manifest, path);
	for (int i = 0; status == VRS_OK && i < yaml.count; i++)
		status = vrs_manifest_read(&yaml, &yaml.entries[i], &manifest, err);
	if (status == VRS_OK)
		status = vrs_manifest_check(&yaml, &manifest, err);
	vrs_yaml_fini(&yaml);
	if (status == VRS_OK)
		status = locate(&manifest, path);
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
	status = closest ? vrs_fail(err, VRS_ECONFIG, "there is no model \"%.100s\"; did you mean \"%s\"?", name, closest)
			 : vrs_fail(err, VRS_ECONFIG, "there is no model \"%.100s\"; --list-models shows those that are installed", name);
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

	set_defaults(&manifest, path);
	manifest.size_multiple = 1;
	if (!vrs_strcpy(manifest.file, sizeof manifest.file, path))
		return vrs_fail(err, VRS_ELIMIT, "the path of the network file is longer than %zu bytes", sizeof manifest.file - 1);
	if (!vrs_path_exists(path) && !strchr(path, '/') && locate(&manifest, path) != VRS_OK)
		return vrs_fail(err, VRS_ELIMIT, "the path of the network file %s is too long", path);
	if (!vrs_path_exists(manifest.file))
		return vrs_fail(err, VRS_ENOTFOUND, "cannot find the network file %s", path);
	*ret_manifest = manifest;
	return VRS_OK;
}

enum vrs_status vrs_manifest_load(struct vrs_manifest *ret_manifest, const char *name_or_path, struct vrs_error *err)
{
	char file[256], path[VRS_PATH_MAX];

	if (!ret_manifest || !name_or_path || !*name_or_path)
		return vrs_fail(err, VRS_ECONFIG, "the name of the model is missing");
	if (has_suffix(name_or_path, ".yaml") || has_suffix(name_or_path, ".yml"))
		return load_file(ret_manifest, name_or_path, err);
	if (strchr(name_or_path, '/') || has_suffix(name_or_path, ".tflite") || has_suffix(name_or_path, ".onnx"))
		return bare_network(ret_manifest, name_or_path, err);
	if ((size_t)snprintf(file, sizeof file, "models/%s.yaml", name_or_path) >= sizeof file ||
	    vrs_data_file(file, path, sizeof path, NULL) != VRS_OK)
		return fail_unknown(name_or_path, err);
	return load_file(ret_manifest, path, err);
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
