/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A long run in windows: frame times, memory and sensors of every window are one JSON line of a file, written while the run goes on, so that the
 * memory that this takes does not grow and a run that dies leaves what it has seen.
 */
#ifndef VRS_BENCH_SOAK_WINDOWS_H
#define VRS_BENCH_SOAK_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/status.h>

struct vrs_result;

#define VRS_SOAK_MAX_WINDOWS 5000

/* Values that could not be observed are NaN; counts -1. */
struct vrs_soak_window {
	double end_seconds;           /* since the first window began */
	int64_t frames;
	double median_ms, p95_ms, max_ms; /* between completions; below 20 frames the mean stands for the median; p95 needs 200 */
	int64_t rss_bytes;
	double frequency_mhz, temperature_c;
	int64_t throttle_events;      /* since boot */
};

/* Length of the windows of a run: a 240th of it, from a second to ten minutes. */
double vrs_soak_window_seconds(double duration_seconds);

struct vrs_soak_writer;

/* Starts a thread that closes a window every window_seconds from `begin` on. VRS_EIO, VRS_ENOMEM, VRS_EINTERNAL. */
enum vrs_status vrs_soak_writer_create(struct vrs_soak_writer **ret_writer, const char *path, double window_seconds, struct vrs_error *err);
/* The first window begins now: warm-up is over. Any thread; frames come after it. */
void vrs_soak_writer_begin(struct vrs_soak_writer *writer);
/* One frame that took so long; any thread, one at a time. */
void vrs_soak_writer_frame(struct vrs_soak_writer *writer, uint64_t interval_ns);
/* The last window ends now; of less than half its length it is dropped. Any thread. */
void vrs_soak_writer_end(struct vrs_soak_writer *writer);
/* The same, and frees the writer. NULL is fine. */
void vrs_soak_writer_destroy(struct vrs_soak_writer *writer);

/*
 * Read the windows of a file; a torn last line is left out. *ret_windows is freed with vrs_free. VRS_ENOTFOUND, VRS_EIO, VRS_EFORMAT with the line,
 * VRS_ELIMIT, VRS_ENOMEM.
 */
enum vrs_status vrs_soak_windows_read(const char *path, struct vrs_soak_window **ret_windows, int *ret_count, struct vrs_error *err);

/*
 * The windows of the result's soak, from its file in `folder`: a soak has one case.  False: it is no soak, or the file cannot be read or lies
 * outside.  *ret_windows is freed with vrs_free.
 */
bool vrs_soak_windows_of(const struct vrs_result *result, const char *folder, struct vrs_soak_window **ret_windows, int *ret_count);

#endif
