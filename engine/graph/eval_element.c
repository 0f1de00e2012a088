/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elements of every type as numbers. */
#include <math.h>

#include "graph/eval.h"
#include "graph/half.h"

bool vrs_dtype_is_float(enum vrs_dtype dtype)
{
	return dtype == VRS_F32 || dtype == VRS_F64 || dtype == VRS_F16 || dtype == VRS_BF16;
}

double vrs_load_f64(enum vrs_dtype dtype, const void *data, size_t i)
{
	switch (dtype) {
	case VRS_F32: return (double)((const float *)data)[i];
	case VRS_F64: return ((const double *)data)[i];
	case VRS_F16: return (double)vrs_half_to_float(((const uint16_t *)data)[i]);
	case VRS_BF16: return (double)vrs_bf16_to_float(((const uint16_t *)data)[i]);
	case VRS_U64: return (double)((const uint64_t *)data)[i];
	default: return (double)vrs_load_i64(dtype, data, i);
	}
}

/* Truncated towards zero, saturated; NaN gives 0. */
static int64_t to_i64(double value)
{
	if (isnan(value))
		return 0;
	if (value >= 0x1p63)
		return INT64_MAX;
	return value <= -0x1p63 ? INT64_MIN : (int64_t)value;
}

int64_t vrs_load_i64(enum vrs_dtype dtype, const void *data, size_t i)
{
	switch (dtype) {
	case VRS_I64: return ((const int64_t *)data)[i];
	case VRS_U64: return (int64_t)((const uint64_t *)data)[i];
	case VRS_I32: return ((const int32_t *)data)[i];
	case VRS_U32: return ((const uint32_t *)data)[i];
	case VRS_I16: return ((const int16_t *)data)[i];
	case VRS_U16: return ((const uint16_t *)data)[i];
	case VRS_I8: return ((const int8_t *)data)[i];
	case VRS_U8:
	case VRS_BOOL: return ((const uint8_t *)data)[i];
	default: return to_i64(vrs_load_f64(dtype, data, i));
	}
}

static double saturate(enum vrs_dtype dtype, double value)
{
	double lo = 0, hi = 255;

	switch (dtype) {
	case VRS_I8: lo = -128; hi = 127; break;
	case VRS_I16: lo = -32768; hi = 32767; break;
	case VRS_U16: hi = 65535; break;
	case VRS_I32: lo = -2147483648.0; hi = 2147483647; break;
	case VRS_U32: hi = 4294967295.0; break;
	case VRS_U8: break;
	default: return value;
	}
	return value < lo ? lo : value > hi ? hi : value;
}

void vrs_store_f64(enum vrs_dtype dtype, void *data, size_t i, double value)
{
	switch (dtype) {
	case VRS_F32: ((float *)data)[i] = (float)value; return;
	case VRS_F64: ((double *)data)[i] = value; return;
	case VRS_F16: ((uint16_t *)data)[i] = vrs_half_from_float((float)value); return;
	case VRS_BF16: ((uint16_t *)data)[i] = vrs_bf16_from_float((float)value); return;
	case VRS_BOOL: ((uint8_t *)data)[i] = value != 0; return;
	case VRS_U64: ((uint64_t *)data)[i] = value >= 0x1p64 ? UINT64_MAX : value > 0 ? (uint64_t)value : 0; return;
	default: vrs_store_i64(dtype, data, i, to_i64(saturate(dtype, value))); return;
	}
}

void vrs_store_i64(enum vrs_dtype dtype, void *data, size_t i, int64_t value)
{
	switch (dtype) {
	case VRS_I64:
	case VRS_U64: ((int64_t *)data)[i] = value; return;
	case VRS_I32:
	case VRS_U32: ((uint32_t *)data)[i] = (uint32_t)value; return;
	case VRS_I16:
	case VRS_U16: ((uint16_t *)data)[i] = (uint16_t)value; return;
	case VRS_I8:
	case VRS_U8: ((uint8_t *)data)[i] = (uint8_t)value; return;
	case VRS_BOOL: ((uint8_t *)data)[i] = value != 0; return;
	default: vrs_store_f64(dtype, data, i, (double)value); return;
	}
}
