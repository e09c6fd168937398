model {
  for (n in 1:N) { x[n, 1:2] += y[:, n:] .* z[, {1, 2}]'; }
  for (v in xs) print("v = ", v);
  while (i < 3 && !(j >= 4) || k != 5) { i += 1; if (i == 2) continue; else break; }
  profile("a") { x ./= -2 ^ 3 .^ 2 % 4 %/% 3 \ y; }
  reject("no ", a ? b : c); f(); ; { return; }
}
