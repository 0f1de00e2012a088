/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards which job finds mattes in the cache: an equal one does; one whose segment, or whose past, is another does not.  The past is part of it
 * because a recurrent network's mattes depend on it, and it need not come from what this job would have made: the device may have been lost since.
 * Libraries that decode are part of it; one that only encodes is not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/work_folder.h"
#include "job/matte_cache.h"

#include <vrseg/config.h>
#include <vrseg/libraries.h>

static char folder[] = "/tmp/vrs-matte-cache-XXXXXX", input[64];
static struct vrs_settings settings;
static const struct vrs_job_content content;

static const char *decoder = "59.37.100", *encoder = "a";

/* In place of those that are loaded. */
int vrs_codec_libraries(struct vrs_codec_library ret[VRS_CODEC_LIBRARIES])
{
	ret[0] = (struct vrs_codec_library){.name = "libavcodec", .decodes = true};
	ret[1] = (struct vrs_codec_library){.name = "libx264"};
	snprintf(ret[0].build, sizeof ret[0].build, "%s", decoder);
	snprintf(ret[1].build, sizeof ret[1].build, "%s", encoder);
	return 2;
}

static struct vrs_matte_cache_request request_for(int64_t first, int64_t past_hash)
{
	return (struct vrs_matte_cache_request){.input = input, .settings = &settings, .content = &content, .backend = "cpu", .isa = "avx2",
		.segment = {1, first, first, first + 5, 0, 0, past_hash}, .eyes = 1, .width = 4, .height = 2};
}

static void keep(const struct vrs_matte_cache_request *request)
{
	uint8_t samples[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	const struct vrs_matte matte = {.data = samples, .stride = 4, .width = 4, .height = 2};
	const struct vrs_rect covers = {0, 0, 4, 2};
	struct vrs_matte_cache *cache = NULL;
	vrs_matte_cache_open(&cache, request);
	assert_non_null(cache);
	vrs_matte_cache_put(cache, &matte, &covers);
	vrs_matte_cache_commit(cache, NULL);
	vrs_matte_cache_close(cache);
}

static bool is_found(int64_t first, int64_t past_hash)
{
	const struct vrs_matte_cache_request request = request_for(first, past_hash);
	struct vrs_matte_cache *cache = NULL;
	vrs_matte_cache_open(&cache, &request);
	assert_non_null(cache);
	bool found = vrs_matte_cache_has(cache);
	vrs_matte_cache_close(cache);
	return found;
}

static void only_equal_jobs_find_them(void **state)
{
	(void)state;
	const struct vrs_matte_cache_request request = request_for(10, 7);
	assert_false(is_found(10, 7));
	keep(&request);
	assert_true(is_found(10, 7));
	assert_false(is_found(15, 7));
	assert_false(is_found(10, 8));
	assert_false(is_found(10, 0));
	encoder = "b";
	assert_true(is_found(10, 7));
	decoder = "59.37.101";
	assert_false(is_found(10, 7));
	decoder = "59.37.100";
}

static int begin(void **state)
{
	struct vrs_config *config;
	(void)state;
	if (!mkdtemp(folder) || vrs_config_create(&config) != VRS_OK)
		return -1;
	settings = *vrs_config_settings(config);
	vrs_config_destroy(config);
	snprintf(input, sizeof input, "%s/clip.mp4", folder);
	snprintf(settings.cache.dir, sizeof settings.cache.dir, "%s/cache", folder);
	return vrs_file_replace(input, "video", 5, NULL) == VRS_OK ? 0 : -1;
}

static int end(void **state)
{
	struct vrs_work_folder kept = {.lease = NULL};
	(void)state;
	snprintf(kept.path, sizeof kept.path, "%s", settings.cache.dir);
	vrs_work_folder_remove(&kept, "*.mattes");
	return rmdir(settings.cache.dir) == 0 && unlink(input) == 0 && rmdir(folder) == 0 ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(only_equal_jobs_find_them)};
	return cmocka_run_group_tests(tests, begin, end);
}
