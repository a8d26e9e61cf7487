# Writes asah.csv (113 patients of R's package pROC, data set `aSAH`) and asah_reference.csv (what pROC makes of them).
# Run with: Rscript asah.R     Run last with R 4.2.2 and pROC 1.18.0 (Debian 12, package r-cran-proc).
# Data: Turck et al. (2010), Intensive Care Medicine 36(1), 107-115, doi:10.1007/s00134-009-1641-y;
# published with pROC: Robin et al. (2011), BMC Bioinformatics 12, 77. pROC is under GPL (>= 3).
library(pROC, quietly = TRUE, warn.conflicts = FALSE)
data(aSAH)
columns <- aSAH[, c("outcome", "s100b", "ndka")]
columns$wfns <- as.integer(aSAH$wfns)
write.csv(columns, "asah.csv", row.names = FALSE, quote = FALSE)
rows <- lapply(c("s100b", "ndka", "wfns"), function(marker) {
  curve <- roc(columns$outcome, columns[[marker]], levels = c("Good", "Poor"), direction = "<")
  interval <- ci.auc(curve, method = "delong")
  partial <- function(correct) {
    as.numeric(auc(curve, partial.auc = c(1, 0.9), partial.auc.focus = "specificity", partial.auc.correct = correct))
  }
  data.frame(
    marker = marker, auc = as.numeric(auc(curve)), low = interval[1], high = interval[3],
    variance = var(curve, method = "delong"), partial = partial(FALSE), partial_standardised = partial(TRUE),
    obuchowski = var(curve, method = "obuchowski")
  )
})
write.csv(format(do.call(rbind, rows), digits = 15), "asah_reference.csv", row.names = FALSE, quote = FALSE)
