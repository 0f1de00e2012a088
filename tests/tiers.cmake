# SPDX-License-Identifier: GPL-3.0-or-later
# The tier of every test, as a label: quick, full or night.  A test that stands nowhere here is quick; those of tests/torture
# have theirs in their names.
#   quick   each change: under 3 minutes in the release build on two idle cores
#   full    each change in the release build: quick and full together under 25 minutes
#   night   ./test.sh --night: what takes minutes each

set(VRS_FULL_TESTS
	cli.compat.blocks
	cli.compat.commands
	cli.compat.troubleshooting
	cli.vrbench.built_in
	cli.vrbench.calibrate
	cli.vrbench.closed_descriptors
	cli.vrbench.default_network
	cli.vrbench.device_profile
	cli.vrbench.disk_full
	cli.vrbench.encode_price
	cli.vrbench.harness_memory
	cli.vrbench.interrupt
	cli.vrbench.live
	cli.vrbench.nightly
	cli.vrbench.nightly_setup
	cli.vrbench.own_files
	cli.vrbench.profile
	cli.vrbench.resume_device
	cli.vrbench.soak
	cli.vrbench.stranger
	cli.vrbench.sweep
	cli.vrbench.techniques
	cli.vrbench.truth_frames
	cli.vrbench.versus
	cli.vrbench.vrseg_files
	cli.vrseg.background
	cli.vrseg.broken_parts
	cli.vrseg.calibrate
	cli.vrseg.carried
	cli.vrseg.cutout
	cli.vrseg.default_network
	cli.vrseg.device_frames
	cli.vrseg.device_times
	cli.vrseg.device_memory
	cli.vrseg.device_lost
	cli.vrseg.device_states
	cli.vrseg.devices
	cli.vrseg.exclude
	cli.vrseg.few_frames
	cli.vrseg.foreground
	cli.vrseg.inputs
	cli.vrseg.interrupted
	cli.vrseg.key_completeness
	cli.vrseg.kill_points
	cli.vrseg.killed
	cli.vrseg.layouts
	cli.vrseg.live_decoder
	cli.vrseg.live_one_key
	cli.vrseg.live_restart
	cli.vrseg.matte_cache
	cli.vrseg.modes
	cli.vrseg.needless
	cli.vrseg.parts
	cli.vrseg.pipe_start
	cli.vrseg.processes
	cli.vrseg.prometheus
	cli.vrseg.recurrent_follow
	cli.vrseg.recurrent_one_go
	cli.vrseg.replaced_files
	cli.vrseg.resume
	cli.vrseg.resume_cpus
	cli.vrseg.rvm_segments
	cli.vrseg.sandbox_jobs
	cli.vrseg.sandbox_lists
	cli.vrseg.seam
	cli.vrseg.segment_ends
	cli.vrseg.segments_follow
	cli.vrseg.silent_inputs
	cli.vrseg.sound_gaps
	cli.vrseg.sound_kinds
	cli.vrseg.stop_waiting
	cli.vrseg.stream_stall
	cli.vrseg.streams
	cli.vrseg.streams_srt
	cli.vrseg.truncated_pipe
	cli.vrseg.two_writers
	cli.vrseg.verify_pack
	cli.vrtune.batch_in_group
	cli.vrtune.calibrates
	cli.vrtune.closed_descriptors
	cli.vrtune.emitted
	cli.vrtune.interrupted
	cli.vrtune.limits
	cli.vrtune.live
	cli.vrtune.price
	cli.vrtune.quick_search
	cli.vrtune.sizes
	cli.vrtune.smallest
	cli.vrtune.stop
	cli.vrtune.tries
	footage.scenes_selfie
	footage.vtest
	fuzz.replay.ocl_plan
	fuzz.replay.session
	keys.random_jobs
	long.batch
	long.loop
	long.sessions
	onnx.full_networks_bf16_cpu_avx2
	onnx.full_networks_bf16_cpu_avx512
	onnx.full_networks_bf16_cpu_ref
	onnx.full_networks_fp32_cpu_avx2
	onnx.full_networks_fp32_cpu_avx512
	onnx.full_networks_fp32_cpu_ref
	onnx.golden_opencl.0
	onnx.networks_opencl
	onnx.nodes_cpu_avx2.0
	onnx.nodes_cpu_avx512.0
	onnx.nodes_cpu_ref.0
	onnx.nodes_opencl.0
	onnx.nodes_ref.0
	onnx.slow_path
	opencl.each_call
	opencl.fault_layer
	opencl.faults.binary
	opencl.faults.frame_events
	opencl.faults.frames
	opencl.faults.frames_lost
	opencl.faults.no_binary
	opencl.faults.session
	opencl.faults.session_lost
	opencl.faults.session_plain
	opencl.faults.session_recordings
	opencl.oclgrind.session
	opencl.recipes
	opencl.recipes_fp16
	opencl.session_limits
	unit.backend.test_cpu_batch_bits
	unit.backend.test_cpu_flat
	unit.backend.test_cpu_winograd
	unit.backend.test_golden
	unit.backend.test_recurrent_drift
	unit.bench.test_coverage
	unit.bench.test_results_schema
	unit.bench.test_runner_kill
	unit.kernels.test_winograd
	unit.opencl.test_ocl_batch
	unit.opencl.test_ocl_batch_graphs
	unit.opencl.test_ocl_conv
	unit.opencl.test_ocl_deconv
	unit.opencl.test_ocl_dot
	unit.opencl.test_ocl_element
	unit.opencl.test_ocl_elementwise
	unit.opencl.test_ocl_math
	unit.opencl.test_ocl_move
	unit.opencl.test_ocl_norm
	unit.opencl.test_ocl_pieces
	unit.opencl.test_ocl_pool
	unit.opencl.test_ocl_reduce
	unit.opencl.test_ocl_replay
	unit.opencl.test_ocl_squeeze
	unit.opencl.test_ocl_tiles
	unit.opencl.test_ocl_tune
	unit.opencl.test_ocl_typed
	unit.pipeline.test_cascade
	unit.pipeline.test_job_memory
	unit.pipeline.test_matte_golden
	unit.pipeline.test_pack_check
	unit.pipeline.test_sharp_truth
	unit.pipeline.test_truth_clips
	unit.roi.test_rvm_golden
	unit.roi.test_rvm_precision
	unit.tuner.test_search_kill
	unit.video.test_encoder_clock
	unit.video.test_segment_join
)
set(VRS_NIGHT_TESTS
	cli.measure_gpu.bare_root
	cli.vrseg.auto_tune_search
	cli.vrseg.key_all_ways
	cli.vrseg.key_mutants
	cli.vrtune.verified
	footage.scenes_rvm
	footage.vtest_rvm
	keys.random_jobs.night
	long.batch.night
	long.loop.night
	long.sessions.night
	opencl.faults.frames.night
	opencl.faults.session.night
	opencl.faults.session_lost.night
	opencl.oclgrind.frame_compose.night
	opencl.oclgrind.operators_chain.night
	opencl.oclgrind.operators_conv.night
	opencl.oclgrind.operators_deconv.night
	opencl.oclgrind.operators_element.night
	opencl.oclgrind.operators_elementwise.night
	opencl.oclgrind.operators_math.night
	opencl.oclgrind.operators_move.night
	opencl.oclgrind.operators_norm.night
	opencl.oclgrind.operators_pieces.night
	opencl.oclgrind.operators_pool.night
	opencl.oclgrind.operators_reduce.night
	opencl.oclgrind.operators_resize.night
	opencl.oclgrind.operators_squeeze.night
	opencl.oclgrind.operators_typed.night
	opencl.oclgrind.recipes.night
	opencl.oclgrind.recipes_apart.night
	opencl.oclgrind.recipes_kept.night
	opencl.oclgrind.session.night
	opencl.oclgrind.session_fp16.night
	opencl.recipes.night
	opencl.recipes_apart.night
	opencl.recipes_kept.night
	onnx.golden_opencl.2
	onnx.golden_opencl.3
	onnx.golden_opencl.4
	onnx.golden_opencl.5
	onnx.golden_opencl.6
	onnx.golden_opencl.7
	onnx.nodes_opencl.1
	onnx.nodes_opencl.2
	onnx.nodes_opencl.3
	onnx.golden_opencl.1
	onnx.nodes_opencl.4
	onnx.nodes_opencl.5
	onnx.nodes_opencl.6
	onnx.nodes_opencl.7
	unit.bench.test_night_simulation.night
	unit.opencl.test_ocl_graphs.night
	unit.opencl.test_ocl_tiles.night
	unit.roi.test_rvm_precision.night
	unit.tuner.test_search_kill.night
)

# Sanitizers make whole jobs many times slower: there the command line tests are full, but for the one that shows races and leaks between stages.
set(VRS_QUICK_WHEN_SANITIZED cli.vrseg.whole_jobs)

# Lints that read sources and documents, and run no program of the build: every build has the same, and a plain one is enough.
set(VRS_LINTS_OF_SOURCES banned cycles decisions flag_effects fuzz headers includes names option_lists root style text words)
list(TRANSFORM VRS_LINTS_OF_SOURCES PREPEND lint.)

# The longest tests longest first: ctest begins with them where it has no times of its own, and ends with short ones.
set(VRS_LONGEST_TESTS
	cli.vrseg.key_completeness
	unit.opencl.test_ocl_reduce
	cli.vrbench.nightly
	long.loop
	unit.pipeline.test_job
	cli.vrtune.live
	unit.opencl.test_ocl_tiles
	cli.compat.commands
	onnx.networks_opencl
	cli.vrseg.whole_jobs
	unit.pipeline.test_truth_clips
	opencl.oclgrind.frame_compose
	cli.vrbench.versus
	footage.scenes_selfie
	cli.vrseg.parts
	unit.video.test_synth_stage
	fuzz.replay.system
	fuzz.replay.matte_set
	unit.tuner.test_search_promises
	unit.opencl.test_ocl_graphs
)

# vrs_set_tiers(TEST...): tests/lint/tiers.sh holds that every test has one tier and every name above is a test.
function(vrs_set_tiers)
	foreach(test IN LISTS ARGN)
		set(tier quick)
		if(test MATCHES "^torture\\.(quick|full|night)\\.")
			set(tier ${CMAKE_MATCH_1})
		elseif(test IN_LIST VRS_NIGHT_TESTS)
			set(tier night)
		elseif(test MATCHES "^(fuzz\\.mutate|opencl\\.oclgrind)\\.")
			set(tier full)
		elseif(test IN_LIST VRS_FULL_TESTS OR (VRS_SANITIZE AND test MATCHES "^cli\\." AND NOT test IN_LIST VRS_QUICK_WHEN_SANITIZED))
			set(tier full)
		elseif(VRS_SANITIZE AND test IN_LIST VRS_LINTS_OF_SOURCES)
			set(tier full)
		endif()
		set_property(TEST ${test} APPEND PROPERTY LABELS ${tier})
	endforeach()
endfunction()

# vrs_set_costs(TEST...): the order in which ctest begins them.
function(vrs_set_costs)
	list(LENGTH VRS_LONGEST_TESTS cost)
	foreach(test IN LISTS VRS_LONGEST_TESTS)
		if(test IN_LIST ARGN)
			set_property(TEST ${test} PROPERTY COST ${cost})
		endif()
		math(EXPR cost "${cost} - 1")
	endforeach()
endfunction()

# vrs_quick_target(TARGET...): the target quick_tests builds of these, the programs of tests, all but those that no quick test runs.
function(vrs_quick_target)
	foreach(test IN LISTS VRS_FULL_TESTS)
		if(test MATCHES "^(unit\\.[a-z_]+\\.|opencl\\.)(.*)$")
			list(REMOVE_ITEM ARGN ${CMAKE_MATCH_2} test_${CMAKE_MATCH_2})
		endif()
	endforeach()
	list(REMOVE_ITEM ARGN cl_recipe cl_session count_people device_ceilings frame_rate frame_sample key_mutant long_sessions matte_estimates
		option_values other_mattes other_version random_job)
	add_custom_target(quick_tests DEPENDS ${ARGN} vrseg vrbench vrtune vranalyze)
endfunction()
