# old
model { x <- 1; increment_log_prob(normal_log(y, 0, 1)); /* unclosed
