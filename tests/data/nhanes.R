# Writes nhanes.csv, sums of weights of the NHANES data of R's package survey by stratum, unit, gender, ethnicity, true
# and predicted class, and nhanes_reference.csv: accuracy, recall and F1 of a rule, with standard errors and degrees of
# freedom, of all, of domains, without one unit (a stratum with a single one), and of apistrat.csv (strata, no clusters).
# The true class is high cholesterol, and the rule predicts it for ages of 40 and more.
# Run with: Rscript nhanes.R     Run last with R 4.2.2 and survey 4.1.1 (Debian 12, package r-cran-survey).
library(survey)
options(survey.lonely.psu = "adjust")
data(nhanes)
cases <- subset(nhanes, !is.na(HI_CHOL))
cases$said <- as.integer(cases$agecat %in% c("(39,59]", "(59,Inf]"))
cases$other <- as.integer(cases$race == 4)
data <- aggregate(WTMEC2YR ~ SDMVSTRA + SDMVPSU + RIAGENDR + other + HI_CHOL + said, cases, sum)
names(data) <- c("stratum", "unit", "gender", "other", "true", "said", "weight")
data$weight <- round(data$weight, 1)
write.csv(data, "nhanes.csv", row.names = FALSE, quote = FALSE)

figures <- function(name, design) {
  found <- list(
    svyratio(~I(as.numeric(true == said)), ~I(true^0), design),
    svyratio(~I(true * said), ~true, design),
    svyratio(~I(2 * true * said), ~I(true + said), design)
  )
  data.frame(
    name = name, metric = c("accuracy", "recall", "f1"), value = unlist(lapply(found, coef)),
    error = unlist(lapply(found, SE)), freedom = degf(design)
  )
}
whole <- svydesign(ids = ~unit, strata = ~stratum, weights = ~weight, data = data, nest = TRUE)
lonely <- subset(data, !(stratum == 75 & unit == 2))
schools <- read.csv("apistrat.csv")
schools$true <- as.integer(schools$both == "Yes")
schools$said <- as.integer(schools$api_stu > 400)
schools$weight <- c(E = 4421 / 100, H = 755 / 50, M = 1018 / 50)[schools$stype]
plain <- svydesign(ids = ~1, strata = ~stype, weights = ~weight, data = schools)
rows <- rbind(
  figures("all", whole),
  figures("gender 2", subset(whole, gender == 2)),
  figures("other 1", subset(whole, other == 1)),
  figures("single", svydesign(ids = ~unit, strata = ~stratum, weights = ~weight, data = lonely, nest = TRUE)),
  figures("schools", plain),
  figures("schools open all year", subset(plain, yr_rnd == "Yes"))
)
options(digits = 12)
write.csv(rows, "nhanes_reference.csv", row.names = FALSE, quote = FALSE)
