/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the start of a process: a job that reads and writes no file brings none of FFmpeg's 140 libraries into it, one that writes a film
 * does; and the entries that load them at the first call pass on integers, structures and floating-point numbers, from several threads at once.
 */
#include <link.h>
#include <pthread.h>
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

#include <libavutil/display.h>
#include <libavutil/mathematics.h>

#include <vrseg/config.h>
#include <vrseg/pipeline.h>

#define THREADS 8

static int count_library(struct dl_phdr_info *info, size_t size, void *cookie)
{
	(void)size;
	*(int *)cookie += strstr(info->dlpi_name, "libavcodec") != NULL;
	return 0;
}

static bool is_loaded(void)
{
	int found = 0;
	(void)dl_iterate_phdr(count_library, &found);
	return found > 0;
}

/* Each of these must be the first call of FFmpeg in its process: it runs in one of its own, and says by its exit code whether all is well. */
static void in_process(bool (*works)(void))
{
	int status;
	pid_t pid = fork();
	if (pid == 0)
		_exit(works() ? 0 : 1);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static bool job_runs(const char *output)
{
	struct vrs_error err = {0};
	struct vrs_config *config;
	struct vrs_job *job;
	if (vrs_config_create(&config) != VRS_OK)
		return false;
	struct vrs_settings settings = *vrs_config_settings(config);
	snprintf(settings.engine.backend, sizeof settings.engine.backend, "null");
	snprintf(settings.output.file, sizeof settings.output.file, "%s", output);
	settings.output.overwrite = true;
	enum vrs_status status = vrs_job_create(&job, "synth:128x64,frames=4", &settings, 1, NULL, &err);
	if (status == VRS_OK) {
		status = vrs_job_run(job, &err);
		vrs_job_destroy(job);
	}
	vrs_config_destroy(config);
	if (status)
		fprintf(stderr, "%s\n", err.text);
	return status == VRS_OK;
}

static bool null_job_stays_small(void)
{
	return !is_loaded() && job_runs("null:") && !is_loaded();
}

static bool film_loads(void)
{
	char path[64];
	snprintf(path, sizeof path, "vrs-ffmpeg-load-%d.mkv", (int)getpid());
	bool ok = job_runs(path) && is_loaded();
	return unlink(path) == 0 && ok;
}

static bool passes_numbers(void)
{
	int32_t matrix[9];
	av_display_rotation_set(matrix, 90.0);
	return is_loaded() && matrix[0] == 0 && abs(matrix[1]) == 1 << 16 && matrix[8] == 1 << 30 && av_display_rotation_get(matrix) == -90.0;
}

static bool passes_structures(void)
{
	return av_rescale_q(INT64_C(90001), (AVRational){1, 90000}, (AVRational){1, 1000}) == 1000 && is_loaded();
}

static void *rescale(void *ret)
{
	*(int64_t *)ret = av_rescale_q(300, (AVRational){1, 30}, (AVRational){1, 1000});
	return NULL;
}

static bool threads_wait_for_it(void)
{
	pthread_t threads[THREADS];
	int64_t results[THREADS] = {0};
	bool ok = true;
	for (int i = 0; i < THREADS; i++)
		ok = pthread_create(&threads[i], NULL, rescale, &results[i]) == 0 && ok;
	for (int i = 0; i < THREADS; i++)
		ok = pthread_join(threads[i], NULL) == 0 && results[i] == 10000 && ok;
	return ok && is_loaded();
}

static void test_null_job(void **state)
{
	(void)state;
#ifndef VRS_DELAY_FFMPEG
	skip(); /* linked as usual */
#endif
	in_process(null_job_stays_small);
}

static void test_film_job(void **state)
{
	(void)state;
	in_process(film_loads);
}

static void test_entries(void **state)
{
	(void)state;
	in_process(passes_numbers);
	in_process(passes_structures);
	in_process(threads_wait_for_it);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_null_job),
		cmocka_unit_test(test_film_job),
		cmocka_unit_test(test_entries),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
