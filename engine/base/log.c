/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Leveled log: lines are formatted by the caller's thread and handed to the sink one at a time. */
#include <vrseg/log.h>

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/printable.h"
#include "base/str_parse.h"

#define MAX_LINE 2048     /* bytes; longer lines are cut and end with "..." */
#define MAX_KEYS 1024     /* when a set is full, further lines are logged every time rather than lost */

/* Hashes of what was logged. */
struct key_set {
	uint64_t keys[MAX_KEYS];
	int count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the sink and its calls, and the sets */
static vrs_log_fn sink;
static void *sink_cookie;
static atomic_int max_level = VRS_LOG_INFO;
static struct key_set once_ids, lines;
static bool distinct; /* lines holds those that were logged since */
static _Thread_local bool inside_sink; /* a sink that logs must not deadlock: its lines are dropped */

static void default_sink(enum vrs_log_level level, const char *line)
{
	char text[MAX_LINE + 64];

	if (level > VRS_LOG_WARNING)
		return;
	int len = snprintf(text, sizeof text, "%s: %s: %s\n", program_invocation_short_name, level == VRS_LOG_ERROR ? "error" : "warning",
			   line);

	/* One write, so that lines of several processes do not mix.  A closed standard error is nobody's fault. */
	if (len > 0 && write(STDERR_FILENO, text, (size_t)len < sizeof text ? (size_t)len : sizeof text - 1) < 0)
		return;
}

/* Format into line: cut, one line, no control characters (a file name may hold escape sequences). */
static void format_line(char line[MAX_LINE], const char *fmt, va_list args)
{
	char raw[MAX_LINE];
	int len = vsnprintf(raw, sizeof raw, fmt, args);

	if (len < 0)
		vrs_strcpy(raw, sizeof raw, "(message could not be formatted)");
	else if (len >= MAX_LINE)
		vrs_strcpy(raw + MAX_LINE - 4, 4, "...");
	for (char *c = raw; *c; c++)
		if (*c == '\n' || *c == '\t')
			*c = ' ';
	vrs_printable(line, MAX_LINE, raw);
}

/* With the lock held: true the first time that this text is seen. */
static bool first_time(struct key_set *set, const char *text)
{
	uint64_t key = vrs_hash_str(VRS_HASH_INIT, text);

	for (int i = 0; i < set->count; i++)
		if (set->keys[i] == key)
			return false;
	if (set->count < MAX_KEYS)
		set->keys[set->count++] = key;
	return true;
}

/* With the lock held. */
static void emit(enum vrs_log_level level, const char *line)
{
	if (distinct && (level == VRS_LOG_WARNING || level == VRS_LOG_INFO) && !first_time(&lines, line))
		return;
	inside_sink = true;
	if (sink)
		sink(sink_cookie, level, line);
	else
		default_sink(level, line);
	inside_sink = false;
}

void vrs_log_set_sink(vrs_log_fn fn, void *cookie)
{
	pthread_mutex_lock(&lock);
	sink = fn;
	sink_cookie = cookie;
	pthread_mutex_unlock(&lock);
}

void vrs_log_set_level(enum vrs_log_level level)
{
	atomic_store_explicit(&max_level, (int)level, memory_order_relaxed);
}

enum vrs_log_level vrs_log_get_level(void)
{
	return (enum vrs_log_level)atomic_load_explicit(&max_level, memory_order_relaxed);
}

/* id NULL: always. */
static void log_va(const char *id, enum vrs_log_level level, const char *fmt, va_list args)
{
	char line[MAX_LINE];

	if (level > vrs_log_get_level() || inside_sink)
		return;
	format_line(line, fmt, args);
	pthread_mutex_lock(&lock);
	if (!id || first_time(&once_ids, id))
		emit(level, line);
	pthread_mutex_unlock(&lock);
}

void vrs_log(enum vrs_log_level level, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	log_va(NULL, level, fmt, args);
	va_end(args);
}

void vrs_log_once(const char *id, enum vrs_log_level level, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	log_va(id, level, fmt, args);
	va_end(args);
}

void vrs_log_distinct(bool on)
{
	pthread_mutex_lock(&lock);
	distinct = on;
	lines.count = 0;
	pthread_mutex_unlock(&lock);
}
