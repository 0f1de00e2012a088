/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards where threads are placed: on recorded machines the order of cores (fast kinds first, then node by node), allowed processors only, places
 * as wide as nodes, streams that do not lie in two nodes without need; on this machine that a bound thread runs there and comes back.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine/places.h"

static void replay(const char *root)
{
	assert_int_equal(setenv("VRSEG_ROOT", root, 1), 0);
}

static struct vrs_places *recorded(const char *machine, bool nodes)
{
	struct vrs_places *places = NULL;
	char root[512];

	(void)snprintf(root, sizeof root, "%s/machines/%s", VRS_TEST_DIR, machine);
	replay(root);
	assert_int_equal(vrs_places_create(&places, nodes), VRS_OK);
	assert_int_equal(unsetenv("VRSEG_ROOT"), 0);
	return places;
}

static bool has(const struct vrs_places *places, int place, size_t cpu)
{
	return CPU_ISSET(cpu, vrs_places_set(places, place)) != 0;
}

/* The two fast cores have two processors each. */
static void test_kinds(void **state)
{
	(void)state;
	struct vrs_places *places = recorded("hybrid-laptop", false);
	assert_int_equal(vrs_places_count(places), 6);
	for (int i = 0; i < 6; i++)
		assert_int_equal(CPU_COUNT(vrs_places_set(places, i)), i < 2 ? 2 : 1);
	assert_ptr_equal(vrs_places_set(places, 7), vrs_places_set(places, 1));
	/* The efficient cores are no continuation of the fast ones. */
	assert_int_equal(vrs_places_first(places, 0, 2), 0);
	assert_int_equal(vrs_places_first(places, 1, 2), 2);
	assert_int_equal(vrs_places_first(places, 0, 4), 2);
	vrs_places_destroy(places);
}

/* The process may use node 0 only: processors 0-3 and their siblings 8-11. */
static void test_allowed(void **state)
{
	(void)state;
	struct vrs_places *places = recorded("numa-server", false);
	assert_int_equal(vrs_places_count(places), 4);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(CPU_COUNT(vrs_places_set(places, i)), 2);
		assert_true(has(places, i, (size_t)i) && has(places, i, (size_t)i + 8));
		assert_int_equal(vrs_places_node(places, i), 0);
	}
	vrs_places_destroy(places);
}

static void write_file(const char *root, const char *name, const char *text)
{
	char path[600];

	(void)snprintf(path, sizeof path, "%s/%s", root, name);
	for (char *slash = strchr(path + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(path, 0700); /* is perhaps there */
		*slash = '/';
	}
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void remove_file(const char *root, const char *name)
{
	char path[600];

	(void)snprintf(path, sizeof path, "%s/%s", root, name);
	assert_int_equal(remove(path), 0);
}

/* The server with both of its nodes. */
static void test_nodes(void **state)
{
	char root[] = "/tmp/vrs_places_XXXXXX", link[64], target[512];
	struct vrs_places *cores = NULL, *nodes = NULL;

	(void)state;
	assert_non_null(mkdtemp(root));
	(void)snprintf(link, sizeof link, "%s/hwloc.xml", root);
	(void)snprintf(target, sizeof target, "%s/machines/numa-server/hwloc.xml", VRS_TEST_DIR);
	assert_int_equal(symlink(target, link), 0);
	write_file(root, "proc/self/status", "Name:\ttest\nCpus_allowed_list:\t0-15\n");
	write_file(root, "sys/devices/system/node/online", "0-1\n");
	replay(root);
	assert_int_equal(vrs_topology_nodes(), 2);
	assert_int_equal(vrs_places_create(&cores, false), VRS_OK);
	assert_int_equal(vrs_places_create(&nodes, true), VRS_OK);
	assert_int_equal(unsetenv("VRSEG_ROOT"), 0);
	assert_int_equal(vrs_places_count(cores), 8);
	assert_int_equal(vrs_places_count(nodes), 8);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(vrs_places_node(cores, i), i / 4);
		assert_int_equal(CPU_COUNT(vrs_places_set(cores, i)), 2);
		assert_int_equal(CPU_COUNT(vrs_places_set(nodes, i)), 8);
		assert_true(has(nodes, i, i < 4 ? 0 : 4));
		assert_false(has(nodes, i, i < 4 ? 4 : 0));
	}
	/* Streams of three threads: one a node; of two: two a node; of six: over both. */
	for (int s = 0; s < 4; s++) {
		assert_int_equal(vrs_places_first(cores, s, 3), s % 2 * 4);
		assert_int_equal(vrs_places_first(cores, s, 2), s * 2);
	}
	assert_int_equal(vrs_places_first(cores, 0, 6), 0);
	assert_int_equal(vrs_places_first(cores, 1, 6), 6);
	/* Nobody is bound to what a recording says. */
	cpu_set_t before;
	assert_false(vrs_places_bind(cores, 0));
	assert_false(vrs_places_enter(cores, 0, &before));
	vrs_places_destroy(cores);
	vrs_places_destroy(nodes);
	for (const char *const *name = (const char *const[]){"hwloc.xml", "proc/self/status", "proc/self", "proc", "sys/devices/system/node/online",
							      "sys/devices/system/node", "sys/devices/system", "sys/devices", "sys", "", NULL};
	     *name; name++)
		remove_file(root, *name);
}

static void test_bind(void **state)
{
	struct vrs_places *places = NULL;
	cpu_set_t first, before, now;

	(void)state;
	assert_int_equal(vrs_places_create(&places, false), VRS_OK);
	assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof first, &first), 0);
	for (int i = 0; i < vrs_places_count(places) && i < 4; i++) {
		if (!vrs_places_enter(places, i, &before)) {
			vrs_places_destroy(places);
			skip(); /* this system binds nobody */
		}
		assert_true(CPU_EQUAL(&before, &first));
		assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof now, &now), 0);
		assert_true(CPU_EQUAL(&now, vrs_places_set(places, i)));
		assert_true(CPU_ISSET((size_t)sched_getcpu(), &now));
		vrs_places_leave(&before);
		assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof now, &now), 0);
		assert_true(CPU_EQUAL(&now, &first));
	}
	vrs_places_destroy(places);
	vrs_places_destroy(NULL);
}

/* A machine that hwloc cannot read has no places. */
static void test_unknown(void **state)
{
	struct vrs_places *places = NULL;
	char root[512];

	(void)state;
	(void)snprintf(root, sizeof root, "%s/machines/bare", VRS_TEST_DIR);
	replay(root);
	assert_int_equal(vrs_topology_nodes(), 1);
	assert_int_equal(vrs_places_create(&places, false), VRS_EUNSUPPORTED);
	assert_int_equal(unsetenv("VRSEG_ROOT"), 0);
	assert_null(places);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds), cmocka_unit_test(test_allowed), cmocka_unit_test(test_nodes), cmocka_unit_test(test_bind),
		cmocka_unit_test(test_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
