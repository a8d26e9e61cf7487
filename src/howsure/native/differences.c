/* Largest scaled differences of rows. See `differences.py`. */
#include "kernels.h"

#include <math.h>

enum { BLOCK = 1024, BEHIND = 2, BOTH = 3 };

/* `values` are (rows, draws), `scale` and `sides` (rows, rows). For each of `which` rows the differences to the others go
 * `into` a row of `found`, which has at least as large numbers already. */
FOR_EACH_PROCESSOR PUBLIC int howsure_largest_differences(int64_t rows, int64_t draws, int64_t some, int64_t kept,
                                                          const int64_t *which, const int64_t *into,
                                                          const float *values, const float *scale, const uint8_t *sides,
                                                          float *restrict found) {
    if (rows < 0 || draws < 0 || some < 0 || kept < 0)
        return 1;
    for (int64_t each = 0; each < some; each++)
        if (which[each] < 0 || which[each] >= rows || into[each] < 0 || into[each] >= kept)
            return 1;
    for (int64_t start = 0; start < draws; start += BLOCK) { /* of all rows, which stay in the cache */
        const int size = draws - start < BLOCK ? (int)(draws - start) : BLOCK;
        for (int64_t each = 0; each < some; each++) {
            const float *const own = values + which[each] * draws + start;
            float *restrict const most = found + into[each] * draws + start;
            for (int64_t other = 0; other < rows; other++) {
                const float *const there = values + other * draws + start;
                const int64_t pair = which[each] * rows + other;
                const float factor = sides[pair] == BEHIND ? -scale[pair] : scale[pair];
                if (sides[pair] == BOTH)
                    for (int draw = 0; draw < size; draw++) {
                        const float apart = fabsf((own[draw] - there[draw]) * factor);
                        most[draw] = apart > most[draw] ? apart : most[draw];
                    }
                else if (sides[pair])
                    for (int draw = 0; draw < size; draw++) {
                        const float apart = (own[draw] - there[draw]) * factor;
                        most[draw] = apart > most[draw] ? apart : most[draw];
                    }
            }
        }
    }
    return 0;
}
