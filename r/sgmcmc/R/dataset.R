# The data sets of the examples, from a folder on this machine.

#' Data sets of the examples
#'
#' Reads a data set from the folder that option \code{sgmcmc.data} or the environment variable \code{SGMCMC_DATA} names, else from
#' \code{tools::R_user_dir("sgmcmc", "data")}. Files are looked for there and in a subfolder with the name of the data set. Nothing is downloaded: where
#' files are missing, the error names them.
#'
#' @param dataset "covertype": a matrix with the label, 0 or 1, in its first column and 54 features scaled to [0, 1]; from \code{covtype.binary.csv},
#'   compressed or not. "mnist": a list with \code{train} (55,000 images) and \code{test} (10,000), each with \code{images}, 784 numbers in [0, 1], and
#'   \code{labels}, ten columns of which one is 1; from the four IDX files of MNIST.
#' @return The data set.
#' @export
getDataset <- function(dataset) {
  if (!is.character(dataset) || length(dataset) != 1 || !dataset %in% c("covertype", "mnist")) fail("usage", "dataset is \"covertype\" or \"mnist\"")
  if (dataset == "covertype") covertype_data() else mnist_data()
}

data_file <- function(dataset, names) {
  folder <- getOption("sgmcmc.data", Sys.getenv("SGMCMC_DATA", tools::R_user_dir("sgmcmc", "data")))
  places <- c(file.path(folder, dataset, names), file.path(folder, names))
  found <- places[file.exists(places)]
  if (!length(found))
    fail("file", "the data set ", dataset, " is not on this machine: put ", names[1], " into ", folder, ", or name the folder it is in by options(sgmcmc.data = )", call = NULL)
  found[1]
}

checked_data <- function(dataset, holds, ...) if (!isTRUE(holds)) fail("file", "the file of ", dataset, " is damaged or another one: ", ..., call = NULL)

covertype_data <- function() {
  path <- data_file("covertype", paste0("covtype.binary.csv", c(".xz", ".gz", "")))
  connection <- file(path, "r")  # which unpacks by itself
  on.exit(close(connection))
  values <- scan(connection, what = double(), sep = ",", quiet = TRUE)
  checked_data("covertype", length(values) == 581012 * 55, length(values) / 55, " rows of 55 columns instead of 581012")
  values <- matrix(values, ncol = 55, byrow = TRUE)
  checked_data("covertype", sum(values[, 1]) == 283301, sum(values[, 1]), " ones instead of 283301")
  for (column in 2:ncol(values)) {
    range <- range(values[, column])
    if (range[2] > range[1]) values[, column] <- (values[, column] - range[1]) / (range[2] - range[1])
  }
  values
}

read_idx <- function(name) {
  connection <- gzfile(data_file("mnist", paste0(name, c(".gz", ""))), "rb")
  on.exit(close(connection))
  magic <- readBin(connection, "integer", 1, size = 4, endian = "big")
  checked_data("mnist", magic %in% c(2049L, 2051L), name, " is no IDX file")
  size <- readBin(connection, "integer", magic %% 256L, size = 4, endian = "big")
  values <- as.integer(readBin(connection, "raw", prod(size)))
  checked_data("mnist", length(values) == prod(size), name, " is too short")
  if (length(size) == 1) values else matrix(values, size[1], byrow = TRUE) / 255
}

mnist_data <- function() {
  one_hot <- function(labels) outer(labels, 0:9, `==`) + 0
  train <- read_idx("train-labels-idx1-ubyte")
  checked_data("mnist", length(train) == 60000 && identical(train[1:4], c(5L, 0L, 4L, 1L)), "its labels are not those of MNIST")
  images <- read_idx("train-images-idx3-ubyte")
  kept <- 5001:60000  # the first 5,000 are for validation
  list(train = list(images = images[kept, ], labels = one_hot(train[kept])), validation = list(images = images[-kept, ], labels = one_hot(train[-kept])),
       test = list(images = read_idx("t10k-images-idx3-ubyte"), labels = one_hot(read_idx("t10k-labels-idx1-ubyte"))))
}
