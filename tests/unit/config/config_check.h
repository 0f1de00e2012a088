/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of the configuration share: captured log lines and short assertions. */
#ifndef VRS_TESTS_CONFIG_CHECK_H
#define VRS_TESTS_CONFIG_CHECK_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include <vrseg/config.h>
#include <vrseg/log.h>

#include "base/mem.h"

static char captured_log[16384];
static int captured_lines;

static inline void capture(void *cookie, enum vrs_log_level level, const char *line)
{
	size_t len = strlen(captured_log);

	(void)cookie;
	(void)snprintf(captured_log + len, sizeof captured_log - len, "%d %s\n", (int)level, line);
	captured_lines++;
}

static inline void capture_start(void)
{
	captured_log[0] = '\0';
	captured_lines = 0;
	vrs_log_set_sink(capture, NULL);
}

static inline struct vrs_config *new_config(void)
{
	struct vrs_config *config = NULL;

	assert_int_equal(vrs_config_create(&config), VRS_OK);
	return config;
}

/* vrs_config_set must succeed. */
static inline void set_ok(struct vrs_config *config, const char *key, const char *value, enum vrs_value_source source)
{
	struct vrs_error err = {0};

	if (vrs_config_set(config, key, value, source, NULL, &err) != VRS_OK)
		fail_msg("%s = %s: %s", key, value, err.text);
}

static inline void assert_value(const struct vrs_config *config, const char *key, const char *expected)
{
	char text[VRS_PATH_MAX];

	assert_int_equal(vrs_config_get(config, key, text, sizeof text), VRS_OK);
	assert_string_equal(text, expected);
}

/* Load text as a file named t.yaml; must succeed. */
static inline void load_ok(struct vrs_config *config, const char *text, enum vrs_value_source source)
{
	struct vrs_error err = {0};

	if (vrs_config_load_text(config, text, strlen(text), "t.yaml", source, &err) != VRS_OK)
		fail_msg("%d:%d: %s", err.line, err.column, err.text);
}

/* Everything that vrs_config_write writes; free with free(). */
static inline char *written(const struct vrs_config *config, enum vrs_config_extent extent)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(vrs_config_write(config, out, extent, NULL), VRS_OK);
	assert_int_equal(fclose(out), 0);
	return text;
}

#endif
