/* Pairs of codes, counted, and floats as whole numbers. See `pairs.py`. */
#include "kernels.h"

#include <math.h>

enum { BLOCK = 256, WAYS = 8 };

/* Codes are differences modulo 2^width from the lowest one, whatever their sign. Neighbouring rows are counted in tables
 * of their own: each of a few cells would otherwise wait for the row before. */
#define COUNT_PAIRS(NAME, TYPE)                                                                                        \
    ALWAYS_INLINE int NAME(int64_t rows, int64_t low, int64_t other_low, int64_t others, int64_t cells,                \
                           const TYPE *codes, const TYPE *other_codes, int64_t *found) {                               \
        uint32_t place[BLOCK];                                                                                         \
        for (int64_t first = 0; first < rows; first += BLOCK) {                                                        \
            const int some = rows - first < BLOCK ? (int)(rows - first) : BLOCK;                                       \
            uint64_t bits = 0;                                                                                         \
            uint32_t largest = 0;                                                                                      \
            for (int each = 0; each < some; each++) {                                                                  \
                const TYPE own = (TYPE)(codes[first + each] - (TYPE)low);                                              \
                const TYPE other = (TYPE)(other_codes[first + each] - (TYPE)other_low);                                \
                bits |= own | other;                                                                                   \
                place[each] = (uint32_t)own * (uint32_t)others + (uint32_t)other;                                      \
            }                                                                                                          \
            for (int each = 0; each < some; each++)                                                                    \
                largest = place[each] > largest ? place[each] : largest;                                               \
            if (bits >> 32 || largest >= (uint64_t)cells)                                                              \
                return 1;                                                                                              \
            int each = 0;                                                                                              \
            for (; each + WAYS <= some; each += WAYS)                                                                  \
                for (int way = 0; way < WAYS; way++)                                                                   \
                    found[way * cells + place[each + way]]++;                                                          \
            for (; each < some; each++)                                                                                \
                found[place[each]]++;                                                                                  \
        }                                                                                                              \
        return 0;                                                                                                      \
    }

COUNT_PAIRS(pairs_of_1, uint8_t)
COUNT_PAIRS(pairs_of_2, uint16_t)
COUNT_PAIRS(pairs_of_4, uint32_t)
COUNT_PAIRS(pairs_of_8, uint64_t)

/* `found` is (ways, cells): the cell of a row is (code - low) * others + other code - other low. */
FOR_EACH_PROCESSOR PUBLIC int howsure_count_pairs(int64_t rows, int64_t bytes, int64_t low, int64_t other_low,
                                                  int64_t others, int64_t cells, const void *codes,
                                                  const void *other_codes, int64_t *found) {
    if (bytes == 1)
        return pairs_of_1(rows, low, other_low, others, cells, codes, other_codes, found);
    if (bytes == 2)
        return pairs_of_2(rows, low, other_low, others, cells, codes, other_codes, found);
    if (bytes == 4)
        return pairs_of_4(rows, low, other_low, others, cells, codes, other_codes, found);
    return bytes != 8 || pairs_of_8(rows, low, other_low, others, cells, codes, other_codes, found);
}

/* Floats as 32-bit integers; writes whether all are equal to theirs. Large ones and nan become 0, and
 * count as different; by a mask, because a compiler would turn a choice into a branch. */
FOR_EACH_PROCESSOR PUBLIC int howsure_whole_numbers(int64_t size, const double *numbers, int32_t *restrict found,
                                                    int64_t *are_whole) {
    const double most = 1 << 30;
    *are_whole = 0;
    for (int64_t first = 0; first < size; first += BLOCK) {
        const int some = size - first < BLOCK ? (int)(size - first) : BLOCK;
        uint64_t differ = 0;
        for (int each = 0; each < some; each++) {
            const uint64_t is_small = fabs(numbers[first + each]) < most ? ~(uint64_t)0 : 0;
            const double own = double_of(bits_of(numbers[first + each]) & is_small);
            const int32_t whole = (int32_t)own;
            found[first + each] = whole;
            differ |= ~is_small | bits_of((double)whole - own);
        }
        if (differ)
            return 0;
    }
    *are_whole = 1;
    return 0;
}
