/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards limits of control groups in the ways they are mounted in practice: version 1 with and without namespaces, version 2, a limit on a
 * group above ours, hidden groups, long paths, hostile paths. A missed quota means threads that the scheduler stops; a missed limit means a kill.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "machine/cgroup.h"

static char root[512];
static int number;

static void put(const char *path, const char *text)
{
	char full[PATH_MAX];
	FILE *f;

	(void)snprintf(full, sizeof full, "%s%s", root, path);
	for (char *p = strchr(full + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		(void)mkdir(full, 0777);
		*p = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Each test has its own folder, emptied of what an earlier run left. */
static int setup(void **state)
{
	char command[1024];

	(void)state;
	(void)snprintf(root, sizeof root, "%s/test_cgroup_root/%d", VRS_BUILD_DIR, number++);
	(void)snprintf(command, sizeof command, "rm -rf '%s'", root);
	return system(command) != 0 || setenv("VRSEG_ROOT", root, 1) != 0;
}

static struct vrs_cgroup read_limits(void)
{
	struct vrs_cgroup cgroup;

	vrs_cgroup_read(&cgroup);
	return cgroup;
}

#define V1_MOUNTS(cpu_root) \
	"31 30 0:27 " cpu_root " /sys/fs/cgroup/cpu,cpuacct rw shared:10 - cgroup cgroup rw,cpu,cpuacct\n" \
	"32 30 0:28 " cpu_root " /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"

static void version1(void **state)
{
	struct vrs_cgroup cgroup;

	(void)state;
	put("/proc/self/cgroup", "5:cpu,cpuacct:/a/b\n4:memory:/a/b\n1:name=systemd:/a/b\n");
	put("/proc/self/mountinfo", V1_MOUNTS("/"));
	put("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "150000\n");
	put("/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
	put("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n");
	put("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n");
	put("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "1073741824\n");
	put("/sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "805306368\n");
	put("/sys/fs/cgroup/memory/a/b/memory.stat", "inactive_file 1\ntotal_inactive_file 268435456\n");
	cgroup = read_limits();
	assert_true(cgroup.cpu_known && cgroup.memory_known);
	assert_true(cgroup.cpu_quota == 1.5); /* of the group above */
	assert_int_equal(cgroup.memory_limit_bytes, 1 << 30);
	assert_int_equal(cgroup.memory_headroom_bytes, 512 << 20); /* file pages can be dropped */
}

/* A container sees the host's path in /proc/self/cgroup, but its own group mounted on top. */
static void version1_container(void **state)
{
	struct vrs_cgroup cgroup;

	(void)state;
	put("/proc/self/cgroup", "5:cpu,cpuacct:/docker/0123\n4:memory:/docker/0123\n");
	put("/proc/self/mountinfo", V1_MOUNTS("/docker/0123"));
	put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n");
	put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "536870912\n");
	cgroup = read_limits();
	assert_true(cgroup.cpu_quota == 0.5);
	assert_int_equal(cgroup.memory_limit_bytes, 512 << 20);
	/* The same with the whole hierarchy's root mounted, where the path does not exist. */
	put("/proc/self/mountinfo", V1_MOUNTS("/"));
	cgroup = read_limits();
	assert_true(cgroup.cpu_quota == 0.5);
}

static void version2(void **state)
{
	struct vrs_cgroup cgroup;

	(void)state;
	put("/proc/self/cgroup", "0::/my group.scope\n");
	put("/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cg\\040roup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n");
	put("/sys/fs/cg roup/my group.scope/cpu.max", "max 100000\n");
	put("/sys/fs/cg roup/my group.scope/memory.max", "max\n");
	put("/sys/fs/cg roup/my group.scope/memory.high", "max\n");
	cgroup = read_limits();
	assert_true(cgroup.cpu_known && cgroup.memory_known && cgroup.cpu_quota == 0);
	assert_int_equal(cgroup.memory_limit_bytes, UINT64_MAX);
	put("/sys/fs/cg roup/my group.scope/cpu.max", "200000 100000\n");
	put("/sys/fs/cg roup/my group.scope/memory.max", "1000000\n");
	put("/sys/fs/cg roup/my group.scope/memory.current", "2000000\n"); /* over its limit for a moment */
	cgroup = read_limits();
	assert_true(cgroup.cpu_quota == 2);
	assert_int_equal(cgroup.memory_limit_bytes, 1000000);
	assert_int_equal(cgroup.memory_headroom_bytes, 0);
}

/* As of containers within containers; the mount, too. */
static void long_path(void **state)
{
	char part[101], mount[320], group[320], text[1024];
	struct vrs_cgroup cgroup;

	(void)state;
	memset(part, 'x', sizeof part - 1);
	part[sizeof part - 1] = '\0';
	(void)snprintf(mount, sizeof mount, "/run/%s/%s/%s", part, part, part);
	(void)snprintf(group, sizeof group, "/%s/%s/%s", part, part, part);
	for (int i = 0; i < 2; i++) {
		const char *where = i ? mount : "/sys/fs/cgroup";

		(void)snprintf(text, sizeof text, "0::%s\n", group);
		put("/proc/self/cgroup", text);
		(void)snprintf(text, sizeof text, "30 23 0:26 / %s rw shared:9 - cgroup2 cgroup2 rw\n", where);
		put("/proc/self/mountinfo", text);
		(void)snprintf(text, sizeof text, "%s%s/memory.max", where, group);
		put(text, "100000000\n");
		(void)snprintf(text, sizeof text, "%s%s/cpu.max", where, group);
		put(text, "150000 100000\n");
		cgroup = read_limits();
		assert_true(cgroup.cpu_known && cgroup.memory_known && cgroup.cpu_quota == 1.5);
		assert_int_equal(cgroup.memory_limit_bytes, 100000000);
	}
	/* what is mounted is our group */
	(void)snprintf(text, sizeof text, "30 23 0:26 %s /sys/fs/cgroup%s rw - cgroup2 cgroup2 rw\n", group, group);
	put("/proc/self/mountinfo", text);
	assert_int_equal(read_limits().memory_limit_bytes, 100000000);
}

static void nothing_known(void **state)
{
	struct vrs_cgroup cgroup = read_limits();

	(void)state;
	assert_false(cgroup.cpu_known || cgroup.memory_known); /* no limit seen is not "no limit" */
	put("/proc/self/cgroup", "0::/\n");
	put("/proc/self/mountinfo", "22 27 0:21 / /proc rw - proc proc rw\n");
	cgroup = read_limits();
	assert_false(cgroup.cpu_known || cgroup.memory_known);
}

static void hostile(void **state)
{
	static const char *const cgroups[] = {"0::/../../etc\n", "0:\n:\n\n", "x", "5:cpu:/a\n0::"};
	static const char *const mounts[] = {"- cgroup2\n", "30 23 0:26 /\n - cgroup2 a b", "1 2 3 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw", "\n\n - \n"};
	char *long_text = malloc(300000);

	(void)state;
	assert_non_null(long_text);
	memset(long_text, 'a', 299999);
	long_text[299999] = '\0';
	put("/sys/fs/cgroup/cpu.max", "100000 0\n"); /* a period of nothing */
	put("/sys/fs/cgroup/memory.max", "-5\n");
	for (size_t i = 0; i < 4; i++) {
		for (size_t k = 0; k < 4; k++) {
			struct vrs_cgroup cgroup;

			put("/proc/self/cgroup", cgroups[i]);
			put("/proc/self/mountinfo", mounts[k]);
			cgroup = read_limits();
			assert_true(cgroup.cpu_quota == 0);
			assert_int_equal(cgroup.memory_limit_bytes, UINT64_MAX);
		}
	}
	put("/proc/self/cgroup", long_text);
	put("/proc/self/mountinfo", long_text);
	assert_false(read_limits().cpu_known);
	free(long_text);
}

/* What the kernel has killed is read in the group's own file, in both versions. */
static void kills_are_counted(void **state)
{
	(void)state;
	assert_int_equal(vrs_cgroup_oom_kills(), -1);
	put("/proc/self/mountinfo", "40 30 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	put("/proc/self/cgroup", "0::/job\n");
	assert_int_equal(vrs_cgroup_oom_kills(), -1);
	put("/sys/fs/cgroup/job/memory.events", "low 0\nhigh 3\nmax 7\noom 2\noom_kill 2\noom_group_kill 0\n");
	assert_int_equal(vrs_cgroup_oom_kills(), 2);
	put("/proc/self/mountinfo", "32 30 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
	put("/proc/self/cgroup", "4:memory:/job\n");
	put("/sys/fs/cgroup/memory/job/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n");
	assert_int_equal(vrs_cgroup_oom_kills(), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(version1, setup),      cmocka_unit_test_setup(version1_container, setup), cmocka_unit_test_setup(version2, setup),
		cmocka_unit_test_setup(nothing_known, setup), cmocka_unit_test_setup(hostile, setup),
		cmocka_unit_test_setup(kills_are_counted, setup), cmocka_unit_test_setup(long_path, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
