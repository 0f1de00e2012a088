/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions of FFmpeg that this folder calls, by library: av_delay.c makes an entry for each.  One that is missing here does not link.
 * A library's name comes with the major version of the headers, as a linker would note it.
 */
#ifndef VRS_VIDEO_AV_FUNCTIONS_H
#define VRS_VIDEO_AV_FUNCTIONS_H

#define VRS_AVUTIL_FUNCTIONS(X) \
	X(av_buffer_create) X(av_buffer_pool_get) X(av_buffer_pool_init) X(av_buffer_pool_uninit) X(av_buffer_unref) X(av_calloc) \
	X(av_compare_ts) X(av_dict_copy) X(av_dict_free) X(av_dict_get) X(av_dict_set) X(av_display_rotation_get) X(av_display_rotation_set) \
	X(av_fifo_alloc2) X(av_fifo_drain2) X(av_fifo_freep2) X(av_fifo_peek) X(av_fifo_read) X(av_fifo_write) X(av_find_best_pix_fmt_of_2) \
	X(av_frame_alloc) X(av_frame_copy) X(av_frame_copy_props) X(av_frame_free) X(av_frame_get_buffer) X(av_frame_get_side_data) \
	X(av_frame_is_writable) X(av_frame_move_ref) X(av_frame_unref) X(av_free) X(av_get_pix_fmt) X(av_get_pix_fmt_loss) \
	X(av_get_pix_fmt_name) X(av_hwdevice_ctx_create) X(av_hwdevice_find_type_by_name) X(av_hwdevice_get_type_name) X(av_hwframe_ctx_alloc) \
	X(av_hwframe_ctx_init) X(av_hwframe_get_buffer) X(av_hwframe_transfer_data) X(av_image_fill_arrays) X(av_image_get_buffer_size) \
	X(av_log_set_callback) X(av_mallocz) X(av_max_alloc) X(av_memdup) X(av_opt_find) X(av_opt_get_int) X(av_opt_set) X(av_opt_set_double) \
	X(av_opt_set_int) X(av_pix_fmt_desc_get) X(av_pix_fmt_desc_get_id) X(av_pix_fmt_desc_next) X(av_rescale_q) X(av_spherical_alloc) \
	X(av_stereo3d_alloc) X(av_stereo3d_type_name) X(av_strerror)

#define VRS_AVCODEC_FUNCTIONS(X) \
	X(av_codec_is_decoder) X(av_codec_is_encoder) X(av_codec_iterate) X(av_new_packet) X(av_packet_alloc) X(av_packet_copy_props) \
	X(av_packet_free) X(av_packet_make_refcounted) X(av_packet_move_ref) X(av_packet_rescale_ts) X(av_packet_unref) \
	X(avcodec_alloc_context3) X(avcodec_decode_subtitle2) X(avcodec_default_get_format) X(avcodec_descriptor_get) X(avcodec_encode_subtitle) \
	X(avcodec_find_decoder) X(avcodec_find_encoder) X(avcodec_find_encoder_by_name) X(avcodec_flush_buffers) X(avcodec_free_context) \
	X(avcodec_get_class) X(avcodec_get_hw_config) X(avcodec_get_name) X(avcodec_open2) X(avcodec_parameters_alloc) \
	X(avcodec_parameters_copy) X(avcodec_parameters_free) X(avcodec_parameters_from_context) X(avcodec_parameters_to_context) \
	X(avcodec_receive_frame) X(avcodec_receive_packet) X(avcodec_send_frame) X(avcodec_send_packet) X(avsubtitle_free)

#define VRS_AVFORMAT_FUNCTIONS(X) \
	X(av_find_best_stream) X(av_find_input_format) X(av_guess_format) X(av_guess_frame_rate) X(av_guess_sample_aspect_ratio) \
	X(av_interleaved_write_frame) X(av_read_frame) X(av_stream_add_side_data) X(av_stream_get_side_data) X(av_write_trailer) \
	X(avformat_alloc_context) X(avformat_alloc_output_context2) X(avformat_close_input) X(avformat_find_stream_info) \
	X(avformat_free_context) X(avformat_index_get_entries_count) X(avformat_index_get_entry) X(avformat_network_init) X(avformat_new_stream) \
	X(avformat_open_input) X(avformat_query_codec) X(avformat_seek_file) X(avformat_write_header) X(avio_closep) X(avio_flush) X(avio_open2) \
	X(avio_size)

#define VRS_SWSCALE_FUNCTIONS(X) \
	X(sws_freeContext) X(sws_getCoefficients) X(sws_getContext) X(sws_isSupportedInput) X(sws_isSupportedOutput) X(sws_scale) \
	X(sws_setColorspaceDetails)

#endif
