# Makes vandyke_designs.json: the study of vandyke.csv in other designs, by MRMCaov 0.3.0 (R 4.2).
library(MRMCaov)

reads <- read.csv("tests/data/vandyke.csv")
even <- reads$case %% 2 == 0
third <- subset(reads, treatment == 1)
third$reader <- third$reader %% 5 + 1
third$treatment <- 3
designs <- list(
  cases_in_readers = transform(reads, case = paste(reader, case)),
  cases_in_modalities = transform(reads, case = paste(treatment, case)),
  unequal = subset(transform(reads, case = paste(reader, case)), !(reader <= 2 & even)),
  split_plot = subset(reads, (reader <= 2) == even),
  missing = subset(reads, (7 * case + 3 * reader + treatment) %% 11 != 0),
  three = rbind(reads, third),
  readers_in_modalities = subset(reads, (reader <= 3) == (treatment == 1))
)
metrics <- c(roc_auc = "empirical_auc(truth, rating)", sensitivity = "binary_sens(truth, call)")
found <- list()
for (design in names(designs)) for (metric in names(metrics)) for (fixed in c("", "reader", "case"))
  for (covariance in if (metric == "roc_auc" && fixed == "") c("jackknife", "unbiased") else "jackknife") {
    data <- transform(designs[[design]], call = as.numeric(rating >= 3))
    factor_of <- function(name) if (fixed == name) sprintf("fixed(%s)", name) else name
    call <- sprintf("mrmc(%s, treatment, %s, %s, data = data, cov = %s)",
                    metrics[[metric]], factor_of("reader"), factor_of("case"), covariance)
    result <- summary(eval(parse(text = call)))
    found[[length(found) + 1]] <- list(
      design = design, metric = metric, fixed = fixed, covariance = covariance,
      means = result$test_means[, intersect(c("Estimate", "StdErr", "df"), names(result$test_means))],
      differences = result$test_diffs[, intersect(c("Estimate", "StdErr", "df", "p-value"), names(result$test_diffs))],
      test = result$test_equality
    )
  }
write(jsonlite::toJSON(found, digits = NA, auto_unbox = TRUE), "tests/data/vandyke_designs.json")
