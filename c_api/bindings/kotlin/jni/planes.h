/* Planes of images in direct buffers: where they lie, and whether they are as long as the library
 * reads them. */
#include <jni.h>
#include <rondo/rondo.h>
#include <stdint.h>
#include <stdio.h>

enum { MOST_PLANES = 3 };

struct plane {
  const unsigned char* at;
  uint64_t bytes;
};

/* A plane's rows, and the bytes of one; 0: the format has no such plane. */
static uint64_t rows_of(const rondo_image* image, int plane, uint64_t* row_bytes) {
  const uint64_t width = image->width, height = image->height;
  const uint64_t half_width = (width + 1) / 2, half_height = (height + 1) / 2;
  *row_bytes = width;
  switch (image->format) {
    case RONDO_PIXELS_RGB8:
      *row_bytes = width * 3;
      return plane == 0 ? height : 0;
    case RONDO_PIXELS_RGBA8:
    case RONDO_PIXELS_BGRA8:
      *row_bytes = width * 4;
      return plane == 0 ? height : 0;
    case RONDO_PIXELS_GRAY8:
      return plane == 0 ? height : 0;
    case RONDO_PIXELS_NV12:
    case RONDO_PIXELS_NV21:
      if (plane == 0) return height;
      *row_bytes = half_width * 2;
      return plane == 1 ? half_height : 0;
    case RONDO_PIXELS_I420:
      if (plane == 0) return height;
      *row_bytes = half_width;
      return half_height;
    default:
      return 0;
  }
}

/* Camera frames have U and V in turn as two buffers, of which one begins a byte behind the other
 * and may end one behind it. They become one plane; 0: they are not such. */
static int join_chroma(rondo_image* image, struct plane* planes) {
  const struct plane u = planes[1], v = planes[2];
  if (u.at == NULL || v.at == NULL) return 0;
  if (v.at == u.at + 1) {
    image->format = RONDO_PIXELS_NV12;
    planes[1].bytes = u.bytes > v.bytes + 1 ? u.bytes : v.bytes + 1;
  } else if (u.at == v.at + 1) {
    image->format = RONDO_PIXELS_NV21;
    planes[1].at = v.at;
    planes[1].bytes = v.bytes > u.bytes + 1 ? v.bytes : u.bytes + 1;
  } else {
    return 0;
  }
  planes[2] = (struct plane){0};
  return 1;
}

static void find_planes(JNIEnv* env, jobjectArray buffers, struct plane* planes) {
  const jsize count = (*env)->GetArrayLength(env, buffers);
  for (jsize i = 0; i < count && i < MOST_PLANES; ++i) {
    jobject buffer = (*env)->GetObjectArrayElement(env, buffers, i);
    const jlong bytes = (*env)->GetDirectBufferCapacity(env, buffer);
    planes[i].at = (*env)->GetDirectBufferAddress(env, buffer);
    planes[i].bytes = planes[i].at == NULL || bytes < 0 ? 0 : (uint64_t)bytes;
  }
}

/* Sets planes and strides of an image whose size and format are set; 0 with what is wrong with
 * them. `in_turn`: U and V are 2 bytes apart. */
static int set_planes(rondo_image* image, struct plane* planes, const jint* strides, int in_turn,
                      char* message, size_t message_bytes) {
  if (in_turn && !join_chroma(image, planes)) {
    snprintf(message, message_bytes, "U and V are 2 bytes apart, but not in turn in one plane");
    return 0;
  }
  for (int i = 0; i < MOST_PLANES; ++i) {
    uint64_t row_bytes;
    const uint64_t rows = rows_of(image, i, &row_bytes), has = planes[i].bytes;
    const uint64_t stride = strides[i] == 0 ? row_bytes : (uint64_t)(uint32_t)strides[i];
    if (rows > 0 && (has < row_bytes || (rows > 1 && stride > (has - row_bytes) / (rows - 1)))) {
      snprintf(message, message_bytes,
               "plane %d of the image has %llu bytes, too few for %llu rows, %llu bytes apart, of "
               "%llu",
               i, (unsigned long long)has, (unsigned long long)rows, (unsigned long long)stride,
               (unsigned long long)row_bytes);
      return 0;
    }
  }
  image->plane0 = planes[0].at, image->stride0 = (uint32_t)strides[0];
  image->plane1 = planes[1].at, image->stride1 = (uint32_t)strides[1];
  image->plane2 = planes[2].at, image->stride2 = (uint32_t)strides[2];
  return 1;
}
