/* Cases counted by distinct score and class, and DeLong's sums over them. See `sorting.py` and `placements.py`. */
#include "kernels.h"

#include <string.h>

enum { BITS = 12, BUCKETS = 1 << BITS, DIGITS = 2, MOVES = 8 };

static const uint64_t SIGN = (uint64_t)1 << 63;

/* Scores as whole numbers in the same order: magnitudes count from the smallest but 0, so that the numbers need few
 * bits. They are shifted up as far as they go, and the lowest bit says the class. */
typedef struct {
    uint64_t smallest, largest;
    int shift;
} Scale;

ALWAYS_INLINE uint64_t entry_of(double score, uint64_t is_positive, Scale scale) {
    const uint64_t bits = bits_of(score), magnitude = bits & ~SIGN;
    const uint64_t rank = magnitude ? magnitude - scale.smallest + 1 : 0;
    const uint64_t place = (bits & SIGN) ? scale.largest - rank : scale.largest + rank;
    return place << scale.shift | is_positive;
}

ALWAYS_INLINE double score_of(uint64_t entry, Scale scale) {
    const uint64_t place = entry >> scale.shift;
    const int is_negative = place < scale.largest;
    const uint64_t rank = is_negative ? scale.largest - place : place - scale.largest;
    const uint64_t bits = (rank ? rank - 1 + scale.smallest : 0) | (is_negative ? SIGN : 0);
    double score;
    memcpy(&score, &bits, sizeof score);
    return score;
}

/* Returns whether there is room for the class. */
static int scale_of(int64_t cases, const double *score, Scale *scale) {
    uint64_t smallest = UINT64_MAX, largest = 0;
    for (int64_t index = 0; index < cases; index++) {
        const uint64_t magnitude = bits_of(score[index]) & ~SIGN;
        const uint64_t lower = magnitude - 1; /* of 0 the largest number */
        smallest = lower < smallest ? lower : smallest;
        largest = magnitude > largest ? magnitude : largest;
    }
    scale->smallest = smallest + 1;
    scale->largest = largest ? largest - smallest : 0;
    if (scale->largest >= (uint64_t)1 << 62)
        return 0;
    scale->shift = 1;
    while (scale->shift < 63 && !((2 * scale->largest) << scale->shift & SIGN))
        scale->shift++;
    return 1;
}

/* Sort by digits from a shift on, through a second array; returns the one that holds the result. */
static uint64_t *by_digits(uint64_t *keys, uint64_t *other, int64_t number, int lowest) {
    for (int shift = lowest; shift < 64; shift += BITS) {
        int64_t ends[BUCKETS] = {0}, sum = 0;
        for (int64_t index = 0; index < number; index++)
            ends[(keys[index] >> shift) & (BUCKETS - 1)]++;
        if (ends[(keys[0] >> shift) & (BUCKETS - 1)] == number)
            continue; /* all alike */
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            const int64_t each = ends[bucket];
            ends[bucket] = sum;
            sum += each;
        }
        for (int64_t index = 0; index < number; index++)
            other[ends[(keys[index] >> shift) & (BUCKETS - 1)]++] = keys[index];
        uint64_t *const swap = keys;
        keys = other;
        other = swap;
    }
    return keys;
}

/* Sort by the highest digits, which tell nearly all scores apart, and by insertion where they do not. */
static uint64_t *sorted(uint64_t *keys, uint64_t *other, int64_t number) {
    uint64_t *const first = by_digits(keys, other, number, 64 - DIGITS * BITS);
    uint64_t *const second = first == keys ? other : keys;
    int64_t moves = MOVES * number;
    for (int64_t index = 1; index < number; index++) {
        const uint64_t key = first[index];
        int64_t place = index;
        for (; place > 0 && first[place - 1] > key; place--, moves--)
            first[place] = first[place - 1];
        first[place] = key;
        if (moves < 0) /* too many are alike in these digits */
            return by_digits(first, second, number, 0);
    }
    return first;
}

/* The counts' own memory, of two numbers for each case, serves to sort in: an entry is read before a count takes its
 * place, for there are no more distinct scores than cases. (Compiled with -fno-strict-aliasing.) */
PUBLIC int howsure_count_scores(int64_t cases, const double *score, const uint8_t *is_positive, double *scores,
                                double *counts, int64_t *number) {
    uint64_t *const work = (uint64_t *)(void *)counts;
    double *const negatives = counts, *const positives = counts + cases;
    Scale scale;
    if (cases < 1)
        return 1;
    *number = 0;
    if (!scale_of(cases, score, &scale))
        return 0; /* no distinct scores: none of the magnitudes' ranges that occur is as wide */
    for (int64_t index = 0; index < cases; index++)
        work[index] = entry_of(score[index], is_positive[index] != 0, scale);
    const uint64_t *const entries = sorted(work, work + cases, cases);
    int64_t place = -1;
    uint64_t last = ~entries[0];
    double of_class[2] = {0.0, 0.0};
    for (int64_t index = 0; index < cases; index++) {
        const uint64_t is_high = entries[index] & 1, value = entries[index] ^ is_high;
        const int is_new = value != last;
        place += is_new;
        of_class[0] = (is_new ? 0.0 : of_class[0]) + (double)!is_high;
        of_class[1] = (is_new ? 0.0 : of_class[1]) + (double)is_high;
        scores[place] = score_of(value, scale);
        negatives[place] = of_class[0];
        positives[place] = of_class[1];
        last = value;
    }
    *number = place + 1;
    return 0;
}

/* The area under the ROC curve; writes the cases of either class. */
PUBLIC int howsure_area(int64_t number, const double *negatives, const double *positives, double *found) {
    double below = 0.0, above = 0.0, wins = 0.0;
    if (number < 1)
        return 1;
    for (int64_t index = 0; index < number; index++) {
        wins += positives[index] * (below + negatives[index] / 2);
        below += negatives[index];
        above += positives[index];
    }
    found[0] = wins / (below * above);
    found[1] = below;
    found[2] = above;
    return 0;
}

PUBLIC int howsure_placement_sums(int64_t number, const double *negatives, const double *positives, double *sums) {
    if (howsure_area(number, negatives, positives, sums))
        return 1;
    const double area = sums[0], others = sums[1], cases = sums[2];
    double squares[2] = {0.0, 0.0}, fourths[2] = {0.0, 0.0}, below = 0.0, above = 0.0;
    for (int64_t index = 0; index < number; index++) {
        const double negative = negatives[index], positive = positives[index];
        const double of_positive = (below + negative / 2) / others - area;
        const double of_negative = 1 - (above + positive / 2) / cases - area;
        const double square[2] = {of_negative * of_negative, of_positive * of_positive};
        squares[0] += negative * square[0];
        squares[1] += positive * square[1];
        fourths[0] += negative * square[0] * square[0];
        fourths[1] += positive * square[1] * square[1];
        below += negative;
        above += positive;
    }
    memcpy(sums + 3, squares, sizeof squares);
    memcpy(sums + 5, fourths, sizeof fourths);
    return 0;
}
