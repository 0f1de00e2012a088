/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: on a false root, settings are read, changed only where asked, noted before the first change and put back byte for byte; a state file that
 * names another file writes nothing; a second tuning is refused; what cannot be written is counted, and a setting that refuses its change, as the
 * affinity of some interrupts does, keeps no reset from success, whether it is noted (by a run that was killed) or not; lack of memory is a failure,
 * not fewer settings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#include <vrseg/system_settings.h>

static char root[128], state_path[160];

static void put(const char *path, const char *value)
{
	char full[300], folder[300];
	snprintf(full, sizeof full, "%s%s", root, path);
	snprintf(folder, sizeof folder, "%s", full);
	*strrchr(folder, '/') = 0;
	assert_int_equal(vrs_mkdirs(folder, NULL), VRS_OK);
	FILE *out = fopen(full, "w");
	assert_non_null(out);
	fputs(value, out);
	fclose(out);
}

static void expect(const char *path, const char *value)
{
	char full[300], text[64] = "";
	snprintf(full, sizeof full, "%s%s", root, path);
	FILE *in = fopen(full, "r");
	assert_non_null(in);
	assert_non_null(fgets(text, sizeof text, in));
	fclose(in);
	text[strcspn(text, "\n")] = 0;
	assert_string_equal(text, value);
}

static int fresh(void **state)
{
	(void)state;
	char command[300];
	snprintf(root, sizeof root, "/tmp/vrs-test-system-%d", (int)getpid());
	snprintf(state_path, sizeof state_path, "%s/state.json", root);
	snprintf(command, sizeof command, "rm -rf '%s'", root);
	if (system(command) != 0)
		return -1;
	setenv("VRSEG_ROOT", root, 1);
	put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
	put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "schedutil\n");
	put("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
	put("/proc/sys/kernel/randomize_va_space", "2\n");
	put("/proc/irq/9/smp_affinity_list", "0-3\n");
	put("/proc/irq/10/smp_affinity_list", "0\n");
	put("/sys/devices/system/cpu/isolated", "2-3\n");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	char command[300];
	snprintf(command, sizeof command, "rm -rf '%s'", root);
	return system(command);
}

static void tune_and_reset(void **state)
{
	(void)state;
	struct vrs_error err = {.status = VRS_OK};
	int changed = -1, refused = -1, restored = -1;
	unsigned kinds = 1u << VRS_SYSTEM_GOVERNOR | 1u << VRS_SYSTEM_IRQ;
	assert_int_equal(vrs_system_tune(kinds, state_path, &changed, &refused, &err), VRS_OK);
	assert_int_equal(changed, 3); /* two governors, one interrupt; the other is there already */
	assert_int_equal(refused, 0);
	expect("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance");
	expect("/proc/irq/9/smp_affinity_list", "0");
	expect("/sys/devices/system/cpu/intel_pstate/no_turbo", "0"); /* was not asked for */
	expect("/proc/sys/kernel/randomize_va_space", "2");
	assert_int_equal(vrs_system_tune(kinds, state_path, &changed, &refused, &err), VRS_EEXIST);
	assert_int_equal(vrs_system_reset(state_path, &restored, &err), VRS_OK);
	assert_int_equal(restored, 3);
	expect("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
	expect("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "schedutil");
	expect("/proc/irq/9/smp_affinity_list", "0-3");
	assert_false(vrs_path_exists(state_path));
	assert_int_equal(vrs_system_reset(state_path, &restored, &err), VRS_ENOTFOUND);
}

/* A record from a crash, or from an enemy. */
static void state_files(void **state)
{
	(void)state;
	struct vrs_error err = {.status = VRS_OK};
	int restored;
	static const char crash[] = "{\"schema\":\"vrseg-system/1\",\"pid\":1,\"settings\":[{\"path\":\"/proc/sys/kernel/randomize_va_space\","
				    "\"value\":\"1\"}]}";
	assert_int_equal(vrs_file_replace(state_path, crash, strlen(crash), NULL), VRS_OK);
	assert_int_equal(vrs_system_reset(state_path, &restored, &err), VRS_OK);
	expect("/proc/sys/kernel/randomize_va_space", "1");
	put("/etc/passwd", "root\n");
	static const char two[] = "{\"schema\":\"vrseg-system/1\",\"settings\":[{\"path\":\"/proc/sys/kernel/randomize_va_space\",\"value\":\"7\"},"
				  "{\"path\":\"/etc/passwd\",\"value\":\"x\"}]}";
	const char *const bad[] = {
		"", "{}", "[]", "{\"schema\":\"vrseg-system/2\",\"settings\":[]}", "{\"schema\":\"vrseg-system/1\",\"settings\":5}",
		two,
		"{\"schema\":\"vrseg-system/1\",\"settings\":[{\"path\":\"/sys/devices/system/cpu/isolated\",\"value\":\"x\"}]}",
		"{\"schema\":\"vrseg-system/1\",\"settings\":[{\"path\":\"/proc/irq/9/../../etc/passwd\",\"value\":\"x\"}]}",
		"{\"schema\":\"vrseg-system/1\",\"settings\":[{\"path\":\"/proc/irq/9/smp_affinity_list\"}]}",
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(vrs_file_replace(state_path, bad[i], strlen(bad[i]), NULL), VRS_OK);
		assert_int_equal(vrs_system_reset(state_path, &restored, &err), VRS_EFORMAT);
		assert_true(vrs_path_exists(state_path));
	}
	expect("/etc/passwd", "root");
	expect("/proc/sys/kernel/randomize_va_space", "1"); /* nothing of a bad file is written */
}

static void without_rights(void **state)
{
	(void)state;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_system_setting *settings;
	char path[300];
	int count, changed, refused;
	if (geteuid() == 0) { /* root may write everything: a folder in the place of the file refuses it as well */
		snprintf(path, sizeof path, "%s/proc/sys/kernel/randomize_va_space", root);
		assert_int_equal(vrs_system_read(&settings, &count), VRS_OK);
		assert_true(count >= 6);
		vrs_free(settings);
		skip();
	}
	snprintf(path, sizeof path, "%s/proc/sys/kernel/randomize_va_space", root);
	assert_int_equal(chmod(path, 0444), 0);
	assert_int_equal(vrs_system_tune(1u << VRS_SYSTEM_ASLR, state_path, &changed, &refused, &err), VRS_EIO);
	assert_false(vrs_path_exists(state_path));
}

static void lack_of_memory_drops_no_setting(void **state)
{
	(void)state;
	struct vrs_system_setting *settings;
	int all, count, failures = 0;
	bool fired = true;
	assert_int_equal(vrs_system_read(&settings, &all), VRS_OK);
	vrs_free(settings);
	for (uint64_t n = 1; fired; n++) {
		vrs_mem_fail_after(n, false);
		enum vrs_status status = vrs_system_read(&settings, &count);
		fired = vrs_mem_fault_fired();
		vrs_mem_fail_after(0, false);
		assert_int_equal(status, fired ? VRS_ENOMEM : VRS_OK);
		if (!fired)
			vrs_free(settings);
		failures += fired;
	}
	assert_int_equal(count, all);
	assert_true(failures > 5);
}

/* A file that everybody here may open for writing, and whose writes fail: the identities of a process are mapped once. */
static void put_stubborn(const char *path)
{
	char full[300];
	put(path, "");
	snprintf(full, sizeof full, "%s%s", root, path);
	assert_int_equal(unlink(full), 0);
	assert_int_equal(symlink("/proc/self/uid_map", full), 0);
}

static void refused_at_the_write(void **state)
{
	(void)state;
	struct vrs_error err = {.status = VRS_OK};
	int changed = -1, refused = -1, restored = -1;
	unsigned kinds = 1u << VRS_SYSTEM_GOVERNOR | 1u << VRS_SYSTEM_IRQ;
	struct vrs_buf noted;
	put_stubborn("/proc/irq/11/smp_affinity_list");
	if (vrs_system_tune(1u << VRS_SYSTEM_ASLR | 1u << VRS_SYSTEM_IRQ, state_path, &changed, &refused, &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_int_equal(changed, 2);
	assert_int_equal(refused, 1);
	assert_int_equal(vrs_file_read(state_path, 1 << 16, &noted, NULL), VRS_OK);
	assert_non_null(strstr(vrs_buf_str(&noted), "/irq/9/"));
	assert_null(strstr(vrs_buf_str(&noted), "/irq/11/"));
	vrs_buf_fini(&noted);
	if (vrs_system_reset(state_path, &restored, &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_int_equal(restored, 2);
	expect("/proc/irq/9/smp_affinity_list", "0-3");
	assert_int_equal(vrs_system_tune(kinds, state_path, &changed, &refused, &err), VRS_OK);
	assert_int_equal(vrs_system_reset(state_path, &restored, &err), VRS_OK);
	assert_int_equal(restored, 3);
}

/* Killed between the changes: all are noted, and some are as they were. */
static void reset_of_what_never_changed(void **state)
{
	(void)state;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_system_setting *settings;
	struct vrs_buf record;
	const char *value = NULL;
	int count, restored = -1;
	put_stubborn("/proc/irq/11/smp_affinity_list");
	put("/proc/irq/9/smp_affinity_list", "0\n");
	assert_int_equal(vrs_system_read(&settings, &count), VRS_OK);
	for (int i = 0; i < count; i++)
		if (strcmp(settings[i].path, "/proc/irq/11/smp_affinity_list") == 0)
			value = settings[i].value;
	assert_non_null(value);
	vrs_buf_init(&record, 1 << 12);
	assert_int_equal(vrs_buf_printf(&record, "{\"schema\":\"vrseg-system/1\",\"settings\":[{\"path\":\"/proc/irq/11/smp_affinity_list\","
						 "\"value\":\"%s\"},{\"path\":\"/proc/irq/9/smp_affinity_list\",\"value\":\"0-3\"}]}", value), VRS_OK);
	vrs_free(settings);
	assert_int_equal(vrs_file_replace(state_path, vrs_buf_str(&record), record.len, NULL), VRS_OK);
	vrs_buf_fini(&record);
	if (vrs_system_reset(state_path, &restored, &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_int_equal(restored, 2);
	expect("/proc/irq/9/smp_affinity_list", "0-3");
	assert_false(vrs_path_exists(state_path));
	static const char other[] = "{\"schema\":\"vrseg-system/1\",\"settings\":[{\"path\":\"/proc/irq/11/smp_affinity_list\",\"value\":\"3\"}]}";
	assert_int_equal(vrs_file_replace(state_path, other, strlen(other), NULL), VRS_OK);
	assert_int_equal(vrs_system_reset(state_path, &restored, &err), VRS_EIO); /* this one does not have its old value */
	assert_true(vrs_path_exists(state_path));
}

static void texts(void **state)
{
	(void)state;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	assert_int_equal(vrs_system_print(state_path, out), VRS_OK);
	fclose(out);
	assert_non_null(strstr(text, "governor  mixed, first powersave (2 settings, 0 as wanted)"));
	assert_non_null(strstr(text, "isolated  2-3; only the boot line"));
	assert_null(strstr(text, "tuned:"));
	free(text); /* libc: of open_memstream */
	put("/sys/devices/system/cpu/isolated", "\n"); /* no processor is: an observation, too */
	out = open_memstream(&text, &size);
	assert_int_equal(vrs_system_print(state_path, out), VRS_OK);
	fclose(out);
	assert_non_null(strstr(text, "isolated  none; only the boot line"));
	free(text); /* libc: of open_memstream */
	setenv("VRSEG_ROOT", "/tmp/vrs-test-no-such-root", 1);
	out = open_memstream(&text, &size);
	assert_int_equal(vrs_system_print(state_path, out), VRS_OK);
	fclose(out);
	assert_non_null(strstr(text, "governor  not observable: "));
	assert_non_null(strstr(text, "irq       not observable: "));
	free(text); /* libc: of open_memstream */
	assert_int_equal(vrs_system_kind_of("aslr"), VRS_SYSTEM_ASLR);
	assert_int_equal(vrs_system_kind_of("nonsense"), VRS_SYSTEM_KIND_COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(tune_and_reset, fresh),
		cmocka_unit_test_setup(state_files, fresh),
		cmocka_unit_test_setup(without_rights, fresh),
		cmocka_unit_test_setup(lack_of_memory_drops_no_setting, fresh),
		cmocka_unit_test_setup(refused_at_the_write, fresh),
		cmocka_unit_test_setup(reset_of_what_never_changed, fresh),
		cmocka_unit_test_setup(texts, fresh),
	};
	return cmocka_run_group_tests(tests, NULL, tear_down);
}
