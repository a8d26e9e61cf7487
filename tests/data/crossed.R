# Writes crossed.csv, an unbalanced table of two crossed factors from formulas, and crossed_reference.csv: the two-way
# clustered variances of `sandwich` and those of each factor and of their combinations.
# Run with: Rscript crossed.R     Run last with R 4.2.2 and sandwich 3.0.2 (Debian 12, package r-cran-sandwich).
library(sandwich)
row <- 0:149
data <- data.frame(reader = (7 * row + row %/% 11) %% 6, case = (5 * row + row %/% 9) %% 25)
ease <- sin(3 * data$reader + 1) + 1.5 * cos(2 * data$case)
data$truth <- as.integer((data$case * 7) %% 5 < 2)
data$said <- ifelse(ease + sin(row^2) > -0.4, data$truth, 1 - data$truth)
data$other <- ifelse(ease + cos(row^2) > -0.9, data$truth, 1 - data$truth)
data$number <- round(ease + 0.5 * sin(row^2), 6)
data$weight <- round(1 + 0.8 * sin(5 * row), 6)
stopifnot(any(duplicated(data[c("reader", "case")])), nrow(unique(data[c("reader", "case")])) < 150)
write.csv(data, "crossed.csv", row.names = FALSE, quote = FALSE)

right <- as.integer(data$said == data$truth)
models <- list(
  "mean" = lm(number ~ 1, data),
  "accuracy" = lm(right ~ 1, data),
  "weighted accuracy" = lm(right ~ 1, data, weights = weight),
  "difference of accuracy" = lm(right - (other == truth) ~ 1, data)
)
rows <- lapply(names(models), function(name) {
  model <- models[[name]]
  of <- function(cluster, ...) vcovCL(model, cluster = cluster, type = "HC0", ...)[1, 1]
  both <- data[c("reader", "case")]
  data.frame(
    name = name, value = coef(model)[[1]], both = of(both), unadjusted = of(both, cadjust = FALSE),
    multi0 = of(both, multi0 = TRUE), reader = of(data$reader), case = of(data$case),
    combination = of(interaction(both, drop = TRUE))
  )
})
write.csv(format(do.call(rbind, rows), digits = 15), "crossed_reference.csv", row.names = FALSE, quote = FALSE)
