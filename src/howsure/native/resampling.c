/* Resampled cases, 64 resamples at a time, and what their ranks add up to. See `resampling.py`. */
#include "kernels.h"

#include <string.h>

enum { LANES = 64, EIGHTS = 8, ATOMS = 16, MOST_OF_BLOCK = 4096, MOST_TOTAL = 32767, MOST_OF_RUN = 1 << 22, ANY_WEIGHTS = 128, CHUNK = 64, OPEN = 128 };
enum { AREA = 1, PRECISION = 2 };
enum { POSITIVE = 1, MIXED = 2, ENDS = 4 };

static const uint64_t ALL_OPEN = 0x8080808080808080u;

ALWAYS_INLINE uint64_t little_endian(uint64_t word) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(word);
#else
    return word;
#endif
}

/* A case among `size` from the upper 52 bits of a word. */
ALWAYS_INLINE int64_t case_of(uint64_t word, int64_t size) {
    return (int64_t)(((word >> 12) * (uint64_t)size) >> 52);
}

/* The weight that a byte leaves open, from a word of its own: `atoms` are the ends of the weights' ranges of words, and
 * `guide` has the weight of all words of one first byte, or OPEN where they differ. */
ALWAYS_INLINE uint8_t rare_weight(uint64_t word, const uint64_t *atoms, const uint8_t *guide) {
    uint8_t weight = guide[word >> 56];
    if (weight == OPEN)
        for (weight = 0; weight < ATOMS - 1 && word >= atoms[weight];)
            weight++;
    return weight;
}

/* The place of the lowest byte that is open. */
ALWAYS_INLINE unsigned first_open(uint64_t open) {
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(open) / 8;
#else
    unsigned place = 0;
    while (!(open >> (8 * place) & OPEN))
        place++;
    return place;
#endif
}

/* Poisson weights by a byte each; a byte from `levels[4]` on leaves the weight open. */
ALWAYS_INLINE void poisson_rows(const int eights, int64_t first, int64_t size, const uint64_t *keys, const uint8_t *levels,
                                const uint64_t *atoms, const uint8_t *guide, uint8_t *weights, uint32_t *sums) {
    const int lanes = 8 * eights;
    const uint8_t one = levels[0], two = levels[1], three = levels[2], four = levels[3], rest = levels[4];
    uint64_t rare[EIGHTS];
    uint32_t open[CHUNK * EIGHTS + 1];
    uint16_t added[LANES] = {0};
    for (int eight = 0; eight < eights; eight++)
        rare[eight] = word_at(keys[eight], UINT64_MAX - 1);
    for (int64_t chunk = 0; chunk < size; chunk += CHUNK) {
        const int64_t end = chunk + CHUNK < size ? chunk + CHUNK : size;
        uint32_t number = 0;
        for (int64_t row = chunk; row < end; row++) {
            uint64_t words[EIGHTS];
            uint8_t bytes[LANES], *own = weights + row * lanes;
            for (int eight = 0; eight < eights; eight++)
                words[eight] = little_endian(word_at(keys[eight], (uint64_t)(first + row)));
            memcpy(bytes, words, (size_t)lanes);
            for (int lane = 0; lane < lanes; lane++) {
                const uint8_t byte = bytes[lane];
                own[lane] = (uint8_t)((byte >= one) + (byte >= two) + (byte >= three) + (byte >= four) +
                                      OPEN * (byte >= rest));
            }
            memcpy(words, own, (size_t)lanes);
            for (int eight = 0; eight < eights; eight++) { /* which eights have open ones, without a branch */
                open[number] = (uint32_t)(row * eights + eight);
                number += (words[eight] & ALL_OPEN) != 0;
            }
        }
        for (uint32_t index = 0; index < number; index++) {
            const uint32_t eight = open[index] % eights;
            uint8_t *own = weights + (int64_t)open[index] * 8;
            const uint64_t place = (uint64_t)(first + open[index] / eights) * 8;
            uint64_t bytes;
            memcpy(&bytes, own, 8);
            for (uint64_t left = little_endian(bytes) & ALL_OPEN; left; left &= left - 1) {
                const unsigned lane = first_open(left);
                own[lane] = rare_weight(word_at(rare[eight], place + lane), atoms, guide);
            }
        }
        for (int64_t row = chunk; row < end; row++)
            for (int lane = 0; lane < lanes; lane++)
                added[lane] = (uint16_t)(added[lane] + weights[row * lanes + lane]);
    }
    for (int lane = 0; lane < lanes; lane++)
        sums[lane] = added[lane];
}

/* Add or take away single cases until each resample has its total. */
ALWAYS_INLINE void to_totals(const int eights, int64_t block, int64_t size, const uint64_t *keys, const uint32_t *totals,
                             const uint32_t *sums, uint8_t *weights) {
    const int lanes = 8 * eights;
    for (int lane = 0; lane < lanes; lane++) {
        const uint64_t own = word_at(keys[lane / 8], UINT64_MAX - 2);
        const uint64_t key = word_at(own, (uint64_t)(8 * block + lane % 8));
        int64_t missing = (int64_t)totals[lane] - (int64_t)sums[lane];
        uint64_t index = 0;
        for (; missing > 0; missing--)
            weights[case_of(word_at(key, index++), size) * lanes + lane]++;
        while (missing < 0) {
            const uint64_t word = word_at(key, index++);
            uint8_t *weight = weights + case_of(word, size) * lanes + lane;
            if ((word & (ATOMS - 1)) < *weight) {
                --*weight;
                missing++;
            }
        }
    }
}

ALWAYS_INLINE void fill(const int eights, int64_t block, int64_t first, int64_t size, const uint64_t *keys, const uint8_t *levels,
                        const uint64_t *atoms, const uint8_t *guide, const uint32_t *totals, uint8_t *weights) {
    uint32_t sums[LANES];
    poisson_rows(eights, first, size, keys, levels, atoms, guide, weights, sums);
    to_totals(eights, block, size, keys, totals, sums, weights);
}

static int is_refused(int lanes, int64_t cases, int64_t blocks, const uint32_t *totals) {
    if (cases < 1 || blocks < 1 || blocks > cases || (cases + blocks - 1) / blocks > MOST_OF_BLOCK)
        return 1;
    for (int64_t index = 0; index < blocks * lanes; index++)
        if (totals[index] > MOST_TOTAL)
            return 1;
    return 0;
}

ALWAYS_INLINE int64_t start_of(int64_t block, int64_t cases, int64_t blocks) {
    const int64_t each = cases / blocks, more = cases % blocks;
    return block * each + (block < more ? block : more);
}

ALWAYS_INLINE int weights_of(const int eights, int64_t cases, int64_t blocks, const uint8_t *levels, const uint64_t *atoms,
                             const uint8_t *guide, const uint64_t *keys, const uint32_t *totals, uint8_t *weights) {
    const int lanes = 8 * eights;
    if (is_refused(lanes, cases, blocks, totals))
        return 1;
    for (int64_t block = 0; block < blocks; block++) {
        const int64_t first = start_of(block, cases, blocks), last = start_of(block + 1, cases, blocks);
        fill(eights, block, first, last - first, keys, levels, atoms, guide, totals + block * lanes, weights + first * lanes);
    }
    return 0;
}

/* The weights of 8 resamples, `(cases, 8)`, and of 64. */
FOR_EACH_PROCESSOR PUBLIC int howsure_case_weights(int64_t cases, int64_t blocks, const uint8_t *levels,
                                                   const uint64_t *atoms, const uint8_t *guide, const uint64_t *keys, const uint32_t *totals,
                                                   uint8_t *weights) {
    return weights_of(1, cases, blocks, levels, atoms, guide, keys, totals, weights);
}

FOR_EACH_PROCESSOR PUBLIC int howsure_lane_weights(int64_t cases, int64_t blocks, const uint8_t *levels,
                                                   const uint64_t *atoms, const uint8_t *guide, const uint64_t *keys, const uint32_t *totals,
                                                   uint8_t *weights) {
    return weights_of(EIGHTS, cases, blocks, levels, atoms, guide, keys, totals, weights);
}

ALWAYS_INLINE void weighted_tables(const int lanes, int64_t runs, const int64_t *cells, const double *counts,
                                   const int64_t *starts, const int64_t *rows, const uint8_t *weights, double *tables) {
    for (int64_t run = 0; run < runs; run++) {
        uint32_t added[LANES] = {0};
        double *table = tables + cells[run] * lanes;
        for (int64_t entry = starts[run]; entry < starts[run + 1]; entry++) {
            const uint8_t *own = weights + rows[entry] * lanes;
            for (int lane = 0; lane < lanes; lane++)
                added[lane] += own[lane];
        }
        for (int lane = 0; lane < lanes; lane++)
            table[lane] += counts[run] * (double)(int32_t)added[lane];
    }
}

/* Tables of resampled units, `(size, lanes)` for 64 or 8 lanes: entries `starts[r]` to `starts[r + 1]` of run r have
 * the count of the run in its cell, for the unit of a row of weights. */
FOR_EACH_PROCESSOR PUBLIC int howsure_weighted_tables(int64_t lanes, int64_t units, int64_t size, int64_t runs,
                                                      int64_t entries, const int64_t *cells, const double *counts,
                                                      const int64_t *starts, const int64_t *rows,
                                                      const uint8_t *weights, double *tables) {
    if ((lanes != LANES && lanes != 8) || size < 0 || runs < 0 || entries < 0 || starts[0] != 0 || starts[runs] != entries)
        return 1;
    for (int64_t run = 0; run < runs; run++)
        if (cells[run] < 0 || cells[run] >= size || starts[run] > starts[run + 1] ||
            starts[run + 1] - starts[run] > MOST_OF_RUN)
            return 1;
    for (int64_t entry = 0; entry < entries; entry++)
        if (rows[entry] < 0 || rows[entry] >= units)
            return 1;
    memset(tables, 0, (size_t)(size * lanes) * sizeof *tables);
    if (lanes == LANES)
        weighted_tables(LANES, runs, cells, counts, starts, rows, weights, tables);
    else
        weighted_tables(8, runs, cells, counts, starts, rows, weights, tables);
    return 0;
}

/* Sums of columns over resampled cases, `(columns, LANES)`: each value times the weight of its case. */
FOR_EACH_PROCESSOR PUBLIC int howsure_weighted_sums(int64_t cases, int64_t blocks, int64_t number, const double *columns,
                                                    const uint8_t *levels, const uint64_t *atoms, const uint8_t *guide,
                                                    const uint64_t *keys, const uint32_t *totals, double *sums,
                                                    uint8_t *weights) {
    if (is_refused(LANES, cases, blocks, totals) || number < 1)
        return 1;
    memset(sums, 0, (size_t)(number * LANES) * sizeof *sums);
    for (int64_t block = 0; block < blocks; block++) {
        const int64_t first = start_of(block, cases, blocks), size = start_of(block + 1, cases, blocks) - first;
        fill(EIGHTS, block, first, size, keys, levels, atoms, guide, totals + block * LANES, weights);
        for (int64_t index = 0; index < number; index++) {
            const double *column = columns + index * cases + first;
            double added[LANES] = {0};
            for (int64_t row = 0; row < size; row++)
                for (int lane = 0; lane < LANES; lane++)
                    added[lane] += column[row] * (double)weights[row * LANES + lane];
            for (int lane = 0; lane < LANES; lane++)
                sums[index * LANES + lane] += added[lane];
        }
    }
    return 0;
}

/* Scores are gone through from the top. A negative case wins 2 for each positive one above it and 1 for each at its own
 * score: `height` is the sum of both, of which `above` was reached before this block. */
typedef struct {
    uint64_t above[LANES], wins[LANES], waiting_above[LANES];
    uint32_t block_wins[LANES];
    uint16_t height[LANES], waiting[LANES], negatives[LANES];
    uint32_t all[LANES], positives[LANES], tied[LANES];
    double precision[LANES];
} Ranks;

ALWAYS_INLINE void settle(Ranks *ranks) {
    for (int lane = 0; lane < LANES; lane++) {
        ranks->wins[lane] += ranks->block_wins[lane] + ranks->negatives[lane] * ranks->above[lane];
        ranks->above[lane] += ranks->height[lane];
        ranks->block_wins[lane] = 0;
        ranks->negatives[lane] = ranks->height[lane] = 0;
    }
}

ALWAYS_INLINE void rank_row(Ranks *ranks, const uint8_t *own, unsigned flags, int what, int *is_open) {
    if (what & AREA) {
        if (!(flags & POSITIVE)) {
            for (int lane = 0; lane < LANES; lane++) {
                ranks->block_wins[lane] += (uint32_t)own[lane] * ranks->height[lane];
                ranks->negatives[lane] = (uint16_t)(ranks->negatives[lane] + own[lane]);
            }
        } else if (flags & MIXED) {
            for (int lane = 0; lane < LANES; lane++) {
                ranks->height[lane] = (uint16_t)(ranks->height[lane] + own[lane]);
                ranks->waiting[lane] = (uint16_t)(ranks->waiting[lane] + own[lane]);
            }
        } else {
            for (int lane = 0; lane < LANES; lane++)
                ranks->height[lane] = (uint16_t)(ranks->height[lane] + 2 * own[lane]);
        }
        if ((flags & ENDS) && (flags & MIXED)) {
            if (*is_open) { /* from a block above: its positive cases are counted there */
                settle(ranks);
                for (int lane = 0; lane < LANES; lane++) {
                    ranks->above[lane] += ranks->waiting_above[lane] + ranks->waiting[lane];
                    ranks->waiting_above[lane] = ranks->waiting[lane] = 0;
                }
                *is_open = 0;
            } else {
                for (int lane = 0; lane < LANES; lane++) {
                    ranks->height[lane] = (uint16_t)(ranks->height[lane] + ranks->waiting[lane]);
                    ranks->waiting[lane] = 0;
                }
            }
        }
    }
    if (what & PRECISION) {
        for (int lane = 0; lane < LANES; lane++)
            ranks->all[lane] += own[lane];
        if (flags & POSITIVE)
            for (int lane = 0; lane < LANES; lane++)
                ranks->tied[lane] += own[lane];
        if (flags & ENDS) {
            for (int lane = 0; lane < LANES; lane++) {
                ranks->positives[lane] += ranks->tied[lane];
                const uint32_t all = ranks->all[lane] ? ranks->all[lane] : 1;
                const double precision = (double)(int32_t)ranks->positives[lane] / (double)(int32_t)all;
                ranks->precision[lane] += (double)(int32_t)ranks->tied[lane] * precision;
                ranks->tied[lane] = 0;
            }
        }
    }
}

/* After the lowest row of a block. */
ALWAYS_INLINE void end_block(Ranks *ranks, unsigned lowest, int *is_open) {
    settle(ranks);
    for (int lane = 0; lane < LANES; lane++) {
        ranks->waiting_above[lane] += ranks->waiting[lane];
        ranks->waiting[lane] = 0;
    }
    *is_open = (lowest & MIXED) && !(lowest & ENDS);
}

ALWAYS_INLINE void store(const Ranks *ranks, int what, uint64_t *positives, uint64_t *wins, double *precision) {
    for (int lane = 0; lane < LANES; lane++) {
        positives[lane] = (what & AREA) ? ranks->above[lane] / 2 : ranks->positives[lane];
        wins[lane] = ranks->wins[lane];
        precision[lane] = ranks->precision[lane];
    }
}

ALWAYS_INLINE void rank_sums(int64_t cases, int64_t blocks, const uint8_t *flags, const uint8_t *levels,
                             const uint64_t *atoms, const uint8_t *guide, const uint64_t *keys, const uint32_t *totals, int what,
                             uint64_t *positives, uint64_t *wins, double *precision, uint8_t *weights) {
    Ranks ranks;
    int is_open = 0;
    memset(&ranks, 0, sizeof ranks);
    for (int64_t block = blocks - 1; block >= 0; block--) {
        const int64_t first = start_of(block, cases, blocks), size = start_of(block + 1, cases, blocks) - first;
        fill(EIGHTS, block, first, size, keys, levels, atoms, guide, totals + block * LANES, weights);
        for (int64_t row = size - 1; row >= 0; row--)
            rank_row(&ranks, weights + row * LANES, flags[first + row], what, &is_open);
        if (what & AREA)
            end_block(&ranks, flags[first], &is_open);
    }
    store(&ranks, what, positives, wins, precision);
}

ALWAYS_INLINE void ranked_units(int64_t cases, const uint8_t *flags, const int64_t *rows, const uint8_t *weights, int what,
                                uint64_t *positives, uint64_t *wins, double *precision) {
    Ranks ranks;
    int is_open = 0;
    memset(&ranks, 0, sizeof ranks);
    for (int64_t last = cases; last > 0;) {
        const int64_t first = last > ANY_WEIGHTS ? last - ANY_WEIGHTS : 0;
        for (int64_t row = last - 1; row >= first; row--)
            rank_row(&ranks, weights + rows[row] * LANES, flags[row], what, &is_open);
        if (what & AREA)
            end_block(&ranks, flags[first], &is_open);
        last = first;
    }
    store(&ranks, what, positives, wins, precision);
}

/* Rank sums of cases that have the weights of units: of their clusters, or of cases in another order. */
FOR_EACH_PROCESSOR PUBLIC int howsure_ranked_units(int64_t cases, int64_t units, const uint8_t *flags, const int64_t *rows,
                                                   const uint8_t *weights, int64_t what, uint64_t *positives,
                                                   uint64_t *wins, double *precision) {
    if (cases < 0 || cases > INT32_MAX || what < AREA || what > (AREA | PRECISION))
        return 1;
    for (int64_t row = 0; row < cases; row++)
        if (rows[row] < 0 || rows[row] >= units)
            return 1;
    if (what == AREA)
        ranked_units(cases, flags, rows, weights, AREA, positives, wins, precision);
    else if (what == PRECISION)
        ranked_units(cases, flags, rows, weights, PRECISION, positives, wins, precision);
    else
        ranked_units(cases, flags, rows, weights, AREA | PRECISION, positives, wins, precision);
    return 0;
}

FOR_EACH_PROCESSOR PUBLIC int howsure_rank_sums(int64_t cases, int64_t blocks, const uint8_t *flags,
                                                const uint8_t *levels, const uint64_t *atoms, const uint8_t *guide, const uint64_t *keys,
                                                const uint32_t *totals, int64_t what, uint64_t *positives,
                                                uint64_t *wins, double *precision, uint8_t *weights) {
    if (is_refused(LANES, cases, blocks, totals) || cases > INT32_MAX || what < AREA || what > (AREA | PRECISION))
        return 1;
    /* One body for each question, so that no row is asked what is wanted of it. */
    if (what == AREA)
        rank_sums(cases, blocks, flags, levels, atoms, guide, keys, totals, AREA, positives, wins, precision, weights);
    else if (what == PRECISION)
        rank_sums(cases, blocks, flags, levels, atoms, guide, keys, totals, PRECISION, positives, wins, precision, weights);
    else
        rank_sums(cases, blocks, flags, levels, atoms, guide, keys, totals, AREA | PRECISION, positives, wins, precision,
                  weights);
    return 0;
}
