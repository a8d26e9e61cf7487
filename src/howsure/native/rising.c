/* Isotonic regression of shares. See `rising.py`. */
#include "kernels.h"

/* Pool adjacent violators: blocks of scores with the same share, each merged with what it is not below. A block begins
 * where it says; the memory of the shares holds the blocks' own first, which are no more than the scores. */
PUBLIC int howsure_rising_shares(int64_t curves, int64_t scores, const double *counts, double *shares, double *weights,
                                 int64_t *starts) {
    if (curves < 0 || scores < 1)
        return 1;
    for (int64_t curve = 0; curve < curves; curve++, counts += 2 * scores, shares += scores) {
        int64_t filled = 0, block = 0;
        for (int64_t score = 0; score < scores; score++) {
            const double positives = counts[2 * score + 1], mass = counts[2 * score] + positives;
            if (mass > 0.0) {
                shares[filled] = positives / mass;
                weights[filled] = mass;
                starts[filled++] = score;
            }
        }
        if (!filled)
            return 1;
        for (int64_t next = 1; next < filled; next++) {
            double share = shares[next], weight = weights[next];
            starts[++block] = starts[next];
            if (shares[block - 1] >= share) {
                block--;
                double sum = weights[block] * shares[block] + weight * share;
                weight += weights[block];
                share = sum / weight;
                while (next + 1 < filled && share >= shares[next + 1]) {
                    next++;
                    sum += weights[next] * shares[next];
                    weight += weights[next];
                    share = sum / weight;
                }
                while (block > 0 && shares[block - 1] >= share) {
                    block--;
                    sum += weights[block] * shares[block];
                    weight += weights[block];
                    share = sum / weight;
                }
            }
            shares[block] = share;
            weights[block] = weight;
        }
        starts[0] = 0;
        for (int64_t end = scores; block >= 0; end = starts[block--]) {
            const double share = shares[block];
            for (int64_t score = starts[block]; score < end; score++)
                shares[score] = share;
        }
    }
    return 0;
}
