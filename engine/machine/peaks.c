/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <vrseg/peaks.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <vrseg/options.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"

#define SCHEMA "vrseg-peaks/1"

enum { PROBES_MAX = 16, TEXT_MAX = 4096 };
static const double outlier_share = 0.8; /* of what is kept: below, more probes and a sentence. Repeats of a quiet machine lie within 3 % */
static const double all_slack = 0.98;    /* all threads together may measure this share of one, within noise */

/* STATE/peaks/FINGERPRINT-ISA-THREADS.json, and its folder. */
static enum vrs_status entry_path(const struct vrs_machine *machine, const struct vrs_ceilings *c, char folder[VRS_PATH_MAX], char path[VRS_PATH_MAX])
{
	char state[VRS_PATH_MAX], name[64];
	snprintf(name, sizeof name, "%016llx-%s-%d.json", (unsigned long long)machine->fingerprint, c->isa, c->threads);
	enum vrs_status status = vrs_state_dir(state, sizeof state, NULL);
	if (status == VRS_OK)
		status = vrs_path_join(folder, VRS_PATH_MAX, state, "peaks");
	return status == VRS_OK ? vrs_path_join(path, VRS_PATH_MAX, folder, name) : status;
}

/* A file that is missing, damaged or of another schema counts as none. */
static bool read_kept(const char *path, struct vrs_ceilings *ret)
{
	cJSON *json;
	struct vrs_ceilings k = {0};
	if (vrs_json_read_file(path, TEXT_MAX, &json, NULL) != VRS_OK)
		return false;
	const char *schema = vrs_json_string(json, "schema");
	bool ok = schema && strcmp(schema, SCHEMA) == 0 && vrs_json_number(json, "fma_gflops_1", &k.fma_gflops_1) &&
		  vrs_json_number(json, "fma_gflops_all", &k.fma_gflops_all) && vrs_json_number(json, "triad_gbps", &k.triad_gbps) && k.fma_gflops_1 > 0 &&
		  k.fma_gflops_all >= all_slack * k.fma_gflops_1 && k.triad_gbps > 0 && k.fma_gflops_all < 1e9 && k.triad_gbps < 1e9;
	cJSON_Delete(json);
	if (ok)
		*ret = k;
	return ok;
}

static char *entry_text(const struct vrs_ceilings *c)
{
	char utc[32], *text = NULL;
	vrs_utc_text(utc, sizeof utc);
	cJSON *json = cJSON_CreateObject();
	if (json && vrs_json_put_string(json, "schema", SCHEMA) && vrs_json_put_string(json, "updated_utc", utc) &&
	    vrs_json_put_string(json, "isa", c->isa) && vrs_json_put_int(json, "threads", c->threads) &&
	    vrs_json_put_number(json, "fma_gflops_1", c->fma_gflops_1) && vrs_json_put_number(json, "fma_gflops_all", c->fma_gflops_all) &&
	    vrs_json_put_number(json, "triad_gbps", c->triad_gbps))
		text = vrs_json_print(json, true);
	cJSON_Delete(json);
	return text;
}

/* Each figure by itself: what disturbs can only make it smaller. */
static void take_best(struct vrs_ceilings *best, const struct vrs_ceilings *c)
{
	best->fma_gflops_1 = fmax(best->fma_gflops_1, c->fma_gflops_1);
	best->fma_gflops_all = fmax(best->fma_gflops_all, c->fma_gflops_all);
	best->triad_gbps = fmax(best->triad_gbps, c->triad_gbps);
}

/* One thread can do at least what each of all of them did at the same time, and all at least what one can. */
static void settle(struct vrs_ceilings *c)
{
	c->fma_gflops_1 = fmax(c->fma_gflops_1, c->fma_gflops_all / c->threads);
	c->fma_gflops_all = fmax(c->fma_gflops_all, c->fma_gflops_1);
}

/* Where an entry is kept, and what it says. */
struct entry {
	char folder[VRS_PATH_MAX], path[VRS_PATH_MAX]; /* "": no state folder */
	struct vrs_ceilings kept;
	bool known;
};

static void find_entry(const struct vrs_machine *machine, const struct vrs_ceilings *c, struct entry *ret)
{
	if (entry_path(machine, c, ret->folder, ret->path) != VRS_OK)
		ret->path[0] = '\0';
	ret->known = ret->path[0] && read_kept(ret->path, &ret->kept);
}

static bool comes_near(const struct vrs_ceilings *c, const struct vrs_ceilings *kept)
{
	return c->fma_gflops_1 >= outlier_share * kept->fma_gflops_1 && c->triad_gbps >= outlier_share * kept->triad_gbps;
}

/* The best of the probes. *ret_sound: how many of them made sense. *ret_entry: where they would be kept. */
static enum vrs_status take_probes(const struct vrs_machine *machine, int threads, int probes, vrs_peak_probe probe, struct vrs_ceilings *ret,
				   int *ret_sound, struct entry *ret_entry, struct vrs_error *err)
{
	struct vrs_probe_memory memory = {0};
	struct vrs_ceilings sound = {0}, any = {0}, c;
	enum vrs_status status = VRS_OK;
	*ret_sound = 0;
	for (int i = 0; i < probes; i++) {
		status = probe(machine, threads, &memory, &c, err);
		if (status != VRS_OK)
			break;
		struct vrs_ceilings *best = c.fma_gflops_all >= all_slack * c.fma_gflops_1 ? &sound : &any;
		*ret_sound += best == &sound;
		if (!best->isa)
			*best = c;
		take_best(best, &c);
		if (i == 0)
			find_entry(machine, &c, ret_entry);
		if (best == &sound && ret_entry->known && comes_near(best, &ret_entry->kept))
			break;
	}
	vrs_probe_memory_free(&memory);
	*ret = *ret_sound > 0 ? sound : any;
	return status;
}

/* Under a lock of the folder: what another process has found meanwhile is not lost. Without a state folder peaks are measured anew each time. */
static void keep(const char *folder, const char *path, struct vrs_ceilings best)
{
	struct vrs_ceilings other;
	int fd = vrs_mkdirs(folder, NULL) == VRS_OK ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	if (vrs_file_lock(fd) != EWOULDBLOCK) {
		if (read_kept(path, &other))
			take_best(&best, &other);
		char *text = entry_text(&best);
		if (text)
			(void)vrs_file_replace(path, text, strlen(text), NULL);
		vrs_json_free_text(text);
	}
	(void)close(fd);
}

/* Where these probes stayed far below what is kept. */
static void compare_words(const struct vrs_peaks *peaks, const struct vrs_ceilings *kept, char *buf, size_t size)
{
	if (peaks->probed_fma_gflops_1 < outlier_share * kept->fma_gflops_1)
		snprintf(buf, size,
			 "this time only %.1f GFLOP/s a thread were measured, %.0f %% of the %.1f kept for this machine, which are used: it is busy or throttled",
			 peaks->probed_fma_gflops_1, 100 * peaks->probed_fma_gflops_1 / kept->fma_gflops_1, kept->fma_gflops_1);
	else if (peaks->probed_triad_gbps < outlier_share * kept->triad_gbps)
		snprintf(buf, size, "this time only %.1f GB/s were measured, %.0f %% of the %.1f kept for this machine, which are used: its memory is busy",
			 peaks->probed_triad_gbps, 100 * peaks->probed_triad_gbps / kept->triad_gbps, kept->triad_gbps);
}

enum vrs_status vrs_peaks_measure(const struct vrs_machine *machine, int threads, int probes, vrs_peak_probe probe, struct vrs_peaks *ret_peaks,
				  struct vrs_error *err)
{
	struct vrs_peaks peaks = {.note = ""};
	struct entry entry;
	const struct vrs_ceilings *kept = &entry.kept;
	int sound;
	if (probes < 1 || probes > PROBES_MAX)
		return vrs_fail(err, VRS_EINVAL, "peaks are measured with 1 to %d probes, not %d", PROBES_MAX, probes);
	enum vrs_status status = take_probes(machine, threads, probes, probe, &peaks.best, &sound, &entry, err);
	if (status != VRS_OK)
		return status;
	peaks.probed_fma_gflops_1 = peaks.best.fma_gflops_1;
	peaks.probed_triad_gbps = peaks.best.triad_gbps;
	if (sound == 0)
		snprintf(peaks.note, sizeof peaks.note, "all %d threads together computed less than one of them: the machine is busy, the peak may be too low",
			 peaks.best.threads);
	if (entry.known) {
		compare_words(&peaks, kept, peaks.note, sizeof peaks.note);
		take_best(&peaks.best, kept);
	}
	settle(&peaks.best);
	bool better = !entry.known || peaks.best.fma_gflops_1 > kept->fma_gflops_1 || peaks.best.fma_gflops_all > kept->fma_gflops_all ||
		      peaks.best.triad_gbps > kept->triad_gbps;
	if (entry.path[0] && sound > 0 && better)
		keep(entry.folder, entry.path, peaks.best);
	else if (entry.path[0]) /* that of a writer that was killed: it may be long before this file is written again */
		vrs_temp_files_clean(entry.folder, vrs_path_base(entry.path));
	*ret_peaks = peaks;
	return VRS_OK;
}
