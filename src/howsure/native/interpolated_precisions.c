/* Mean over recalls of the largest precision at each recall or above. See `interpolated_precisions.py`. */
#include "kernels.h"

#include <math.h>

enum { WAYS = 4 }; /* tables at once: each step of a sum waits for the one before */
static const double EPSILON = 0x1p-52, CLOSE = 1e-9, LARGE = 0x1p51, TO_WHOLE = 0x1.8p52;

/* The nearest whole number; a count of 2⁵¹ or more is taken as whole. */
ALWAYS_INLINE double nearest(double count) {
    const double near = (count + TO_WHOLE) - TO_WHOLE;
    return count < LARGE ? near : count;
}

ALWAYS_INLINE double whole(double count) {
    const double near = nearest(count), off = near - count;
    return (off < 0.0 ? -off : off) <= CLOSE * near ? near : count;
}

/* `cells` is (draws, width): from cell `first` on it has false alarms and hits of each score, ascending, then the
 * misses. `recalls` ascend. `scratch` is (2, scores, WAYS): the hits and the precision at or above each score. */
FOR_EACH_PROCESSOR PUBLIC int howsure_interpolated_precisions(int64_t draws, int64_t width, int64_t first, int64_t scores,
                                                              int64_t points, const double *cells, const double *recalls,
                                                              double *restrict scratch, double *found) {
    double *restrict const reached = scratch, *restrict const precision = scratch + WAYS * scores;
    if (draws < 0 || scores < 0 || first < 0 || points < 1 || first + 2 * scores >= width)
        return 1;
    for (int64_t draw = 0; draw < draws; draw += WAYS) {
        const double *at[WAYS]; /* the last table fills up the ways */
        double false_sum[WAYS] = {0}, hit_sum[WAYS] = {0}, fraction[WAYS] = {0};
        double truths[WAYS], shift[WAYS], largest[WAYS] = {0}, sum[WAYS] = {0}, sought[WAYS];
        int64_t left[WAYS];
        for (int64_t way = 0; way < WAYS; way++)
            at[way] = cells + (draw + way < draws ? draw + way : draws - 1) * width + first;
        for (int64_t row = scores - 1; row >= 0; row--)
            for (int64_t way = 0; way < WAYS; way++) {
                false_sum[way] += at[way][2 * row];
                hit_sum[way] += at[way][2 * row + 1];
                const double hits = whole(hit_sum[way]);
                fraction[way] += hits - nearest(hits) != 0.0 ? 1.0 : 0.0;
                reached[WAYS * row + way] = hits;
                precision[WAYS * row + way] = hits / (hits + whole(false_sum[way]) + EPSILON);
            }
        for (int64_t way = 0; way < WAYS; way++) {
            truths[way] = whole(hit_sum[way] + at[way][2 * scores]);
            shift[way] = fraction[way] > 0.0 || truths[way] != nearest(truths[way]) ? CLOSE : 0.0;
            left[way] = points;
            sought[way] = recalls[points - 1];
        }
        for (int64_t row = 0; row < scores; row++) {
            double recall[WAYS];
            int is_passed = 0;
            for (int64_t way = 0; way < WAYS; way++) {
                recall[way] = reached[WAYS * row + way] / truths[way] + shift[way];
                is_passed |= recall[way] < sought[way];
            }
            for (int64_t way = 0; is_passed && way < WAYS; way++)
                for (; recall[way] < sought[way]; sought[way] = --left[way] ? recalls[left[way] - 1] : -1.0)
                    sum[way] += largest[way];
            for (int64_t way = 0; way < WAYS; way++)
                largest[way] = precision[WAYS * row + way] > largest[way] ? precision[WAYS * row + way] : largest[way];
        }
        for (int64_t way = 0; way < WAYS && draw + way < draws; way++)
            found[draw + way] = truths[way] > 0.0 ? (sum[way] + (double)left[way] * largest[way]) / (double)points : NAN;
    }
    return 0;
}
