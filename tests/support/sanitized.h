// RONDO_SANITIZED: 1 under a sanitizer that brings its own allocator, else 0.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RONDO_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RONDO_SANITIZED 1
#endif
#endif
#ifndef RONDO_SANITIZED
#define RONDO_SANITIZED 0
#endif
