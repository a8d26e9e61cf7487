/* Areas and average precisions of many tables of scores. See `drawn_areas.py`. */
#include "kernels.h"

#include <string.h>

enum { WAYS = 4 };
typedef double Ways __attribute__((vector_size(8 * WAYS)));
static const double NOTHING = 0x1p-1000; /* added to a count it changes none but 0 */

/* One count of several tables at once: each step of a sum waits for the one before. The last table fills up the ways. */
ALWAYS_INLINE Ways of_tables(const double *const *at, int64_t cell) {
    return (Ways){at[0][cell], at[1][cell], at[2][cell], at[3][cell]};
}

ALWAYS_INLINE void start_at(const double **at, const double *cells, int64_t first, int64_t draws, int64_t scores) {
    for (int64_t way = 0; way < WAYS; way++)
        at[way] = cells + (first + way < draws ? first + way : draws - 1) * 2 * scores;
}

/* `cells` is (draws, scores, 2), scores ascending. */
FOR_EACH_PROCESSOR PUBLIC int howsure_drawn_areas(int64_t draws, int64_t scores, const double *cells, double *found) {
    const double *at[WAYS];
    if (draws < 0 || scores < 0)
        return 1;
    for (int64_t first = 0; first < draws; first += WAYS) {
        Ways lower = {0}, upper = {0}, won = {0};
        start_at(at, cells, first, draws, scores);
        for (int64_t row = 0; row < scores; row++) {
            const Ways negative = of_tables(at, 2 * row), positive = of_tables(at, 2 * row + 1);
            won += positive * (lower + negative / 2);
            lower += negative;
            upper += positive;
        }
        won /= lower * upper;
        memcpy(found + first, &won, (size_t)(draws - first < WAYS ? draws - first : WAYS) * sizeof(double));
    }
    return 0;
}

FOR_EACH_PROCESSOR PUBLIC int howsure_drawn_precisions(int64_t draws, int64_t scores, const double *cells,
                                                       double *found) {
    const double *at[WAYS];
    if (draws < 0 || scores < 0)
        return 1;
    for (int64_t first = 0; first < draws; first += WAYS) {
        Ways called = {0}, upper = {0}, sum = {0};
        start_at(at, cells, first, draws, scores);
        for (int64_t row = scores - 1; row >= 0; row--) {
            const Ways negative = of_tables(at, 2 * row), positive = of_tables(at, 2 * row + 1);
            upper += positive;
            called += negative + positive;
            sum += positive * (upper / (called + NOTHING));
        }
        sum /= upper;
        memcpy(found + first, &sum, (size_t)(draws - first < WAYS ? draws - first : WAYS) * sizeof(double));
    }
    return 0;
}
