/* Cases counted by distinct score and class, and DeLong's sums over them. See `sorting.py` and `placements.py`. */
#include "kernels.h"

#include <string.h>

/* Digits are short enough that the ends of all buckets stay in a processor's nearer caches: one more pass costs less. */
enum { BITS = 10, BUCKETS = 1 << BITS, DIGITS = 3, MOVES = 8, BLOCK = 64, WAYS = 4 };
typedef double Ways __attribute__((vector_size(8 * WAYS)));

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
    return double_of((rank ? rank - 1 + scale.smallest : 0) | (is_negative ? SIGN : 0));
}

/* Returns whether there is room for the class. */
ALWAYS_INLINE int scale_of(int64_t cases, const double *score, Scale *scale) {
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

ALWAYS_INLINE uint32_t bucket_of(uint64_t key, int shift) { return (uint32_t)(key >> shift) & (BUCKETS - 1); }

/* Move keys to where their digit belongs, of which there are so many; returns where they are. */
static uint64_t *by_digit(uint64_t *keys, uint64_t *other, int64_t number, int shift, uint32_t *counts) {
    uint32_t sum = 0;
    if (counts[bucket_of(keys[0], shift)] == number)
        return keys; /* all alike */
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
        const uint32_t each = counts[bucket];
        counts[bucket] = sum;
        sum += each;
    }
    for (int64_t index = 0; index < number; index++)
        other[counts[bucket_of(keys[index], shift)]++] = keys[index];
    return other;
}

/* Sort by all digits, through a second array; returns the one that holds the result. */
static uint64_t *by_digits(uint64_t *keys, uint64_t *other, int64_t number) {
    for (int shift = 0; shift < 64; shift += BITS) {
        uint32_t counts[BUCKETS] = {0};
        for (int64_t index = 0; index < number; index++)
            counts[bucket_of(keys[index], shift)]++;
        uint64_t *const found = by_digit(keys, other, number, shift, counts);
        other = found == keys ? other : keys;
        keys = found;
    }
    return keys;
}

/* Sort by the highest digits, which tell nearly all scores apart, and by insertion where they do not. */
static uint64_t *sorted(uint64_t *keys, uint64_t *other, int64_t number, uint32_t counts[DIGITS][BUCKETS]) {
    uint64_t *first = keys;
    for (int digit = 0; digit < DIGITS; digit++)
        first = by_digit(first, first == keys ? other : keys, number, 64 - (DIGITS - digit) * BITS, counts[digit]);
    int64_t moves = MOVES * number;
    uint64_t last = first[0];
    for (int64_t index = 1; index < number; index++) {
        const uint64_t key = first[index];
        if (key >= last) { /* as nearly always */
            last = key;
            continue;
        }
        int64_t place = index;
        for (; place > 0 && first[place - 1] > key; place--, moves--)
            first[place] = first[place - 1];
        first[place] = key;
        if (moves < 0) /* too many are alike in these digits */
            return by_digits(first, first == keys ? other : keys, number);
    }
    return first;
}

/* Write the distinct scores of sorted entries and the cases of either class; returns how many there are. A block is
 * copied before its memory is written to, and has hardly ever ties. */
ALWAYS_INLINE int64_t counted(int64_t cases, const uint64_t *entries, Scale scale, double *scores, double *negatives,
                              double *positives) {
    int64_t place = 0;
    uint64_t block[BLOCK + 1] = {~entries[0]}; /* unlike the first */
    for (int64_t first = 0; first < cases; first += BLOCK) {
        const int size = cases - first < BLOCK ? (int)(cases - first) : BLOCK;
        uint64_t ties = 0;
        memcpy(block + 1, entries + first, (size_t)size * sizeof *block);
        for (int each = 1; each <= size; each++)
            ties += (block[each] ^ block[each - 1]) < 2;
        if (!ties) {
            for (int each = 0; each < size; each++) {
                const uint64_t is_high = block[each + 1] & 1;
                scores[place + each] = score_of(block[each + 1], scale);
                negatives[place + each] = (double)(int)(1 - is_high);
                positives[place + each] = (double)(int)is_high;
            }
            place += size;
        } else {
            double low = place ? negatives[place - 1] : 0.0, high = place ? positives[place - 1] : 0.0;
            for (int each = 1; each <= size; each++) {
                const uint64_t is_high = block[each] & 1;
                const int is_new = (block[each] ^ block[each - 1]) > 1;
                place += is_new;
                low = (is_new ? 0.0 : low) + (double)(int)(1 - is_high);
                high = (is_new ? 0.0 : high) + (double)(int)is_high;
                scores[place - 1] = score_of(block[each], scale);
                negatives[place - 1] = low;
                positives[place - 1] = high;
            }
        }
        block[0] = block[size];
    }
    return place;
}

/* The counts' own memory, of two numbers for each case, serves to sort in: an entry is read before a count takes its
 * place, for there are no more distinct scores than cases. (Compiled with -fno-strict-aliasing.) */
FOR_EACH_PROCESSOR PUBLIC int howsure_count_scores(int64_t cases, const double *score, const uint8_t *is_positive,
                                                   double *scores, double *counts, int64_t *number) {
    uint64_t *const work = (uint64_t *)(void *)counts;
    uint32_t digits[DIGITS][BUCKETS] = {{0}};
    Scale scale;
    if (cases < 1)
        return 1;
    *number = 0;
    if (cases > UINT32_MAX || !scale_of(cases, score, &scale))
        return 0; /* no distinct scores: none of the magnitudes' ranges that occur is as wide */
    for (int64_t first = 0; first < cases; first += BLOCK) { /* of which the entries are made side by side */
        const int64_t end = cases - first < BLOCK ? cases : first + BLOCK;
        for (int64_t index = first; index < end; index++)
            work[index] = entry_of(score[index], is_positive[index] != 0, scale);
        for (int64_t index = first; index < end; index++)
            for (int digit = 0; digit < DIGITS; digit++)
                digits[digit][bucket_of(work[index], 64 - (DIGITS - digit) * BITS)]++;
    }
    *number = counted(cases, sorted(work, work + cases, cases, digits), scale, scores, counts, counts + cases);
    return 0;
}

/* Counts are gone through at several places at once, for each step of a sum waits for the one before. */
ALWAYS_INLINE Ways ways_at(const double *counts, int64_t index, int64_t each) {
    return (Ways){counts[index], counts[index + each], counts[index + 2 * each], counts[index + 3 * each]};
}

/* The area under the ROC curve, and the cases of either class; those below where each way starts, and at last of all. */
ALWAYS_INLINE void area_of(int64_t number, const double *negatives, const double *positives, double *found,
                           double below[WAYS + 1], double above[WAYS + 1]) {
    const int64_t each = number / WAYS;
    Ways lower = {0}, upper = {0}, won = {0};
    for (int64_t index = 0; index < each; index++) {
        const Ways negative = ways_at(negatives, index, each), positive = ways_at(positives, index, each);
        won += positive * (lower + negative / 2);
        lower += negative;
        upper += positive;
    }
    double wins = 0.0;
    below[0] = above[0] = 0.0;
    for (int way = 0; way < WAYS; way++) {
        wins += won[way] + upper[way] * below[way];
        below[way + 1] = below[way] + lower[way];
        above[way + 1] = above[way] + upper[way];
    }
    found[1] = below[WAYS];
    found[2] = above[WAYS];
    for (int64_t index = WAYS * each; index < number; index++) {
        wins += positives[index] * (found[1] + negatives[index] / 2);
        found[1] += negatives[index];
        found[2] += positives[index];
    }
    found[0] = wins / (found[1] * found[2]);
}

/* The area under the ROC curve; writes the cases of either class. */
FOR_EACH_PROCESSOR PUBLIC int howsure_area(int64_t number, const double *negatives, const double *positives,
                                           double *found) {
    double below[WAYS + 1], above[WAYS + 1];
    if (number < 1)
        return 1;
    area_of(number, negatives, positives, found, below, above);
    return 0;
}

/* The derivative of the area by each count, `slopes` (number, 2): placements less the area, over the class totals. */
FOR_EACH_PROCESSOR PUBLIC int howsure_area_slopes(int64_t number, const double *negatives, const double *positives,
                                                  double *slopes) {
    double below[WAYS + 1], above[WAYS + 1], found[3];
    if (number < 1)
        return 1;
    area_of(number, negatives, positives, found, below, above);
    const double both = 1 / (found[1] * found[2]);
    const double of_negative = (1 - found[0]) / found[1], of_positive = found[0] / found[2];
    const int64_t each = number / WAYS;
    Ways lower, upper;
    memcpy(&lower, below, sizeof lower);
    memcpy(&upper, above, sizeof upper);
    for (int64_t index = 0; index < each; index++) {
        const Ways negative = ways_at(negatives, index, each), positive = ways_at(positives, index, each);
        const Ways falls = of_negative - (upper + positive / 2) * both, rises = (lower + negative / 2) * both - of_positive;
        for (int way = 0; way < WAYS; way++) {
            slopes[2 * (index + way * each)] = falls[way];
            slopes[2 * (index + way * each) + 1] = rises[way];
        }
        lower += negative;
        upper += positive;
    }
    for (int64_t index = WAYS * each; index < number; index++) {
        slopes[2 * index] = of_negative - (above[WAYS] + positives[index] / 2) * both;
        slopes[2 * index + 1] = (below[WAYS] + negatives[index] / 2) * both - of_positive;
        below[WAYS] += negatives[index];
        above[WAYS] += positives[index];
    }
    return 0;
}

FOR_EACH_PROCESSOR PUBLIC int howsure_placement_sums(int64_t number, const double *negatives, const double *positives,
                                                     double *sums) {
    double below[WAYS + 1], above[WAYS + 1];
    if (number < 1)
        return 1;
    area_of(number, negatives, positives, sums, below, above);
    const double area = sums[0], of_others = 1 / sums[1], of_cases = 1 / sums[2];
    const int64_t each = number / WAYS;
    Ways lower, upper, added[4] = {{0}};
    memcpy(&lower, below, sizeof lower);
    memcpy(&upper, above, sizeof upper);
    for (int64_t index = 0; index < each; index++) {
        const Ways negative = ways_at(negatives, index, each), positive = ways_at(positives, index, each);
        const Ways of_positive = (lower + negative / 2) * of_others - area;
        const Ways of_negative = 1 - (upper + positive / 2) * of_cases - area;
        const Ways one = of_negative * of_negative, other = of_positive * of_positive;
        added[0] += negative * one;
        added[1] += positive * other;
        added[2] += negative * (one * one);
        added[3] += positive * (other * other);
        lower += negative;
        upper += positive;
    }
    for (int sum = 0; sum < 4; sum++)
        sums[3 + sum] = added[sum][0] + added[sum][1] + (added[sum][2] + added[sum][3]);
    for (int64_t index = WAYS * each; index < number; index++) {
        const double of_positive = (below[WAYS] + negatives[index] / 2) * of_others - area;
        const double of_negative = 1 - (above[WAYS] + positives[index] / 2) * of_cases - area;
        const double one = of_negative * of_negative, other = of_positive * of_positive;
        sums[3] += negatives[index] * one;
        sums[4] += positives[index] * other;
        sums[5] += negatives[index] * (one * one);
        sums[6] += positives[index] * (other * other);
        below[WAYS] += negatives[index];
        above[WAYS] += positives[index];
    }
    return 0;
}
