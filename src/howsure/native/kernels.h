/* The compiled kernels of howsure: plain C11, no state, no allocation, nothing but numbers and the caller's memory.
 * Each returns 0, or 1 for arguments that it cannot take. The modules beside them say what they compute,
 * and compute the same with NumPy. */
#ifndef HOWSURE_KERNELS_H
#define HOWSURE_KERNELS_H

#include <stdint.h>
#include <string.h>

#if defined(_WIN32)
#define PUBLIC __declspec(dllexport)
#else
#define PUBLIC __attribute__((visibility("default")))
#endif

#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE static inline
#endif

/* Where the C library can choose at load time, each kernel is compiled for several instruction sets. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) && !defined(PLAIN)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif

ALWAYS_INLINE uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

ALWAYS_INLINE double double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* SplitMix64 (Steele, Lea, Flood 2014): word `index` of the stream of a key. */
ALWAYS_INLINE uint64_t word_at(uint64_t key, uint64_t index) {
    uint64_t x = key + 0x9E3779B97F4A7C15u * (index + 1);
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* The key of a stream that begins at a word of another one. In a loop over the words from there a compiler adds, where
 * it would multiply to have each word by its number in the whole stream. */
ALWAYS_INLINE uint64_t stream_at(uint64_t key, uint64_t index) { return key + 0x9E3779B97F4A7C15u * index; }

#endif
