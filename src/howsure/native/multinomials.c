/* Multinomial draws by binomial splits. See `multinomials.py`: the same operations in the same order, so that both give
 * the same bits. */
#include "arithmetic.h"

enum { LANES = 256, FEW = 10, MOST = 64, AT_ONCE = 4, TABLED = 16 };

static const double REST[TABLED] = {
    0.37066656260680547, 9.95281578325499e-06, 5.440677764157082e-08, 1.5831229190135015e-09,
    1.0808923500992886e-10, 1.2430959306320903e-11, 2.0334379126346562e-12, 4.288120504660531e-13,
    1.0954179265147779e-13, 3.250657135183691e-14, 1.0879481261312644e-14, 4.018883481641379e-15,
    1.6121034845082557e-15, 6.934473875634056e-16, 3.1671423617835447e-16, 1.523728918214902e-16,
};

typedef struct {
    double p, log_q;
} Split;

/* Binomial draws of small mean by inversion; of others, 0. */
ALWAYS_INLINE void inverted(const Split *split, uint64_t key, int64_t first, int lanes, const double *m, double *drawn) {
    double left[LANES], chance[LANES];
    const double odds = split->p / (1 - split->p);
    const uint64_t stream = word_at(key, 0);
    int going = 1;
    for (int lane = 0; lane < lanes; lane++) {
        left[lane] = m[lane] * split->p < FEW ? uniform(word_at(stream, 2 * (uint64_t)(first + lane))) : 0;
        chance[lane] = exp_of(m[lane] * split->log_q);
        drawn[lane] = 0;
    }
    for (int k = 0; going && k < MOST; k += AT_ONCE) {
        double factor[AT_ONCE];
        for (int step = 0; step < AT_ONCE; step++)
            factor[step] = odds / (k + step + 1);
        going = 0;
        for (int lane = 0; lane < lanes; lane++) {
            double rest = left[lane], f = chance[lane], number = drawn[lane];
            for (int step = 0; step < AT_ONCE; step++) {
                rest -= f;
                number += rest > 0 ? 1 : 0;
                f *= (m[lane] - (k + step)) * factor[step];
            }
            left[lane] = rest;
            chance[lane] = f;
            drawn[lane] = number;
            going |= rest > 0;
        }
    }
    for (int lane = 0; lane < lanes; lane++)
        drawn[lane] = drawn[lane] < m[lane] ? drawn[lane] : m[lane];
}

/* (1 + t) log(1 + t) - t, which does not cancel for small t. */
ALWAYS_INLINE double gap_of(double t) {
    const double series = 1.0 / 2 - t * (1.0 / 6 - t * (1.0 / 12 - t * (1.0 / 20 - t * (1.0 / 30 - t * (1.0 /
                          42 - t * (1.0 / 56 - t * (1.0 / 72 - t * (1.0 / 90 - t * (1.0 / 110 - t * (1.0 / 132
                          - t * (1.0 / 156 - t * (1.0 / 182 - t * (1.0 / 210 - t * (1.0 / 240))))))))))))));
    const double size = double_of(bits_of(t) & ~SIGN), far = (1 + t) * log_of(1 + t) - t;
    return size < 0.125 ? t * t * series : far;
}

/* log k! less its approximation by (k + 1/2) log(k + 1/2) - (k + 1/2) + log(2 pi) / 2, and what this lacks for small k. */
ALWAYS_INLINE double tail_of(double k) {
    const double x = 1 / (k + 0.5), z = x * x;
    return x * (-1.0 / 24 + z * (7.0 / 2880 + z * (-31.0 / 40320 + z * (127.0 / 215040 + z * (-511.0 / 608256)))));
}
ALWAYS_INLINE double rest_of(double k) { return k < TABLED ? REST[(int)k] : 0; }

/* k, or the end of 0 to n that it is beyond. */
ALWAYS_INLINE double within(double k, double n) {
    const double low = k > 0 ? k : 0;
    return low < n ? low : n;
}

/* Binomial draws of larger mean, of the lanes in a list: Hörmann's transformed rejection (1993). */
ALWAYS_INLINE void rejected(const Split *split, uint64_t key, int64_t first, int32_t *list, int number, const double *m,
                            double *drawn) {
    const double p = split->p, q = 1 - p;
    double total[LANES], end[LANES], v[LANES], k[LANES], rest[LANES];
    uint8_t open[LANES];
    for (uint64_t turn = 0; number; turn++) {
        const uint64_t stream = word_at(key, turn);
        int opened = 0, left = 0;
        for (int i = 0; i < number; i++) {
            const uint64_t place = 2 * (uint64_t)(first + list[i]);
            const double n = m[list[i]], mean = n * p, u = uniform(word_at(stream, place)) - 0.5;
            const double b = 1.15 + 2.53 * __builtin_sqrt(mean * q), a = -0.0873 + 0.0248 * b + 0.01 * p;
            total[i] = n;
            v[i] = uniform(word_at(stream, place + 1));
            end[i] = 0.5 - double_of(bits_of(u) & ~SIGN);
            k[i] = __builtin_floor((2 * a / end[i] + b) * u + (mean + 0.5));
            open[i] = !((end[i] >= 0.07) & (v[i] <= 0.92 - 4.2 / b));
        }
        for (int i = 0; i < number; i++) { /* those that are open come first */
            drawn[list[i]] = k[i];
            list[opened] = list[i];
            total[opened] = total[i];
            v[opened] = v[i];
            end[opened] = end[i];
            k[opened] = k[i];
            opened += open[i];
        }
        for (int i = 0; i < opened; i++) {
            const double some = within(k[i], total[i]);
            rest[i] = rest_of(some) + rest_of(total[i] - some);
        }
        for (int i = 0; i < opened; i++) {
            const double n = total[i], b = 1.15 + 2.53 * __builtin_sqrt(n * p * q), a = -0.0873 + 0.0248 * b + 0.01 * p;
            const double hat = (2.83 + 5.1 / b) * __builtin_sqrt(n * p * q) / (a / (end[i] * end[i]) + b);
            const double some = within(k[i], n), s = n + 1, ps = p * s, qs = q * s, d = some + 0.5 - ps, x = 1 / s, z = x * x;
            const double whole = x * (1.0 / 12 + z * (-1.0 / 360 + z * (1.0 / 1260 + z * (-1.0 / 1680))));
            const double fits = whole - rest[i] - (tail_of(some) + tail_of(n - some)) - (ps * gap_of(d / ps) + qs * gap_of(-d / qs));
            open[i] = !((some == k[i]) & (log_of(v[i] * hat) <= fits));
        }
        for (int i = 0; i < opened; i++) {
            list[left] = list[i];
            left += open[i];
        }
        number = left;
    }
}

/* The smaller part of each total. */
ALWAYS_INLINE void parts_of(const Split *split, uint64_t key, int64_t first, int lanes, const double *m, double *drawn) {
    int32_t list[LANES];
    int number = 0;
    for (int lane = 0; lane < lanes; lane++) {
        list[number] = lane;
        number += m[lane] * split->p >= FEW;
    }
    if (number < lanes)
        inverted(split, key, first, lanes, m, drawn);
    rejected(split, key, first, list, number, m, drawn);
}

FOR_EACH_PROCESSOR PUBLIC int howsure_multinomials(int64_t cells, int64_t draws, int64_t splits, const int64_t *starts,
                                                   const int64_t *middles, const double *shares, const double *logs,
                                                   const uint8_t *turned, const double *total, const uint64_t *key,
                                                   double *found) {
    if (cells < 0 || draws < 0 || splits < 0 || !(*total >= 0 && *total < 0x1p53))
        return 1;
    for (int64_t each = 0; each < splits; each++)
        if (!(starts[each] >= 0 && starts[each] < middles[each] && middles[each] < cells && shares[each] >= 0 &&
              shares[each] <= 0.5 && logs[each] <= 0))
            return 1;
    for (int64_t draw = 0; cells > 0 && draw < draws; draw++)
        found[draw] = *total;
    for (int64_t first = 0; first < draws; first += LANES) {
        const int lanes = draws - first < LANES ? (int)(draws - first) : LANES;
        for (int64_t each = 0; each < splits; each++) {
            const Split split = {shares[each], logs[each]};
            double *one = found + starts[each] * draws + first, *other = found + middles[each] * draws + first;
            const int turn = turned[each];
            double drawn[LANES] = {0};
            if (split.p > 0)
                parts_of(&split, word_at(*key, (uint64_t)middles[each]), first, lanes, one, drawn);
            for (int lane = 0; lane < lanes; lane++) {
                const double more = one[lane] - drawn[lane];
                one[lane] = turn ? more : drawn[lane];
                other[lane] = turn ? drawn[lane] : more;
            }
        }
    }
    return 0;
}
