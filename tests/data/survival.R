# Writes survival.csv (90 simulated patients with tied times and scores) and survival_reference.csv (Harrell's C and its
# standard error by survival::concordance: Therneau, R package, under LGPL (>= 2)).
# Run with: Rscript survival.R     Run last with R 4.2.2 and survival 3.5-3 (Debian 12, package r-cran-survival).
suppressMessages(library(survival))
set.seed(20261127)
n <- 90
first <- round(rnorm(n), 1)
second <- round(0.5 * first + rnorm(n), 1)
time <- ceiling(8 * rexp(n) * exp(-0.8 * first))
event <- rbinom(n, 1, 0.65)
weight <- sample(1:4, n, replace = TRUE)
clinic <- sample(1:18, n, replace = TRUE)
data <- data.frame(time, event, first, second, weight, clinic)
write.csv(data, "survival.csv", row.names = FALSE, quote = FALSE)

of <- function(name, found) {
  data.frame(name = name, value = found$concordance[1], standard_error = sqrt(found$var[1, 1]),
             concordant = found$count[[1]], discordant = found$count[[2]], tied = found$count[[3]])
}
y <- Surv(time, event)
wrapped <- function(found) { found$var <- as.matrix(found$var); found }
rows <- list(
  of("first", wrapped(concordance(y ~ first, reverse = TRUE))),
  of("second", wrapped(concordance(y ~ second, reverse = TRUE))),
  of("weighted", wrapped(concordance(y ~ first, weights = weight, reverse = TRUE))),
  of("clustered", wrapped(concordance(y ~ first, cluster = clinic, reverse = TRUE))),
  of("weighted and clustered", wrapped(concordance(y ~ first, weights = weight, cluster = clinic, reverse = TRUE)))
)
both <- concordance(coxph(y ~ first), coxph(y ~ second))  # both coefficients are positive
stopifnot(coef(coxph(y ~ first)) > 0, coef(coxph(y ~ second)) > 0)
contrast <- c(1, -1)
rows[[6]] <- data.frame(name = "difference", value = sum(contrast * both$concordance),
                        standard_error = sqrt(drop(contrast %*% both$var %*% contrast)),
                        concordant = NA, discordant = NA, tied = NA)
table <- do.call(rbind, rows)
table[2:3] <- lapply(table[2:3], formatC, digits = 15, format = "g")
write.csv(table, "survival_reference.csv", row.names = FALSE, quote = FALSE)
