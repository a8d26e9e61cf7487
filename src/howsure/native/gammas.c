/* Gamma draws. See `gammas.py`: the same operations in the same order, so that both give the same bits. */
#include "arithmetic.h"

#include <string.h>

enum { PAIRS = 32, LANES = 64, FEW = 4, WIDEST = 8 };

/* Two normal draws from two words (Box, Muller 1958). */
ALWAYS_INLINE void normals(uint64_t first, uint64_t second, double *one, double *other) {
    const double radius = __builtin_sqrt(-2 * log_of(uniform(first)));
    const double angle = (uniform(second << 2) - 0.5) * 1.57079632679489661923, z = angle * angle;
    const double sine = angle + angle * z * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 +
                        z * (-1.98412698298579493134e-04 + z * (2.75573137070700676789e-06 +
                        z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
    const double cosine = 1 - 0.5 * z + z * z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 +
                          z * (2.48015872894767294178e-05 + z * (-2.75573143513906633035e-07 +
                          z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
    const uint64_t sign = second << 1 & SIGN, swap = 0 - (second >> 63), changed = (bits_of(sine) ^ bits_of(cosine)) & swap;
    *one = radius * double_of((bits_of(cosine) ^ changed) ^ sign);
    *other = radius * double_of((bits_of(sine) ^ changed) ^ sign);
}

typedef struct {
    double d, c, squeeze;
} Shape;

/* Marsaglia and Tsang's test (2000): log(u) < x²/2 + d - dv + d log v. With v = (1 + t)³ the right side is 3d times the
 * logarithm of 1 + t less the first three terms of its series, which does not cancel. */
static int is_taken(const Shape *shape, double t, double u) {
    double rest = 0;
    if (!(t > -1))
        return 0;
    if (t > -0.125 && t < 0.125) {
        for (int power = 16; power > 3; power--)
            rest = ((power % 2) ? 1.0 : -1.0) / power + t * rest;
        rest *= t * t * t * t;
    } else
        rest = log_of(1 + t) - t + t * t / 2 - t * t * t / 3;
    return log_of(u) < 3 * shape->d * rest;
}

/* A draw of which the squeeze decided nothing, and if it is refused, those that follow in a stream of its own. */
static double decided(const Shape *shape, double t, double u, uint64_t key) {
    double other;
    for (uint64_t index = 0; !is_taken(shape, t, u); index += 3) {
        normals(word_at(key, index), word_at(key, index + 1), &t, &other);
        t *= shape->c;
        u = uniform(word_at(key, index + 2));
    }
    t += 1;
    return shape->d * (t * t * t);
}

ALWAYS_INLINE void block_of(const Shape *shape, uint64_t key, uint64_t repairs, int64_t first, int lanes, double *drawn) {
    double t[LANES], u[LANES];
    uint8_t open[LANES];
    const uint64_t from = stream_at(key, (uint64_t)first / 2 * 3);
    const uint64_t second = stream_at(from, PAIRS), last = stream_at(from, 2 * PAIRS);
    for (int pair = 0; pair < PAIRS; pair++) {
        const uint64_t third = word_at(last, (uint64_t)pair);
        normals(word_at(from, (uint64_t)pair), word_at(second, (uint64_t)pair), t + pair, t + PAIRS + pair);
        u[pair] = coarse_uniform(third);
        u[PAIRS + pair] = coarse_uniform(third << 32);
    }
    for (int lane = 0; lane < LANES; lane++) {
        const double x = t[lane], square = x * x, own = shape->c * x, v = 1 + own;
        const double size = double_of(bits_of(own) & ~SIGN);
        drawn[lane] = shape->d * (v * v * v);
        t[lane] = own;
        open[lane] = !((size <= 0.5) & (u[lane] + shape->squeeze * (square * square) < 1));
    }
    for (int lane = 0; lane < lanes; lane++)
        if (open[lane])
            drawn[lane] = decided(shape, t[lane], u[lane], word_at(repairs, (uint64_t)(first + lane)));
}

ALWAYS_INLINE int lanes_from(int64_t first, int64_t draws) { return draws - first < LANES ? (int)(draws - first) : LANES; }

/* As many lanes as fill whole vectors, and none that nobody asked for. */
ALWAYS_INLINE int filled(int lanes) { return (lanes + WIDEST - 1) / WIDEST * WIDEST; }

/* Draws of a small whole shape: sums of so many exponential draws. */
ALWAYS_INLINE void whole_row(int shape, uint64_t key, int64_t draws, double *found) {
    double drawn[LANES];
    for (int64_t first = 0; first < draws; first += LANES) {
        const int lanes = lanes_from(first, draws), upto = filled(lanes);
        uint64_t from = stream_at(key, (uint64_t)(first * shape));
        for (int lane = 0; lane < upto; lane++)
            drawn[lane] = uniform(word_at(from, (uint64_t)lane));
        for (int turn = 1; turn < shape; turn++) {
            from = stream_at(from, LANES);
            for (int lane = 0; lane < upto; lane++)
                drawn[lane] *= uniform(word_at(from, (uint64_t)lane));
        }
        for (int lane = 0; lane < upto; lane++)
            drawn[lane] = -log_of(drawn[lane]);
        memcpy(found + first, drawn, (size_t)lanes * sizeof(double));
    }
}

/* Draws of any shape above zero. */
ALWAYS_INLINE void any_row(double shape, uint64_t key, int64_t draws, double *found) {
    double drawn[LANES];
    const uint64_t repairs = word_at(key, UINT64_MAX - 1), boosts = word_at(key, UINT64_MAX - 2);
    const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / __builtin_sqrt(9 * d), inverse = 1 / shape;
    const Shape own = {d, c, c * c / 6};
    for (int64_t first = 0; first < draws; first += LANES) {
        const int lanes = lanes_from(first, draws), upto = filled(lanes);
        block_of(&own, key, repairs, first, lanes, drawn);
        if (shape < 1) {
            const uint64_t from = stream_at(boosts, (uint64_t)first);
            for (int lane = 0; lane < upto; lane++)
                drawn[lane] *= exp_of(log_of(uniform(word_at(from, (uint64_t)lane))) * inverse);
        }
        memcpy(found + first, drawn, (size_t)lanes * sizeof(double));
    }
}

FOR_EACH_PROCESSOR PUBLIC int howsure_gammas(int64_t cells, int64_t draws, const double *shapes, const uint64_t *key,
                                             double *found) {
    if (cells < 0 || draws < 0)
        return 1;
    for (int64_t cell = 0; cell < cells; cell++)
        if (!(shapes[cell] >= 0 && shapes[cell] < 0x1p1023))
            return 1;
    for (int64_t cell = 0; cell < cells; cell++) {
        const double shape = shapes[cell];
        const uint64_t own = word_at(*key, (uint64_t)cell);
        double *row = found + cell * draws;
        if (shape == 0)
            memset(row, 0, (size_t)draws * sizeof(double));
        else if (shape == 1 || shape == 2 || shape == 3 || shape == FEW)
            whole_row((int)shape, own, draws, row);
        else
            any_row(shape, own, draws, row);
    }
    return 0;
}
