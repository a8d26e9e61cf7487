/* Uniform numbers from words, logarithms and exponentials, the same bits with every compiler. See `arithmetic.py`. */
#ifndef HOWSURE_ARITHMETIC_H
#define HOWSURE_ARITHMETIC_H

#include "kernels.h"

static const uint64_t ONE = 0x3FF0000000000000u, TWO_52 = 0x4330000000000000u, SIGN = 0x8000000000000000u;
static const uint64_t FRACTION = 0x000FFFFFFFFFFFFFu, ROOT_HALF = 0x3FE6A09E00000000u;
static const double LN2_HIGH = 6.93147180369123816490e-01, LN2_LOW = 1.90821492927058770002e-10;

/* A number between 0 and 1 from the upper 52 bits of a word, or from its upper 32. */
ALWAYS_INLINE double uniform(uint64_t word) { return double_of(word >> 12 | ONE) - (1 - 0x1p-53); }
ALWAYS_INLINE double coarse_uniform(uint64_t word) { return double_of(word >> 32 << 20 | ONE) - (1 - 0x1p-33); }

/* Of a positive normal number; fdlibm's polynomial. */
ALWAYS_INLINE double log_of(double x) {
    const uint64_t bits = bits_of(x) + (ONE - ROOT_HALF);
    const double power = double_of(bits >> 52 | TWO_52) - (0x1p52 + 1023);
    const double f = double_of((bits & FRACTION) + ROOT_HALF) - 1, half = 0.5 * f * f;
    const double s = f / (2 + f), z = s * s, w = z * z;
    const double even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    const double odd = z * (6.666666666666735130e-01 + w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 +
                                                                                       w * 1.479819860511658591e-01)));
    return s * (half + (odd + even)) + power * LN2_LOW - half + f + power * LN2_HIGH;
}

ALWAYS_INLINE double nearest_whole(double x) { return (x + 0x1.8p52) - 0x1.8p52; }
ALWAYS_INLINE double power_of_two(double power) { return double_of((bits_of(power + (0x1p52 + 1023)) & FRACTION) << 52); }

/* The exponential of what is left of a number without so many logarithms of two; fdlibm's polynomial. */
ALWAYS_INLINE double exp_without(double power, double x) {
    const double high = x - power * LN2_HIGH, low = power * LN2_LOW, r = high - low, z = r * r;
    const double tail = 1.65339022054652515390e-06 - z * 4.13813679705723846039e-08;
    const double c = r - z * (1.66666666666666019037e-01 -
                              z * (2.77777777770155933842e-03 - z * (6.61375632143793436117e-05 - z * tail)));
    return 1 + (r * c / (2 - c) - low + high);
}

/* Of a number of at most 0. */
ALWAYS_INLINE double exp_of(double x) {
    x = x < -750 ? -750 : x;
    const double power = nearest_whole(x * 1.44269504088896338700);
    const double some = power < -1000 ? -1000 : power; /* a double has no power of two below 2^-1022 in its exponent */
    return exp_without(power, x) * power_of_two(some) * power_of_two(power - some);
}

/* Of a number from -700 to 700. */
ALWAYS_INLINE double exp_within(double x) {
    const double power = nearest_whole(x * 1.44269504088896338700);
    return exp_without(power, x) * power_of_two(power);
}

#endif
