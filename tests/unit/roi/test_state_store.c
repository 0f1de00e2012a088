/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards where states of a recurrent network lie: on a device they stay there, a moved view brings one set down and up, and whatever is asked for in
 * whatever order gives the values of a session whose states are on the host, also with more people than the device has room for; archives are the
 * same, and the states of a lost device are gone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "roi/state_store.h"
#include "session/session_graph.h"
#include "unit/session/fake_device.h"

#define SLOTS 12 /* two sets each are more than a device has room for */

static const struct vrs_manifest manifest = {.name = "fake", .input_name = "x", .output_kind = VRS_OUTPUT_PROBABILITY, .output_name = "mean",
	.output_channel = 0, .state_count = 1, .states = {{"state", "sum"}}};
static struct vrs_model *model;

struct place {
	struct vrs_session *session;
	struct vrs_head *head;
	struct vrs_arena arena;
	struct vrs_state_store *store;
};

static void open_place(struct place *place, const struct vrs_backend *backend, bool replaces, int slots)
{
	struct vrs_session_options options = vrs_session_options_default();

	*place = (struct place){0};
	fake.fails = fake.lost = "";
	options.threads = 1;
	options.pictures_nhwc = true;
	options.replace_lost = replaces;
	options.device = "0";
	assert_int_equal(vrs_session_create_on(&place->session, backend, model, &options, NULL), VRS_OK);
	assert_int_equal(vrs_head_create(&place->head, &manifest, place->session, NULL), VRS_OK);
	assert_int_equal(vrs_state_store_create(&place->store, &place->arena, place->head, slots), VRS_OK);
	fake.log[0] = '\0';
}

static void close_place(struct place *place)
{
	vrs_head_destroy(place->head);
	vrs_session_destroy(place->session);
	vrs_arena_free(&place->arena);
}

/* A run that sees `value` everywhere, with the state of a slot; returns the mean of what it knows. */
static float run(struct place *place, int slot, const struct vrs_state_map *map, float value)
{
	float *x = vrs_head_input(place->head);

	vrs_state_store_load(place->store, 0, slot, map);
	for (int i = 0; i < FAKE_FLOATS; i++)
		x[i] = value + (float)(i % 7);
	assert_int_equal(vrs_session_run(place->session, NULL), VRS_OK);
	return vrs_session_output(place->session, 1).data[0];
}

static void keep(struct place *place, int slot)
{
	vrs_state_store_hold(place->store, 0, slot);
	vrs_state_store_commit(place->store, slot);
}

static void expect_log(const char *words)
{
	assert_string_equal(fake.log, words);
	fake.log[0] = '\0';
}

static struct vrs_state_map map_to(int x, int width)
{
	struct vrs_state_map map;

	vrs_state_map_set(&map, &(struct vrs_rect){0, 0, 32, 32}, &(struct vrs_rect){x, 0, width, 32}, 0);
	return map;
}

static void states_stay(void **state)
{
	const struct vrs_state_map still = map_to(0, 32), moved = map_to(8, 32);
	struct place place;

	(void)state;
	open_place(&place, &fake_device, false, 1);
	(void)run(&place, 0, NULL, 1);
	keep(&place, 0);
	expect_log("g->0 u0 s d1 w k0>0");
	for (int i = 0; i < 3; i++) { /* from one set to the other and back; a search beside it knows nothing and leaves nothing */
		(void)run(&place, 0, &still, 1);
		keep(&place, 0);
		expect_log(i % 2 ? "g1>0 u0 s d1 w k0>0" : "g0>0 u0 s d1 w k0>1");
		(void)run(&place, -1, NULL, 5);
		expect_log("g->0 u0 s d1 w");
	}
	/* a moved view: once down, and up at its new place, however often the frame is looked at */
	(void)run(&place, 0, &moved, 1);
	vrs_state_store_hold(place.store, 0, 0);
	expect_log("r1 p2 g2>0 u0 s d1 w k0>0");
	(void)run(&place, 0, &moved, 1);
	keep(&place, 0);
	expect_log("p2 g2>0 u0 s d1 w k0>0");
	(void)run(&place, 0, &still, 1);
	expect_log("g0>0 u0 s d1 w");
	vrs_state_store_clear(place.store, 0);
	(void)run(&place, 0, &still, 1);
	expect_log("g->0 u0 s d1 w");
	close_place(&place);
}

/* Something that a job might do with one of the slots, in both places. */
static void step(struct place places[2], struct vrs_rng *rng)
{
	int slot = (int)(vrs_rng_next(rng) % SLOTS);
	uint32_t what = (uint32_t)(vrs_rng_next(rng) % 10);
	const struct vrs_state_map map = map_to(what % 3 ? 0 : (int)(vrs_rng_next(rng) % 16), what % 3 ? 32 : 24);
	float value = (float)(vrs_rng_next(rng) % 8), seen[2];

	if (what == 0)
		for (int i = 0; i < 2; i++)
			vrs_state_store_clear(places[i].store, slot);
	for (int i = 0; i < 2; i++) {
		seen[i] = run(&places[i], what == 1 ? -1 : slot, what == 2 ? NULL : &map, value);
		if (what > 1)
			vrs_state_store_hold(places[i].store, 0, slot);
		if (what > 3)
			vrs_state_store_commit(places[i].store, slot);
	}
	assert_true(seen[0] == seen[1]);
}

/* What an archive of all slots holds; the text is the caller's. */
static char *archive_of(struct place *place, size_t *ret_size)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, ret_size);
	struct vrs_archive archive = vrs_archive_writer(to);

	assert_int_equal(vrs_state_store_bring_down(place->store, NULL), VRS_OK);
	for (int s = 0; s < SLOTS; s++)
		assert_true(vrs_state_store_archive(place->store, &archive, s));
	assert_true(vrs_archive_end(&archive));
	fclose(to);
	return text;
}

static void as_on_the_host(void **state)
{
	struct vrs_backend on_host = fake_device;
	struct place places[2], later;
	struct vrs_rng rng;

	(void)state;
	on_host.slots = NULL;
	open_place(&places[0], &on_host, false, SLOTS);
	open_place(&places[1], &fake_device, false, SLOTS);
	vrs_rng_init(&rng, 5);
	for (int round = 0; round < 4; round++) {
		size_t size[2];
		char *text[2];

		for (int i = 0; i < 250; i++, fake.log[0] = '\0')
			step(places, &rng);
		for (int i = 0; i < 2; i++)
			text[i] = archive_of(&places[i], &size[i]);
		assert_int_equal(size[0], size[1]);
		assert_memory_equal(text[0], text[1], size[0]);
		/* and what begins with it goes on as the one that did not end */
		struct vrs_archive archive = vrs_archive_reader(text[1], size[1]);

		open_place(&later, &fake_device, false, SLOTS);
		for (int s = 0; s < SLOTS; s++)
			assert_true(vrs_state_store_archive(later.store, &archive, s));
		close_place(&places[1]);
		places[1] = later;
		free(text[0]);
		free(text[1]);
	}
	for (int i = 0; i < 2; i++)
		close_place(&places[i]);
}

/* A lost device that is replaced has taken its states along; the one that the host had is still there. */
static void lost_states(void **state)
{
	const struct vrs_state_map moved = map_to(8, 32);
	struct place place;

	(void)state;
	open_place(&place, &fake_device, true, 3);
	float first = run(&place, 0, NULL, 1);

	keep(&place, 0);
	(void)run(&place, 1, NULL, 1);
	keep(&place, 1);
	float known = run(&place, 1, NULL, 1);

	(void)run(&place, 1, &moved, 1); /* to the host */
	fake.lost = "0";
	assert_true(run(&place, 0, NULL, 1) == first); /* nothing is known */
	vrs_state_store_hold(place.store, 0, 0);
	assert_true(run(&place, 0, NULL, 1) == first);
	keep(&place, 0);
	assert_true(run(&place, 0, NULL, 1) == 2 * first);
	assert_true(run(&place, 1, NULL, 1) == known);
	assert_int_equal(vrs_state_store_bring_down(place.store, NULL), VRS_OK);
	close_place(&place);

	/* one that is not replaced says so when its states are wanted, and before it writes them */
	struct vrs_error err = {0};

	open_place(&place, &fake_device, false, 1);
	(void)run(&place, 0, NULL, 1);
	keep(&place, 0);
	fake.lost = "0";
	assert_int_equal(vrs_state_store_bring_down(place.store, &err), VRS_EDEVICE);
	assert_string_equal(err.text, "the fake device 0 is lost");
	close_place(&place);
}

static int make_model(void **state)
{
	(void)state;
	model = fake_model();
	return 0;
}

static int free_model(void **state)
{
	(void)state;
	vrs_model_destroy(model);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(states_stay), cmocka_unit_test(as_on_the_host), cmocka_unit_test(lost_states)};

	return cmocka_run_group_tests(tests, make_model, free_model);
}
