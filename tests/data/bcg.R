# Writes bcg.csv (13 trials of the BCG vaccine against tuberculosis; metafor's data set dat.bcg, from Colditz et al., 1994,
# JAMA 271(9), 698-702) and bcg_reference.csv (what metafor makes of their log risk ratios).
# Run with: Rscript bcg.R     Run last with R 4.2.2 and metafor 3.8-1 (Debian 12, package r-cran-metafor).
# metafor: Viechtbauer (2010), Journal of Statistical Software 36(3), under GPL (>= 2).
suppressMessages(library(metafor))
data <- escalc(measure = "RR", ai = tpos, bi = tneg, ci = cpos, di = cneg, data = dat.bcg)
write.csv(dat.bcg[c("author", "year", "tpos", "tneg", "cpos", "cneg")], "bcg.csv", row.names = FALSE, quote = FALSE)

exact <- list(threshold = 1e-14, maxiter = 10000, tol = 1e-14)
rows <- list()
for (set in c("all", "first four", "four others")) {
  part <- switch(set, all = data, `first four` = data[1:4, ], `four others` = data[c(2, 3, 9, 13), ])
  for (method in c("FE", "DL", "PM", "REML")) {
    for (test in c("z", "knha")) {
      fit <- suppressWarnings(rma(yi, vi, data = part, method = method, test = test, level = 95, control = exact))
      profile <- if (method == "FE") NULL else confint(fit, control = list(tol = 1e-14, maxiter = 10000))$random
      prediction <- if (method == "FE") NULL else predict(fit, pi.type = "riley")
      at <- function(table, row, column) if (is.null(table)) NA else table[row, column]
      rows[[length(rows) + 1]] <- data.frame(
        set = set, method = method, test = test, value = fit$b[1], standard_error = fit$se,
        low = fit$ci.lb, high = fit$ci.ub, tau2 = fit$tau2, i2 = fit$I2 / 100, h2 = fit$H2,
        q = fit$QE, q_p_value = fit$QEp,
        tau2_low = at(profile, 1, 2), tau2_high = at(profile, 1, 3),
        i2_low = at(profile, 3, 2) / 100, i2_high = at(profile, 3, 3) / 100,
        h2_low = at(profile, 4, 2), h2_high = at(profile, 4, 3),
        prediction_low = if (is.null(prediction)) NA else prediction$pi.lb,
        prediction_high = if (is.null(prediction)) NA else prediction$pi.ub,
        first_weight = weights(fit)[1] / 100
      )
    }
  }
}
write.csv(format(do.call(rbind, rows), digits = 15, trim = TRUE), "bcg_reference.csv", row.names = FALSE, quote = FALSE)
