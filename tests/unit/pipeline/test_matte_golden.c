/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards kept mattes against an upgrade of the program: the mattes of a clip have the hashes of job/matte_golden.h, for each instruction set that the
 * CPU has and each precision.  Those hashes are in the key of the matte cache, so a commit that changes mattes cannot leave the key as it was.
 * Rows of a network that is not installed are left out.
 * The int8 calibration lies in tests/golden, since one that is made here would depend on the CPU.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/hash.h"
#include "job/matte_golden.h"
#include "machine/cpu_features.h"

#include <vrseg/calibration.h>
#include <vrseg/config.h>
#include <vrseg/model.h>
#include <vrseg/pipeline.h>

#define CLIP VRS_TEST_DIR "/data/person_flat.mp4"
#define SCENE "synth:1024x512,sbs,scene=far,people=3" /* people whom only the searches of half spheres find */
#define NETWORK "selfie_segmentation"
#define RECURRENT "example_recurrent"
#define FETCHED "rvm_mobilenetv3" /* not in every installation; too slow for plain C */
#define ROWS (sizeof vrs_matte_golden / sizeof vrs_matte_golden[0])
#define SKIPPED 77

static char folder[] = "/tmp/vrs-golden-XXXXXX";

static void on_matte(void *cookie, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	const int64_t where[] = {index, eye, covers->x, covers->y, covers->width, covers->height, matte->width, matte->height};
	uint64_t *hash = cookie;
	*hash = vrs_hash(*hash, where, sizeof where);
	for (int y = 0; y < matte->height; y++)
		*hash = vrs_hash_block(*hash, matte->data + y * matte->stride, (size_t)matte->width);
}

/* Both the network and what comes after it. regions: matte.max_regions; moved: edges are, and mattes cover more than what is looked at. */
static bool add_mattes(const struct vrs_matte_golden *row, const char *clip, const char *frames, const char *regions, bool moved, uint64_t *ret_hash,
		       struct vrs_error *err)
{
	const char *const values[][2] = {{"output.file", "null:"}, {"engine.threads", "2"},
		{"engine.streams", "1"}, {"matte.smoothing", "0.5"}, {"matte.feather", moved ? "2" : "0"}, {"matte.grow", moved ? "1" : "0"},
		{"matte.gamma", "1.2"}, {"input.hwdecode", "off"}, {"matte.refine", "false"}};
	const struct vrs_job_callbacks callbacks = {.cookie = ret_hash, .on_matte = on_matte};
	struct vrs_config *config;
	struct vrs_job *job = NULL;
	if (vrs_config_create(&config) != VRS_OK)
		return false;
	enum vrs_status status = vrs_config_set(config, "engine.precision", row->precision, VRS_SOURCE_FLAG, NULL, err);
	if (status == VRS_OK)
		status = vrs_config_set(config, "matte.max_regions", regions, VRS_SOURCE_FLAG, NULL, err);
	if (status == VRS_OK)
		status = vrs_config_set(config, "pipeline.max_frames", frames, VRS_SOURCE_FLAG, NULL, err);
	if (status == VRS_OK)
		status = vrs_config_set(config, "engine.model", row->network, VRS_SOURCE_FLAG, NULL, err);
	for (size_t i = 0; status == VRS_OK && i < sizeof values / sizeof values[0]; i++)
		status = vrs_config_set(config, values[i][0], values[i][1], VRS_SOURCE_FLAG, NULL, err);
	if (status == VRS_OK)
		status = vrs_job_create(&job, clip, vrs_config_settings(config), 1, &callbacks, err);
	if (status == VRS_OK)
		status = vrs_job_run(job, err);
	vrs_job_destroy(job);
	vrs_config_destroy(config);
	return status == VRS_OK;
}

/* With one region; in floats also with people who are looked at one by one, and of the default's network those of a half sphere. */
static bool make_mattes(const struct vrs_matte_golden *row, uint64_t *ret_hash, struct vrs_error *err)
{
	*ret_hash = VRS_HASH_INIT;
	bool made = add_mattes(row, CLIP, "4", "1", false, ret_hash, err), in_floats = strcmp(row->precision, "fp32") == 0;
	if (made)
		made = add_mattes(row, CLIP, "4", "1", true, ret_hash, err);
	if (made && in_floats)
		made = add_mattes(row, CLIP, "4", "3", true, ret_hash, err);
	if (made && in_floats && strcmp(row->network, FETCHED) == 0)
		made = add_mattes(row, SCENE, "10", "auto", true, ret_hash, err);
	return made;
}

/* Where jobs look for it; the folder is this test's. */
static bool place_calibration(struct vrs_error *err)
{
	struct vrs_manifest manifest;
	struct vrs_model *model;
	struct vrs_buf text;
	char path[1024], parent[PATH_MAX];
	const struct vrs_session_options options = vrs_session_options_default();
	if (vrs_manifest_load(&manifest, NETWORK, err) != VRS_OK || vrs_model_load(&model, manifest.file, err) != VRS_OK)
		return false;
	bool good = vrs_calibration_store_path(model, manifest.content, &options, path, sizeof path, err) == VRS_OK &&
		    vrs_file_read(VRS_TEST_DIR "/golden/selfie_calibration.json", 1 << 20, &text, err) == VRS_OK;
	vrs_model_destroy(model);
	if (!good)
		return false;
	vrs_path_folder(parent, path);
	good = vrs_mkdirs(parent, err) == VRS_OK && vrs_file_replace(path, vrs_buf_str(&text), text.len, err) == VRS_OK;
	vrs_buf_fini(&text);
	return good;
}

static bool is_installed(const char *network)
{
	struct vrs_manifest manifest;
	struct vrs_error err = {0};
	return vrs_manifest_load(&manifest, network, &err) == VRS_OK && access(manifest.file, R_OK) == 0;
}

/* A process for each instruction set, because features are looked up once. Exit code 0, 1 or SKIPPED. */
static int check_isa(const char *isa)
{
	const unsigned full = VRS_CPU_AVX512 | VRS_CPU_AVX512VNNI | VRS_CPU_AVX512BF16;
	struct vrs_error err = {0};
	int wrong = 0;
	setenv("VRSEG_CPU", isa, 1);
	setenv("XDG_CACHE_HOME", folder, 1);
	unsigned features = vrs_cpu_features();
	if (strcmp(vrs_cpu_isa(features), isa) != 0 || (strcmp(isa, "avx512") == 0 && (features & full) != full))
		return SKIPPED;
	if (!place_calibration(&err)) {
		printf("%s\n", err.text);
		return 1;
	}
	for (size_t i = 0; i < ROWS; i++) {
		const struct vrs_matte_golden *row = &vrs_matte_golden[i];
		uint64_t hash;
		if (strcmp(row->isa, isa) != 0 || !is_installed(row->network))
			continue;
		if (!make_mattes(row, &hash, &err)) {
			printf("%s %s %s: %s\n", isa, row->precision, row->network, err.text);
			return 1;
		}
		if (hash != row->hash) {
			wrong++;
			printf("\t{\"%s\", \"%s\", \"%s\", UINT64_C(0x%016llx)},\n", isa, row->precision, row->network, (unsigned long long)hash);
		}
	}
	if (wrong)
		printf("%s: mattes have changed: if that is meant, put the rows above into engine/job/matte_golden.h; kept mattes are then not taken\n", isa);
	return wrong > 0;
}

static void check_in_child(const char *isa)
{
	int state;
	fflush(stdout);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int code = check_isa(isa);
		fflush(stdout);
		_exit(code);
	}
	assert_int_equal(waitpid(pid, &state, 0), pid);
	assert_true(WIFEXITED(state));
	if (WEXITSTATUS(state) == SKIPPED)
		skip();
	assert_int_equal(WEXITSTATUS(state), 0);
}

static void test_ref(void **state)
{
	(void)state;
	check_in_child("ref");
}

static void test_avx2(void **state)
{
	(void)state;
	check_in_child("avx2");
}

static void test_avx512(void **state)
{
	(void)state;
	check_in_child("avx512");
}

/* Every precision of every instruction set has one row, and fp32 and bf16 of a recurrent network too. */
static void test_rows(void **state)
{
	static const char *const isas[] = {"ref", "avx2", "avx512"};
	const struct vrs_option *row = vrs_option_find("engine.precision");
	size_t rows = 0;
	(void)state;
	for (const char *word = row->choices; *word; word += strspn(word, " ")) {
		size_t length = strcspn(word, " ");
		if (strncmp(word, "auto", length) == 0) { /* becomes one of the others before anything is made or kept */
			word += length;
			continue;
		}
		for (size_t i = 0; i < sizeof isas / sizeof isas[0]; i++, rows++) {
			int found = 0;
			for (size_t k = 0; k < ROWS; k++)
				found += strcmp(vrs_matte_golden[k].isa, isas[i]) == 0 && strcmp(vrs_matte_golden[k].network, NETWORK) == 0 &&
					 strncmp(vrs_matte_golden[k].precision, word, length) == 0 && vrs_matte_golden[k].precision[length] == '\0';
			assert_int_equal(found, 1);
		}
		word += length;
	}
	for (size_t i = 0; i < 2 * (sizeof isas / sizeof isas[0]); i++, rows++) {
		int found = 0;
		for (size_t k = 0; k < ROWS; k++)
			found += strcmp(vrs_matte_golden[k].isa, isas[i / 2]) == 0 && strcmp(vrs_matte_golden[k].network, RECURRENT) == 0 &&
				 strcmp(vrs_matte_golden[k].precision, i % 2 ? "bf16" : "fp32") == 0;
		assert_int_equal(found, 1);
	}
	for (size_t k = 0; k < ROWS; k++)
		rows += strcmp(vrs_matte_golden[k].network, FETCHED) == 0;
	assert_int_equal(rows, ROWS);
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int clean_up(void **state)
{
	char command[64];
	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_ref),
		cmocka_unit_test(test_avx2),
		cmocka_unit_test(test_avx512),
	};
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
