# Writes asah_pairs.csv: DeLong's tests of pROC for pairs of markers of the aSAH data (see asah.R).
# Run with: Rscript asah_pairs.R     Run last with R 4.2.2 and pROC 1.18.0 (Debian 12, package r-cran-proc).
library(pROC, quietly = TRUE, warn.conflicts = FALSE)
data(aSAH)
aSAH$wfns <- as.integer(aSAH$wfns)
curve <- function(marker) roc(aSAH$outcome, aSAH[[marker]], levels = c("Good", "Poor"), direction = "<")
pairs <- list(c("s100b", "wfns"), c("s100b", "ndka"), c("wfns", "ndka"))
rows <- lapply(pairs, function(pair) {
  a <- curve(pair[1])
  b <- curve(pair[2])
  paired <- roc.test(a, b, method = "delong", paired = TRUE)
  separate <- suppressWarnings(roc.test(a, b, method = "delong", paired = FALSE))
  data.frame(
    first = pair[1], second = pair[2], z = unname(paired$statistic), p_value = paired$p.value,
    low = paired$conf.int[1], high = paired$conf.int[2], d = unname(separate$statistic), df = unname(separate$parameter), p_separate = separate$p.value
  )
})
write.csv(format(do.call(rbind, rows), digits = 15), "asah_pairs.csv", row.names = FALSE, quote = FALSE)
