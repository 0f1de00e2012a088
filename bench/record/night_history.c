/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/record/night_history.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <vrseg/log.h>

#include "base/file.h"
#include "base/json.h"
#include "base/lease.h"
#include "base/str_parse.h"

#define DECISIONS "decisions.jsonl"
enum { MOST_FILES = 12 * 1000, NAME_SIZE = 24 };
static const int64_t most_bytes = INT64_C(256) << 20; /* of one file */

/* Names of files of nights, of which the last is the newest. */
struct month_list {
	char (*names)[NAME_SIZE];
	size_t capacity;
	int count;
};

/* "nights-2026-11.jsonl" */
static bool is_month(const char *name)
{
	int year, month, end = 0;
	return strlen(name) < NAME_SIZE && sscanf(name, "nights-%4d-%2d.jsonl%n", &year, &month, &end) == 2 && end == 20 && !name[end];
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static enum vrs_status list_months(const char *folder, struct month_list *list, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	DIR *dir = opendir(folder);
	if (!dir)
		return vrs_fail(err, errno == ENOENT ? VRS_ENOTFOUND : VRS_EIO, "cannot open the history %s: %s", folder, strerror(errno));
	for (struct dirent *entry; status == VRS_OK && (entry = readdir(dir));) {
		if (!is_month(entry->d_name))
			continue;
		void *items = list->names;
		status = vrs_array_grow(&items, &list->capacity, (size_t)list->count + 1, sizeof *list->names, MOST_FILES);
		if (status != VRS_OK)
			break;
		list->names = items;
		vrs_strcpy(list->names[list->count++], NAME_SIZE, entry->d_name);
	}
	closedir(dir);
	if (status != VRS_OK)
		return vrs_fail(err, status, "the history %s holds more than %d files of nights, or there is too little memory", folder, MOST_FILES);
	if (list->count > 0)
		qsort(list->names, (size_t)list->count, sizeof *list->names, by_name);
	return VRS_OK;
}

/* One file of lines on its way into the history. */
struct reader {
	struct vrs_night_history *history;
	const char *name;          /* of the file, for messages */
	struct vrs_night_record *nights;  /* of this file */
	size_t capacity;
	int count;
};

static void name_place(const struct reader *reader, long number, char *buf, size_t size)
{
	(void)snprintf(buf, size, "%.200s/%s:%ld", reader->history->folder, reader->name, number);
}

static enum vrs_status take_night(void *cookie, const char *line, long number, struct vrs_error *err)
{
	struct reader *reader = cookie;
	char place[256];
	void *items = reader->nights;
	name_place(reader, number, place, sizeof place);
	enum vrs_status status = vrs_array_grow(&items, &reader->capacity, (size_t)reader->count + 1, sizeof *reader->nights, VRS_HISTORY_MAX_NIGHTS);
	reader->nights = items;
	if (status != VRS_OK)
		return vrs_fail_at(err, status, place, 0, 0, "the file has more than %d nights, or there is too little memory", VRS_HISTORY_MAX_NIGHTS);
	status = vrs_night_record_parse(line, strlen(line), place, &reader->history->arena, &reader->nights[reader->count], err);
	if (status == VRS_OK && reader->count > 0 && reader->nights[reader->count].number <= reader->nights[reader->count - 1].number)
		return vrs_fail_at(err, VRS_EFORMAT, place, 0, 0, "number %lld follows number %lld", (long long)reader->nights[reader->count].number,
				   (long long)reader->nights[reader->count - 1].number);
	reader->count += status == VRS_OK;
	return status;
}

static enum vrs_status take_decision(void *cookie, const char *line, long number, struct vrs_error *err)
{
	struct reader *reader = cookie;
	struct vrs_night_history *history = reader->history;
	char place[256];
	void *items = history->decisions;
	name_place(reader, number, place, sizeof place);
	enum vrs_status status = vrs_array_grow(&items, &history->decision_capacity, (size_t)history->decision_count + 1, sizeof *history->decisions,
						VRS_HISTORY_MAX_DECISIONS);
	history->decisions = items;
	if (status != VRS_OK)
		return vrs_fail_at(err, status, place, 0, 0, "the file has more than %d decisions, or there is too little memory", VRS_HISTORY_MAX_DECISIONS);
	status = vrs_decision_parse(line, strlen(line), place, &history->decisions[history->decision_count], err);
	history->decision_count += status == VRS_OK;
	return status;
}

/* All lines of one file. Whoever writes removes a torn last one, whoever reads leaves it. */
static enum vrs_status read_file(struct reader *reader, enum vrs_status (*take)(void *cookie, const char *line, long number, struct vrs_error *err),
				 struct vrs_error *err)
{
	struct vrs_night_history *history = reader->history;
	char path[VRS_PATH_MAX];
	struct stat info;
	size_t torn = 0;
	bool writes = history->lease != NULL;
	if (vrs_path_join(path, sizeof path, history->folder, reader->name) != VRS_OK)
		return vrs_fail(err, VRS_ELIMIT, "the path of the history %s is too long", history->folder);
	if (stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > most_bytes)
		return vrs_fail_at(err, VRS_ELIMIT, path, 0, 0, "the file has %lld bytes, at most %lld are read", (long long)info.st_size,
				   (long long)most_bytes);
	enum vrs_status status = vrs_journal_read(path, VRS_NIGHT_LINE_MAX, writes, take, reader, &torn, err);
	if (status == VRS_OK && torn > 0)
		vrs_log(VRS_LOG_WARNING, "%s ends in the middle of a line, as after a loss of power; these %zu bytes %s", path, torn,
			writes ? "were removed" : "do not count");
	return status;
}

/* Put the nights of an older file before those that are known, and drop what nobody asked for. */
static enum vrs_status prepend(struct vrs_night_history *history, struct reader *reader, int most, struct vrs_error *err)
{
	if (reader->count > 0 && history->night_count > 0 && reader->nights[reader->count - 1].number >= history->nights[0].number)
		return vrs_fail(err, VRS_EFORMAT, "%s/%s: its last night has number %lld, and the next file begins with %lld", history->folder, reader->name,
				(long long)reader->nights[reader->count - 1].number, (long long)history->nights[0].number);
	int room = most - history->night_count, skip = reader->count > room ? reader->count - room : 0, count = reader->count - skip;
	void *items = history->nights;
	enum vrs_status status = vrs_array_grow(&items, &history->night_capacity, (size_t)(history->night_count + count) + 1, sizeof *history->nights,
						VRS_HISTORY_MAX_NIGHTS + 1);
	history->nights = items;
	if (status != VRS_OK)
		return vrs_fail_nomem(err);
	memmove(history->nights + count, history->nights, (size_t)history->night_count * sizeof *history->nights);
	if (count > 0)
		memcpy(history->nights, reader->nights + skip, (size_t)count * sizeof *history->nights);
	history->night_count += count;
	return VRS_OK;
}

static enum vrs_status read_nights(struct vrs_night_history *history, int most, struct vrs_error *err)
{
	struct month_list list = {.count = 0};
	enum vrs_status status = list_months(history->folder, &list, err);
	for (int i = list.count - 1; i >= 0 && status == VRS_OK && history->night_count < most; i--) {
		struct reader reader = {.history = history, .name = list.names[i]};
		status = read_file(&reader, take_night, err);
		if (status == VRS_OK)
			status = prepend(history, &reader, most, err);
		vrs_free(reader.nights);
	}
	vrs_free(list.names);
	return status;
}

static enum vrs_status read_decisions(struct vrs_night_history *history, struct vrs_error *err)
{
	char path[VRS_PATH_MAX];
	struct reader reader = {.history = history, .name = DECISIONS};
	if (vrs_path_join(path, sizeof path, history->folder, DECISIONS) != VRS_OK)
		return vrs_fail(err, VRS_ELIMIT, "the path of the history %s is too long", history->folder);
	return vrs_path_exists(path) ? read_file(&reader, take_decision, err) : VRS_OK;
}

static enum vrs_status open_history(struct vrs_night_history **ret_history, const char *folder, int most, bool writes, struct vrs_error *err)
{
	struct vrs_night_history *history = vrs_calloc(1, sizeof *history);
	enum vrs_status status = VRS_OK;
	if (!history)
		return vrs_fail_nomem(err);
	if (!vrs_strcpy(history->folder, sizeof history->folder, folder))
		status = vrs_fail(err, VRS_ELIMIT, "the path of the history is too long");
	if (status == VRS_OK && writes)
		status = vrs_mkdirs(folder, err);
	if (status == VRS_OK && writes)
		status = vrs_lease_take(&history->lease, folder, "this history", err);
	if (status == VRS_OK)
		status = read_nights(history, most, err);
	if (status == VRS_OK)
		status = read_decisions(history, err);
	if (status == VRS_OK)
		*ret_history = history;
	else
		vrs_night_history_close(history);
	return status;
}

enum vrs_status vrs_night_history_read(struct vrs_night_history **ret_history, const char *folder, int most, struct vrs_error *err)
{
	return open_history(ret_history, folder, most, false, err);
}

enum vrs_status vrs_night_history_open(struct vrs_night_history **ret_history, const char *folder, int most, struct vrs_error *err)
{
	return open_history(ret_history, folder, most, true, err);
}

void vrs_night_history_close(struct vrs_night_history *history)
{
	if (!history)
		return;
	vrs_lease_return(history->lease);
	vrs_free(history->nights);
	vrs_free(history->decisions);
	vrs_arena_free(&history->arena);
	vrs_free(history);
}

/* One line, durable: also the name of a file that is new. */
static enum vrs_status append(struct vrs_night_history *history, const char *name, const char *line, struct vrs_error *err)
{
	char path[VRS_PATH_MAX];
	if (!history->lease)
		return vrs_fail(err, VRS_EINVAL, "the history %s was opened for reading", history->folder);
	if (vrs_path_join(path, sizeof path, history->folder, name) != VRS_OK)
		return vrs_fail(err, VRS_ELIMIT, "the path of the history %s is too long", history->folder);
	bool is_new = !vrs_path_exists(path);
	enum vrs_status status = vrs_lease_check(history->lease, err);
	if (status == VRS_OK)
		status = vrs_journal_append(path, line, err);
	return status == VRS_OK && is_new ? vrs_file_sync_folder(path, err) : status;
}

/* The file of a night: of its month, but never an older one than the newest that is there, so that a clock which went back changes no order. */
static enum vrs_status choose_month(const struct vrs_night_history *history, int64_t time, char name[NAME_SIZE], struct vrs_error *err)
{
	struct month_list list = {.count = 0};
	time_t t = (time_t)time;
	struct tm parts;
	enum vrs_status status = list_months(history->folder, &list, err);
	if (status == VRS_OK && (!gmtime_r(&t, &parts) || strftime(name, NAME_SIZE, "nights-%Y-%m.jsonl", &parts) == 0))
		status = vrs_fail(err, VRS_EINVAL, "a night cannot be dated %lld seconds after 1970", (long long)time);
	if (status == VRS_OK && list.count > 0 && strcmp(list.names[list.count - 1], name) > 0)
		vrs_strcpy(name, NAME_SIZE, list.names[list.count - 1]);
	vrs_free(list.names);
	return status;
}

int64_t vrs_night_history_next_number(const struct vrs_night_history *history)
{
	const struct vrs_night_record *last = vrs_night_history_last(history);
	return last ? last->number + 1 : 1;
}

enum vrs_status vrs_night_history_add(struct vrs_night_history *history, struct vrs_night_record *night, struct vrs_error *err)
{
	char name[NAME_SIZE], *line = NULL;
	void *items = history->nights;
	night->number = vrs_night_history_next_number(history);
	enum vrs_status status = vrs_array_grow(&items, &history->night_capacity, (size_t)history->night_count + 1, sizeof *history->nights,
						VRS_HISTORY_MAX_NIGHTS + 1);
	history->nights = items;
	if (status != VRS_OK)
		return vrs_fail_nomem(err);
	status = vrs_night_record_print(night, &line, err);
	if (status == VRS_OK)
		status = choose_month(history, night->time, name, err);
	if (status == VRS_OK)
		status = append(history, name, line, err);
	vrs_json_free_text(line);
	if (status == VRS_OK)
		history->nights[history->night_count++] = *night;
	return status;
}

enum vrs_status vrs_night_history_decide(struct vrs_night_history *history, const struct vrs_decision *decision, struct vrs_error *err)
{
	char *line = NULL;
	void *items = history->decisions;
	enum vrs_status status = vrs_array_grow(&items, &history->decision_capacity, (size_t)history->decision_count + 1, sizeof *history->decisions,
						VRS_HISTORY_MAX_DECISIONS);
	history->decisions = items;
	if (status != VRS_OK)
		return vrs_fail(err, status, "the history %s has more than %d decisions, or there is too little memory", history->folder,
				VRS_HISTORY_MAX_DECISIONS);
	status = vrs_decision_print(decision, &line, err);
	if (status == VRS_OK)
		status = append(history, DECISIONS, line, err);
	vrs_json_free_text(line);
	if (status == VRS_OK)
		history->decisions[history->decision_count++] = *decision;
	return status;
}

const struct vrs_decision *vrs_night_history_baseline(const struct vrs_night_history *history)
{
	for (int i = history->decision_count - 1; i >= 0; i--)
		if (history->decisions[i].kind == VRS_DECISION_ACCEPT)
			return &history->decisions[i];
	return NULL;
}

const struct vrs_night_record *vrs_night_history_find(const struct vrs_night_history *history, int64_t number)
{
	for (int i = 0; i < history->night_count; i++)
		if (history->nights[i].number == number)
			return &history->nights[i];
	return NULL;
}

const struct vrs_night_record *vrs_night_history_last(const struct vrs_night_history *history)
{
	return history->night_count > 0 ? &history->nights[history->night_count - 1] : NULL;
}
