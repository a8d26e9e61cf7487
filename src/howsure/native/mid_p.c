/* Mid-p limits of proportions. See `mid_p.py`. */
#include "arithmetic.h"

#include <math.h>

static const int64_t MOST_STEPS = 60, MOST_TERMS = 1000000;
static const double ENOUGH = 1e-9, NEGLIGIBLE = 1e-11, MOST_BENT = 0.5, LEAST_START = 0.3; /* as in `binomial_tail.py` */

/* log n! - log(√(2πn) (n/e)ⁿ): Stirling's series of n + k, less what the k factors from n + 1 on change. */
static double stirling_error(double n) {
    double product = 1, m = n;
    while (m < 16)
        product *= m += 1;
    const double square = m * m;
    const double series = (1. / 12 - (1. / 360 - (1. / 1260 - (1. / 1680 - 1. / 1188 / square) / square) / square) / square) / m;
    return m == n ? series : series + (m + 0.5) * log_of(m) - m - log_of(product) - (n + 0.5) * log_of(n) + n;
}

/* P(X >= x) / P(X = x) of n = x + y trials, by the continued fraction of the incomplete beta function of a = x and
 * b = y + 1 (DLMF 8.17.22) with denominators a + k and whole numerators, by its forward recurrence. */
static double terms_from(double x, double y, double p) {
    const double a = x, b = y + 1;
    double above = a, above_before = 1, below = 1, below_before = 0;
    for (int64_t m = 0; m < MOST_TERMS; m++) {
        double numerator = -(a + m) * (a + b + m) * p, denominator = a + 2 * m + 1, next;
        next = denominator * above + numerator * above_before, above_before = above, above = next;
        next = denominator * below + numerator * below_before, below_before = below, below = next;
        numerator = (m + 1) * (b - m - 1) * p, denominator = a + 2 * m + 2;
        next = denominator * above + numerator * above_before, above_before = above, above = next;
        next = denominator * below + numerator * below_before, below_before = below, below = next;
        const double change = above * below_before - above_before * below;
        if (fabs(change) <= 1e-14 * fabs(above * below_before))
            break;
        if (fabs(above) > 1e100 || fabs(below) > 1e100)
            above *= 1e-100, above_before *= 1e-100, below *= 1e-100, below_before *= 1e-100;
    }
    return (1 - p) * a * below / above;
}

/* log P(X = x) where p is x / n. */
static double log_largest(double x, double y) {
    const double n = x + y;
    return stirling_error(n) - stirling_error(x) - stirling_error(y) + log_of(n / (6.283185307179586 * x * y)) / 2;
}

/* The log odds of the p at which the mean of P(X >= x) and P(X > x) is the tail, by Halley's method from Wilson's limit
 * with a correction for skewness. */
static double odds_of(double x, double y, double log_tail, double z, double constant) {
    const double n = x + y, square = z * z, log_share = log_of(x / n), log_rest = log_of(y / n);
    double odds = 0, start = x;
    for (int twice = 0; twice < 2; twice++) {
        const double half = sqrt(square * (start * (n - start) / n + square / 4));
        odds = log_of((start + square / 2 - half) / (n - start + square / 2 + half));
        start = x - (2 / (1 + exp_within(odds)) - 1) * (square - 1) / 6;
        start = start < LEAST_START * x ? LEAST_START * x : start > (x + n) / 2 ? (x + n) / 2 : start;
    }
    for (int64_t number = 0; number < MOST_STEPS; number++) {
        odds = odds < -700 ? -700 : odds > 700 ? 700 : odds;
        const double ratio = exp_within(odds), p = ratio / (1 + ratio), one = 1 + ratio;
        const double more = one == 1 ? ratio : log_of(one) * (ratio / (one - 1)); /* -log(1 - p) */
        const double mean = terms_from(x, y, p) - 0.5; /* over P(X = x) */
        const double place = constant - x * (log_share - odds + more) - y * (log_rest + more) + log_of(mean) - log_tail;
        const double beyond = 1 / mean, half = x / 2 + p * (n / 2 - x), slope = beyond * half;
        const double bent = beyond * ((x - n * p) * half + p * (1 - p) * (n / 2 - x)) - slope * slope;
        const double newton = place / slope, bend = place * bent / (2 * slope * slope), curved = fabs(bend);
        const double step = curved < MOST_BENT ? newton / (1 - bend) : newton;
        odds -= step;
        const double square_left = bend * bend > step * step ? bend * bend : step * step;
        if (!(fabs(step) > ENOUGH && fabs(step) * (curved < MOST_BENT ? square_left : 1) > NEGLIGIBLE))
            break;
    }
    return odds < -700 ? -700 : odds > 700 ? 700 : odds;
}

/* 1 - exp(x) of a number of at most 0, to full relative precision. */
static double less_exp(double x) {
    const double u = exp_of(x);
    return u == 1 ? -x : u < 0.5 ? 1 - u : (1 - u) * x / log_of(u);
}

/* `settings` are the tail and the upper normal quantile for it. Counts below 0.01 other than zero are not taken. */
FOR_EACH_PROCESSOR PUBLIC int howsure_mid_p(int64_t size, const double *restrict successes, const double *restrict trials,
                                            const double *restrict settings, double *restrict low, double *restrict high) {
    const double tail = settings[0], z = settings[1];
    if (size < 0 || !(tail > 1e-300 && tail < 0.5) || !(z > 0 && z < 40))
        return 1;
    const double log_tail = log_of(tail);
    for (int64_t i = 0; i < size; i++) {
        const double x = successes[i], n = trials[i], y = n - x;
        if (!(n > 0) || x != x) {
            low[i] = high[i] = (double)NAN;
            continue;
        }
        if (!(n < 1e15) || (x > 0 && x < 0.01) || (y > 0 && y < 0.01))
            return 1;
        if (x > 0 && y > 0) {
            const double largest = log_largest(x, y);
            low[i] = 1 / (1 + exp_within(-odds_of(x, y, log_tail, z, largest)));
            high[i] = 1 / (1 + exp_within(odds_of(y, x, log_tail, z, largest)));
        } else { /* p**n / 2 is the tail */
            const double agreed = (log_tail + 0.6931471805599453) / n;
            low[i] = x <= 0 ? 0 : exp_of(agreed), high[i] = x <= 0 ? less_exp(agreed) : 1;
        }
        const double share = x / n;
        low[i] = low[i] > share ? share : low[i];
        high[i] = high[i] < share ? share : high[i];
    }
    return 0;
}
