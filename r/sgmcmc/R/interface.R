# The interface of sgmcmc 0.2: six samplers, their Setup functions, and chains step by step.

# Set-up -------------------------------------------------------------------------------------------------------------------------------
minibatch_rows <- function(minibatchSize, N) {
  if (!is.numeric(minibatchSize) || length(minibatchSize) != 1 || is.na(minibatchSize) || minibatchSize <= 0)
    fail("option", "minibatchSize is ", format(minibatchSize), "; it must be a positive number", call = NULL)
  n <- if (minibatchSize < 1) round(minibatchSize * N) else minibatchSize
  if (n == 0) fail("option", "minibatchSize is ", format(minibatchSize), " of ", N, " rows, which is no row at all; give a larger share, or the number of rows", call = NULL)
  if (n > N) fail("option", "minibatchSize is ", n, ", but dataset has only ", N, " rows", call = NULL)
  if (n != round(n)) fail("option", "minibatchSize is ", format(minibatchSize), "; a number of rows is a whole number", call = NULL)
  as.integer(n)
}

rows_of <- function(x) if (is.null(dim(x))) length(x) else dim(x)[1]

# One number for every coordinate, from one number or a list by parameter.
by_parameter <- function(value, params, name) {
  if (!is.list(value)) {
    if (!is.numeric(value) || length(value) != 1) fail("option", name, " is one number, or a list with a number for each parameter", call = NULL)
    value <- stats::setNames(rep(list(value), length(params)), names(params))
  }
  missing_ones <- setdiff(names(params), names(value))
  if (length(missing_ones)) fail("option", name, " has no value for the parameter '", missing_ones[1], "'", call = NULL)
  value <- lapply(value[names(params)], as.double)
  for (one in names(value))
    if (length(value[[one]]) != 1 || !is.finite(value[[one]]) || value[[one]] <= 0)
      fail("option", name, "$", one, " must be one positive number", call = NULL)
  value
}

check_dataset <- function(dataset) {
  if (!is.list(dataset) || !length(dataset) || is.null(names(dataset)) || !all(nzchar(names(dataset))))
    fail("data", "dataset is a list of arrays by name, as in list(X = X, y = y)", call = NULL)
  rows <- vapply(dataset, rows_of, 1L)
  if (length(unique(rows)) > 1)
    fail("data", "the arrays of dataset have different numbers of rows: ", paste(names(rows), "has", rows, collapse = ", "), call = NULL)
  for (name in names(dataset)) {
    one <- dataset[[name]]
    if (is.data.frame(one)) one <- as.matrix(one)
    if (is.factor(one) || !(is.numeric(one) || is.logical(one))) fail("data", "dataset$", name, " holds ", class(one)[1], ", not numbers", call = NULL)
    if (anyNA(one)) fail("data", "dataset$", name, " has missing values; leave such rows out", call = NULL)  # infinite ones the engine finds
    if (is.null(dim(one))) dim(one) <- length(one)
    if (typeof(one) != "double") storage.mode(one) <- "double"  # which copies
    dataset[[name]] <- one
  }
  dataset
}

check_params <- function(params) {
  if (!is.list(params) || !length(params) || is.null(names(params)) || !all(nzchar(names(params))))
    fail("usage", "params is a list of starting values by name, as in list(theta = 0)", call = NULL)
  for (name in names(params))
    if (!is.numeric(params[[name]]) || any(!is.finite(params[[name]]))) fail("data", "params$", name, " must be finite numbers", call = NULL)
  params
}

# Calls a user-defined function, which records a graph.
recorded <- function(what, f, ...) {
  if (!is.function(f)) fail("usage", what, " must be a function", call = NULL)
  takes <- formals(args(f))
  if (!"..." %in% names(takes) && length(takes) != ...length())
    fail("usage", what, " is a function of ", if (...length() == 2) "params and dataset" else "params", "; it has ", length(takes), " argument", if (length(takes) != 1) "s", call = NULL)
  made <- tryCatch(f(...), error = function(error) {
    if (grepl("the condition has length|interpretable as logical|argument is of length zero|missing value where TRUE/FALSE", conditionMessage(error)))
      fail("model", what, " uses `if` or `while` on a tensor, whose value is not known while the graph is recorded; use tf$where", call = NULL)
    if (grepl("requires numeric/complex matrix/vector arguments", conditionMessage(error)))
      fail("model", what, " uses %*% on a tensor; use tf$matmul", call = NULL)
    stop(error)
  })
  if (!is_tensor(made)) made <- if (is.numeric(made)) as_tensor(made) else fail("model", what, " must return a tensor; it returned ", class(made)[1], call = NULL)
  made
}

graph_list <- function(tensors) {
  nodes <- unname(ancestors(tensors))
  place <- stats::setNames(seq_along(nodes) - 1L, vapply(nodes, function(node) as.character(field(node, "id")), ""))
  list(place = place, nodes = lapply(nodes, function(node) list(
    op = field(node, "op"), inputs = unname(place[vapply(field(node, "inputs"), function(input) as.character(field(input, "id")), "")]),
    name = field(node, "name"), integers = field(node, "integers"), values = if (field(node, "op") == "constant") as.double(field(node, "values")) else numeric(),
    shape = field(node, "shape"), call = field(node, "call"))))
}

# What all six methods have in common. kernel: the sampler and its options.
set_up <- function(method, cv, logLik, dataset, params, stepsize, logPrior, minibatchSize, seed, kernel = list(), optStepsize = NULL, nItersOpt = NULL) {
  params <- check_params(params)
  dataset <- check_dataset(dataset)
  N <- rows_of(dataset[[1]])
  n <- minibatch_rows(minibatchSize, N)
  stepsize <- by_parameter(stepsize, params, "stepsize")
  kernel[c("alpha", "a")] <- lapply(c("alpha", "a"), function(name) if (!is.null(kernel[[name]])) by_parameter(kernel[[name]], params, name))
  variables <- stats::setNames(lapply(names(params), function(name) {
    value <- value_of(params[[name]])
    new_tensor("parameter", shape = value_shape(value), name = name, values = value, explicit = TRUE, call = paste0("params$", name))
  }), names(params))
  holders <- function(rows) stats::setNames(lapply(names(dataset), function(name)
    new_tensor("placeholder", shape = c(rows, dim(dataset[[name]])[-1]), name = name, explicit = TRUE, call = paste0("dataset$", name))), names(dataset))
  placeholders <- holders(n)
  likelihood <- recorded("logLik", logLik, variables, placeholders)
  prior <- if (!is.null(logPrior)) recorded("logPrior", logPrior, variables)
  if (length(field(likelihood, "shape")) || length(likelihood) != 1) likelihood_sum <- reduction("reduce_sum")(likelihood) else likelihood_sum <- likelihood
  # Recorded before any session starts, because scripts evaluate it on minibatches that they feed.
  estimate <- likelihood_sum * (N / n)
  if (!is.null(prior)) estimate <- estimate + (if (length(field(prior, "shape"))) reduction("reduce_sum")(prior) else prior)
  graph <- graph_list(c(list(likelihood), if (!is.null(prior)) list(prior)))
  place <- function(tensor) unname(graph$place[as.character(field(tensor, "id"))])
  built <- tryCatch(core(C_traced_model, graph$nodes, as.double(n), lapply(variables, field, "shape"), dataset, place(likelihood),
                         if (is.null(prior)) -1L else place(prior), call = NULL), sgmcmc_data_error = function(error) {
    error$message <- place_in_r(conditionMessage(error))
    stop(error)
  })
  for (text in built$warnings) warning(text, call. = FALSE)
  object <- list(N = N, data = dataset, n = n, placeholders = placeholders, logLik = logLik, logPrior = logPrior, stepsize = stepsize, params = variables,
                 estLogPost = estimate, seed = seed, model = built$model, method = method, start = params, state = new.env(parent = emptyenv()))
  object <- c(object, kernel[!vapply(kernel, is.null, NA)])
  if (cv) object <- c(object, list(optStepsize = optStepsize, nItersOpt = nItersOpt, placeholdersFull = holders(N), paramsOpt = lapply(variables, function(one)
    new_tensor("parameter", shape = field(one, "shape"), name = field(one, "name"), values = field(one, "values"), explicit = TRUE, call = field(one, "call")))))
  object <- structure(object, class = c(method, if (cv) "sgmcmccv", "sgmcmc"))
  check_both(object)
  object
}

# "column 'X': row 2, element 1: infinity; ..." as R counts: "dataset$X[3, 2]: infinity; ...".
place_in_r <- function(message) {
  parts <- regmatches(message, regexec("^column '([^']*)': row ([0-9]+)(, element \\[?([0-9, ]+)\\]?)?: (.*)$", message))[[1]]
  if (!length(parts)) return(message)
  indices <- as.numeric(c(parts[3], if (nzchar(parts[5])) strsplit(parts[5], ", ")[[1]])) + 1
  paste0("dataset$", parts[2], "[", paste(indices, collapse = ", "), "]: ", parts[6])
}

coordinates <- function(values, params) unlist(lapply(names(params), function(name) by_row(value_of(values[[name]]))), use.names = FALSE)

# The values of parameters, from coordinates: scalar, vector or array.
parameter_values <- function(coordinates, params) {
  at <- 0L
  lapply(params, function(one) {
    shape <- field(one, "shape")
    size <- prod(shape)
    values <- coordinates[at + seq_len(size)]
    at <<- at + size
    if (length(shape) > 1) from_rows(values, shape) else as.vector(values)
  })
}

# Compares the lowered model with the graph evaluated in R, on one minibatch, to detect a wrong rule before a chain starts.
check_both <- function(object) {
  rows <- unique(round(seq(1, object$N, length.out = object$n)))
  if (length(rows) < object$n) rows <- seq_len(object$n)
  feeds <- list()
  for (name in names(object$data)) feeds[[as.character(field(object$placeholders[[name]], "id"))]] <- first_axis(object$data[[name]], rows)
  ours <- suppressWarnings(evaluate(list(object$estLogPost), feeds, function(node) field(node, "values")))[[1]]
  theirs <- core(C_traced_value, object$model, coordinates(object$start, object$params), as.integer(rows - 1L), object$N / object$n, call = NULL)[1]
  if (is.finite(ours) && !isTRUE(abs(ours - theirs) <= 1e-6 * (1 + abs(ours))))
    fail("model", "the log posterior of a minibatch is ", format(as.vector(ours), digits = 12), " by the graph, but ", format(theirs, digits = 12),
         " by the model of one row; this is a mistake of the package: please report it", call = NULL)
  invisible(object)
}

first_axis <- function(x, rows) {
  shape <- dim(x)
  if (length(shape) == 1) return(with_shape(x[rows], length(rows)))
  index <- rep(list(TRUE), length(shape))
  index[[1]] <- rows
  do.call(`[`, c(list(x), index, list(drop = FALSE)))
}

#' Set up a chain that is run step by step
#'
#' Each function makes an object that \code{\link{initSess}} starts and \code{\link{sgmcmcStep}} moves by one iteration, for chains too large to store.
#' Tensors that depend on the parameters, such as the log loss of held-out rows, can be built from \code{object$params} before the chain starts, and
#' are evaluated by \code{sess$run(tensor, feed_dict = dict(...))}.
#'
#' @inheritParams sgld
#' @inheritParams sghmc
#' @inheritParams sgnht
#' @inheritParams sgldcv
#' @return A list of class \code{sgmcmc}, with N, data, n, placeholders, stepsize, params, estLogPost and members that depend on the method.
#' @name sgmcmcSetup
NULL

#' @rdname sgmcmcSetup
#' @export
sgldSetup <- function(logLik, dataset, params, stepsize, logPrior = NULL, minibatchSize = 0.01, seed = NULL)
  set_up("sgld", FALSE, logLik, dataset, params, stepsize, logPrior, minibatchSize, seed)

#' @rdname sgmcmcSetup
#' @export
sghmcSetup <- function(logLik, dataset, params, stepsize, logPrior = NULL, minibatchSize = 0.01, alpha = 0.01, L = 5L, seed = NULL)
  set_up("sghmc", FALSE, logLik, dataset, params, stepsize, logPrior, minibatchSize, seed, list(alpha = alpha, L = L))

#' @rdname sgmcmcSetup
#' @export
sgnhtSetup <- function(logLik, dataset, params, stepsize, logPrior = NULL, minibatchSize = 0.01, a = 0.01, seed = NULL)
  set_up("sgnht", FALSE, logLik, dataset, params, stepsize, logPrior, minibatchSize, seed, list(a = a))

#' @rdname sgmcmcSetup
#' @export
sgldcvSetup <- function(logLik, dataset, params, stepsize, optStepsize, logPrior = NULL, minibatchSize = 0.01, nItersOpt = 10^4L, verbose = TRUE, seed = NULL)
  set_up("sgld", TRUE, logLik, dataset, params, stepsize, logPrior, minibatchSize, seed, list(), optStepsize, nItersOpt)

#' @rdname sgmcmcSetup
#' @export
sghmccvSetup <- function(logLik, dataset, params, stepsize, optStepsize, logPrior = NULL, minibatchSize = 0.01, alpha = 0.01, L = 5L, nItersOpt = 10^4L,
                         verbose = TRUE, seed = NULL)
  set_up("sghmc", TRUE, logLik, dataset, params, stepsize, logPrior, minibatchSize, seed, list(alpha = alpha, L = L), optStepsize, nItersOpt)

#' @rdname sgmcmcSetup
#' @export
sgnhtcvSetup <- function(logLik, dataset, params, stepsize, optStepsize, logPrior = NULL, minibatchSize = 0.01, a = 0.01, nItersOpt = 10^4L, verbose = TRUE,
                         seed = NULL)
  set_up("sgnht", TRUE, logLik, dataset, params, stepsize, logPrior, minibatchSize, seed, list(a = a), optStepsize, nItersOpt)

# Step by step -------------------------------------------------------------------------------------------------------------------------
#' Start a chain
#'
#' Resets the chain. With control variates, it first searches for the mode by \code{nItersOpt} steps of stochastic gradient descent, computes the
#' gradient over all rows there, and starts the chain there.
#'
#' @param sgmcmc An object returned by \code{sgldSetup} or another \code{Setup} function.
#' @param verbose Whether to report progress.
#' @return A session: \code{sess$run(tensor, feed_dict = dict(...))} evaluates tensors at the current parameters.
#' @export
initSess <- function(sgmcmc, verbose = TRUE) UseMethod("initSess")

#' @export
initSess.sgmcmc <- function(sgmcmc, verbose = TRUE) start_chain(sgmcmc, coordinates(sgmcmc$start, sgmcmc$params), NULL)

#' @export
initSess.sgmcmccv <- function(sgmcmc, verbose = TRUE) {
  if (verbose) message("\nFinding initial MAP estimates...")
  seed <- chain_seed(sgmcmc)
  start <- coordinates(sgmcmc$start, sgmcmc$params)
  check_number(sgmcmc$optStepsize, "optStepsize")
  check_number(sgmcmc$nItersOpt, "nItersOpt")
  task <- core(C_optimise_start, sgmcmc$model, start, as.double(sgmcmc$optStepsize), as.double(sgmcmc$nItersOpt), as.double(sgmcmc$n), as.double(seed), call = NULL)
  on.exit(core(C_optimise_abort, task))
  while (!core(C_optimise_wait, task, 0.05)) NULL
  mode <- core(C_optimise_result, task, call = NULL)
  if (any(!is.finite(mode))) fail("divergence", "The search for the mode diverged, try decreasing optStepsize", call = NULL)
  sess <- start_chain(sgmcmc, mode, mode, seed)
  values <- parameter_values(mode, sgmcmc$params)
  for (name in names(values)) sess$values[[as.character(field(sgmcmc$paramsOpt[[name]], "id"))]] <- value_of_shape(values[[name]], sgmcmc$params[[name]])
  sess
}

check_number <- function(value, name) {
  if (!is.numeric(value) || length(value) != 1 || !is.finite(value) || value <= 0) fail("option", name, " must be one positive number", call = NULL)
}

value_of_shape <- function(value, tensor) with_shape_of(value, field(tensor, "shape"))
with_shape_of <- function(value, shape) if (length(shape) > 1) value else with_shape(value, shape)

chain_seed <- function(sgmcmc) {
  seed <- sgmcmc$seed
  if (is.null(seed)) return(drawn_seed())
  if (!is.numeric(seed) || length(seed) != 1 || is.na(seed) || seed < 0 || seed != round(seed) || seed > 2^53)
    fail("option", "seed must be a whole number, 0 or more", call = NULL)
  seed
}

start_chain <- function(sgmcmc, start, centre, seed = chain_seed(sgmcmc)) {
  sizes <- vapply(sgmcmc$params, function(one) prod(field(one, "shape")), 0)
  each <- function(values) if (is.null(values)) numeric() else rep(unlist(values), sizes)
  chain <- core(C_chain_start, sgmcmc$model, sgmcmc$method, each(sgmcmc$stepsize), each(if (sgmcmc$method == "sghmc") sgmcmc$alpha else sgmcmc$a),
                as.double(if (is.null(sgmcmc$L)) 1 else sgmcmc$L), as.double(seed), as.double(sgmcmc$n), start, if (is.null(centre)) numeric() else centre, call = NULL)
  sess <- new_session()
  sess$started <- TRUE
  sess$chain <- chain
  sgmcmc$state$chain <- chain
  for (name in names(sgmcmc$params)) local({
    own <- name
    sess$live[[as.character(field(sgmcmc$params[[own]], "id"))]] <- function() value_of_shape(getParams(sgmcmc, sess)[[own]], sgmcmc$params[[own]])
  })
  sess
}

#' Move a chain by one iteration
#'
#' @param sgmcmc An object returned by \code{sgldSetup} or another \code{Setup} function.
#' @param sess The session that \code{initSess} returned.
#' @return Nothing; \code{\link{getParams}} returns the new state.
#' @export
sgmcmcStep <- function(sgmcmc, sess) UseMethod("sgmcmcStep")

#' @export
sgmcmcStep.sgmcmc <- function(sgmcmc, sess) {
  diverges(core(C_chain_run, session_chain(sess), 1, FALSE, call = NULL))
  invisible(NULL)
}

session_chain <- function(sess) {
  if (!inherits(sess, "sgmcmc_session") || is.null(sess$chain)) fail("usage", "sess must be the session that initSess() returned", call = NULL)
  sess$chain
}

# The error message of version 0.2, followed by that of the library, which names the parameter.
diverges <- function(code) {
  tryCatch(code, sgmcmc_divergence_error = function(error)
    fail("divergence", "Chain diverged, try decreasing stepsize (", conditionMessage(error), ")", call = NULL))
}

#' The current state of a chain
#'
#' @param sgmcmc An object returned by \code{sgldSetup} or another \code{Setup} function.
#' @param sess The session that \code{initSess} returned.
#' @return A list of numbers, vectors and arrays, with the names of the parameters.
#' @export
getParams <- function(sgmcmc, sess) parameter_values(core(C_chain_position, session_chain(sess)), sgmcmc$params)

# Whole chains -------------------------------------------------------------------------------------------------------------------------
run_chain <- function(sgmcmc, nIters, verbose) {
  if (!is.numeric(nIters) || length(nIters) != 1 || !is.finite(nIters) || nIters < 1) fail("option", "nIters must be a positive number", call = NULL)
  sess <- initSess(sgmcmc, verbose)
  if (verbose) message("\nSimulating from SGMCMC algorithm...")
  chain <- session_chain(sess)
  core(C_chain_keep, chain, as.double(nIters))
  done <- 0
  while (done < nIters) {
    due <- if (verbose) min(nIters, 100 * (done %/% 100 + 1)) else nIters
    done <- done + diverges(core(C_chain_run, chain, due - done, TRUE, call = NULL))
    if (verbose && done == due && done %% 100 == 0) {
      estimate <- core(C_chain_estimate, chain, as.double(sgmcmc$n), sgmcmc$N / sgmcmc$n)
      message("Iteration: ", done, "\t\tLog posterior estimate: ", format(estimate, digits = 8))
      if (is.nan(estimate)) fail("divergence", "Chain diverged, try decreasing stepsize", call = NULL)
    }
  }
  warning_text <- core(C_chain_warning, chain)
  if (nzchar(warning_text)) warning(warning_text, call. = FALSE)
  core(C_chain_draws, chain, lapply(sgmcmc$params, field, "shape"))
}

#' Stochastic gradient Langevin dynamics
#'
#' Samples a posterior from minibatches, with a given step size. The log likelihood and the log prior are written with the operations of
#' \code{\link{tf}} for a whole minibatch; the package derives the density of one row and its gradient from them.
#'
#' @param logLik A function of \code{params} and \code{dataset} that returns the log likelihood of a minibatch as a tensor.
#' @param dataset A list of arrays by name; the first dimension counts the rows.
#' @param params A list of starting values by name: numbers, vectors or arrays.
#' @param stepsize One number, or a list with a number for each parameter.
#' @param logPrior A function of \code{params} that returns the log prior density; NULL means flat.
#' @param minibatchSize Number of rows in a minibatch; a value below 1 is a fraction of all rows.
#' @param nIters Number of iterations.
#' @param verbose Whether to show progress.
#' @param seed A whole number; equal seeds give equal chains. By default it is drawn from R's generator.
#' @return A list with the names of \code{params}: for each parameter an array of dimensions \code{c(nIters, shape)}, or \code{c(nIters, 1)} for
#'   a number.
#' @export
#' @examples
#' x <- rnorm(1000, 2)
#' logLik <- function(params, dataset) {
#'   distn <- tf$distributions$Normal(params$theta, 1)
#'   tf$reduce_sum(distn$log_prob(dataset$x))
#' }
#' draws <- sgld(logLik, list(x = x), list(theta = 0), 1e-4, minibatchSize = 100, nIters = 500, verbose = FALSE, seed = 1)
#' mean(draws$theta)
sgld <- function(logLik, dataset, params, stepsize, logPrior = NULL, minibatchSize = 0.01, nIters = 10^4L, verbose = TRUE, seed = NULL)
  run_chain(sgldSetup(logLik, dataset, params, stepsize, logPrior, minibatchSize, seed), nIters, verbose)

#' Stochastic gradient Hamiltonian Monte Carlo
#'
#' @inheritParams sgld
#' @param alpha Share of momentum lost in one step: one number, or a list by parameter.
#' @param L Gradient steps per iteration.
#' @return As of \code{\link{sgld}}.
#' @export
sghmc <- function(logLik, dataset, params, stepsize, logPrior = NULL, minibatchSize = 0.01, alpha = 0.01, L = 5L, nIters = 10^4L, verbose = TRUE, seed = NULL)
  run_chain(sghmcSetup(logLik, dataset, params, stepsize, logPrior, minibatchSize, alpha, L, seed), nIters, verbose)

#' Stochastic gradient Nose-Hoover thermostat
#'
#' @inheritParams sgld
#' @param a Diffusion, and initial friction: one number, or a list by parameter.
#' @return As of \code{\link{sgld}}.
#' @export
sgnht <- function(logLik, dataset, params, stepsize, logPrior = NULL, minibatchSize = 0.01, a = 0.01, nIters = 10^4L, verbose = TRUE, seed = NULL)
  run_chain(sgnhtSetup(logLik, dataset, params, stepsize, logPrior, minibatchSize, a, seed), nIters, verbose)

#' Samplers with control variates
#'
#' As \code{\link{sgld}}, \code{\link{sghmc}} and \code{\link{sgnht}}, with control variates: the full gradient at the mode, which is found first,
#' plus a minibatch estimate of the difference from it.
#'
#' @inheritParams sgld
#' @inheritParams sghmc
#' @inheritParams sgnht
#' @param optStepsize Step size of the search for the mode.
#' @param nItersOpt Iterations of the search for the mode.
#' @return As of \code{\link{sgld}}.
#' @export
sgldcv <- function(logLik, dataset, params, stepsize, optStepsize, logPrior = NULL, minibatchSize = 0.01, nIters = 10^4L, nItersOpt = 10^4L, verbose = TRUE,
                   seed = NULL)
  run_chain(sgldcvSetup(logLik, dataset, params, stepsize, optStepsize, logPrior, minibatchSize, nItersOpt, verbose, seed), nIters, verbose)

#' @rdname sgldcv
#' @export
sghmccv <- function(logLik, dataset, params, stepsize, optStepsize, logPrior = NULL, minibatchSize = 0.01, alpha = 0.01, L = 5L, nIters = 10^4L,
                    nItersOpt = 10^4L, verbose = TRUE, seed = NULL)
  run_chain(sghmccvSetup(logLik, dataset, params, stepsize, optStepsize, logPrior, minibatchSize, alpha, L, nItersOpt, verbose, seed), nIters, verbose)

#' @rdname sgldcv
#' @export
sgnhtcv <- function(logLik, dataset, params, stepsize, optStepsize, logPrior = NULL, minibatchSize = 0.01, a = 0.01, nIters = 10^4L, nItersOpt = 10^4L,
                    verbose = TRUE, seed = NULL)
  run_chain(sgnhtcvSetup(logLik, dataset, params, stepsize, optStepsize, logPrior, minibatchSize, a, nItersOpt, verbose, seed), nIters, verbose)

#' @export
print.sgmcmc <- function(x, ...) {
  cat(class(x)[1], if (inherits(x, "sgmcmccv")) "with control variates", "on", x$N, "rows in minibatches of", x$n, "\n")
  invisible(x)
}

#' Install TensorFlow
#'
#' TensorFlow is no longer needed; this function only says so, so that scripts that call it keep working.
#'
#' @param ... Not used.
#' @export
installTF <- function(...) message("TensorFlow is no longer needed: nothing was installed.")
