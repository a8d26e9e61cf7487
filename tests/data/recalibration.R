# Writes recalibration.csv (100 validation cases of the example on the help page of rms::val.prob, with clusters and
# weights added) and recalibration_reference.csv (logistic regressions of R's glm, with variances of sandwich).
# Run with: Rscript recalibration.R     Run last with R 4.2.2 and sandwich 3.0-2 (Debian 12, r-cran-sandwich).
# val.prob's Intercept and Slope are the coefficients of glm(y ~ qlogis(p), binomial); its loess curve is not used here.
suppressMessages(library(sandwich))
set.seed(1)
n <- 200
x1 <- runif(n)
x2 <- runif(n)
x3 <- runif(n)
P <- plogis(2 * (x1 - .5))
y <- ifelse(runif(n) <= P, 1, 0)
cases <- data.frame(x1, x2, x3, y)
f <- glm(y ~ x1 + x2 + x3, binomial, cases[1:100, ], control = list(epsilon = 1e-14))
cases <- cases[101:200, ]
cases$p <- as.numeric(predict(f, cases, type = "response"))
cases$cluster <- rep(1:25, each = 4)
cases$weight <- rep(c(1, 0.5, 2, 1.25), 25)
write.csv(format(cases[c("y", "p", "cluster", "weight")], digits = 17), "recalibration.csv", row.names = FALSE, quote = FALSE)

exact <- list(epsilon = 1e-14, maxit = 100)
rows <- list()
for (weighting in c("none", "weight")) {
  w <- if (weighting == "none") rep(1, 100) else cases$weight
  free <- suppressWarnings(glm(y ~ qlogis(p), quasibinomial, cases, weights = w, control = exact))
  fixed <- suppressWarnings(glm(y ~ 1 + offset(qlogis(p)), quasibinomial, cases, weights = w, control = exact))
  for (metric in c("slope", "free", "fixed")) {
    fit <- if (metric == "fixed") fixed else free
    place <- if (metric == "slope") 2 else 1
    error <- function(variance) sqrt(variance[place, place])
    rows[[length(rows) + 1]] <- data.frame(
      metric = metric, weighting = weighting, value = coef(fit)[place],
      robust = error(sandwich(fit)), clustered = error(vcovCL(fit, cases$cluster, type = "HC0", cadjust = FALSE)),
      model = if (weighting == "none") error(summary(fit, dispersion = 1)$cov.scaled) else NA
    )
  }
}
write.csv(format(do.call(rbind, rows), digits = 15), "recalibration_reference.csv", row.names = FALSE, quote = FALSE)

# A flexible calibration curve: natural splines of the logit, with the knots of Harrell (2015), table 2.3. A restricted
# cubic spline spans the same functions.
library(splines)
shares <- list(`3` = c(.1, .5, .9), `4` = c(.05, .35, .65, .95), `5` = c(.05, .275, .5, .725, .95))
rows <- lapply(names(shares), function(knots) {
  places <- unname(quantile(qlogis(cases$p), shares[[knots]], type = 1))
  inner <- places[-c(1, length(places))]
  fit <- glm(y ~ ns(qlogis(p), knots = inner, Boundary.knots = range(places)), binomial, cases, control = exact)
  basis <- model.matrix(fit)
  data.frame(knots = knots, p = cases$p, fitted = fitted(fit), robust = sqrt(rowSums((basis %*% sandwich(fit)) * basis)))
})
write.csv(format(do.call(rbind, rows), digits = 15), "recalibration_curves.csv", row.names = FALSE, quote = FALSE)
