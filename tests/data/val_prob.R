# Writes val_prob_reference.csv (the figures of rms::val.prob) and val_prob.csv (the cases that are not in examples/):
#   logistic, forest: the scores of two models in examples/breast_cancer.csv, some of them exactly 0 or 1;
#   recidivism: 7,214 people by race, sex and age, from compas_for_aequitas.csv of the package aequitas (MIT); the risk is
#     the share of a cell that COMPAS predicted to be arrested again, with one case of either kind added;
#   odd: simulated; whole weights, ties, and scores as near to 0 and 1 as 1e-12.
# Run with: Rscript val_prob.R           Run last with R 4.2.2 and rms 6.5-0 (Debian 12, r-cran-rms).
# val.prob leaves scores of exactly 0 and 1 out of the regression. Its weights serve for groups only, so that cases of
# weight w are repeated w times. Its C counts risks within bins of 0.002 as ties; C is therefore that of Hmisc::somers2.
# Its Emax, E90 and Eavg are of a lowess curve: not used.
suppressMessages(library(rms))
cancer <- read.csv("../../examples/breast_cancer.csv")
sick <- as.integer(cancer$label == "malignant")
people <- read.csv("recidivism_counts.csv")
cell <- interaction(people$race, people$sex, people$age)
total <- function(x) ave(x, cell, FUN = sum)
set.seed(47)
n <- 150
risk <- round(plogis(rnorm(n, -1, 2)), 2)
odd <- c(ifelse(risk <= 0, 0.005, ifelse(risk >= 1, 0.995, risk)), 1e-12, 1 - 1e-12, 1e-6, 1 - 1e-6)
cases <- rbind(
  data.frame(set = "logistic", y = sick, p = cancer$score_logistic, weight = 1),
  data.frame(set = "forest", y = sick, p = cancer$score_forest, weight = 1),
  aggregate(weight ~ set + y + p, FUN = sum, data = data.frame(
    set = "recidivism", y = people$recidivism, weight = people$count,
    p = (total(people$count * people$predicted) + 1) / (total(people$count) + 2)
  )),
  data.frame(
    set = "odd", y = c(rbinom(n, 1, plogis(0.4 + 0.7 * qlogis(odd[1:n]))), 0, 1, 1, 0), p = odd,
    weight = sample(1:4, n + 4, replace = TRUE)
  )
)
written <- cases[cases$set %in% c("recidivism", "odd"), ]
write.csv(format(written, digits = 17, trim = TRUE), "val_prob.csv", row.names = FALSE, quote = FALSE)
rows <- lapply(unique(cases$set), function(set) {
  own <- cases[cases$set == set, ]
  found <- suppressWarnings(val.prob(rep(own$p, own$weight), rep(own$y, own$weight), pl = FALSE))
  C <- Hmisc::somers2(own$p, own$y, own$weight)[["C"]]
  data.frame(set, t(found[c("Slope", "Intercept", "Brier")]), C, oe = sum(own$y * own$weight) / sum(own$p * own$weight))
})
write.csv(format(do.call(rbind, rows), digits = 15), "val_prob_reference.csv", row.names = FALSE, quote = FALSE)
