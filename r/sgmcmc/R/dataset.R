# The data sets of the examples, downloaded once and checked.

#' Data sets of the examples
#'
#' Downloads the files of a data set once, into the cache that the program \code{sgmcmc data} also uses (\code{~/.cache/sgmcmc}, or \code{sgmcmc} in
#' the folder of \code{XDG_CACHE_HOME}), and reads them. The SHA-256 checksum of every file is verified each time.
#'
#' Without a network, put the files into a folder and name it with \code{options(sgmcmc.data = )} or the environment variable \code{SGMCMC_DATA};
#' nothing is then downloaded. Files are looked for there and in a subfolder with the name of the data set: \code{covtype.data.gz} of the UCI
#' repository or \code{covtype.binary.csv.xz}; the four IDX files of MNIST, compressed or not. The environment variable \code{SGMCMC_DATA_URL} names a
#' mirror to download from.
#'
#' @param dataset "covertype": a matrix with the label, 0 or 1, in its first column and 54 features scaled to [0, 1]. "mnist": a list with \code{train}
#'   (55,000 images), \code{validation} (5,000) and \code{test} (10,000), each with \code{images}, 784 numbers in [0, 1], and \code{labels}, ten columns of
#'   which one is 1.
#' @return The data set.
#' @export
getDataset <- function(dataset) {
  if (!is.character(dataset) || length(dataset) != 1 || is.na(dataset)) fail("usage", "dataset is \"covertype\" or \"mnist\"")
  folder <- path.expand(getOption("sgmcmc.data", ""))
  for (file in core(C_data_missing, dataset, folder, call = NULL)) download_checked(dataset, file)
  values <- core(C_data_read, dataset, folder, call = NULL)
  if (dataset == "mnist") digits_lists(values) else values
}

# Tries the addresses of a file one after the other.
download_checked <- function(dataset, file) {
  dir.create(dirname(file$target), showWarnings = FALSE, recursive = TRUE)
  partial <- paste0(file$target, ".partial-R", Sys.getpid())
  on.exit(unlink(partial))
  old <- options(timeout = max(600, getOption("timeout")))
  on.exit(options(old), add = TRUE)
  tried <- character()
  for (address in file$addresses) {
    message("downloading ", address)
    why <- tryCatch({
      status <- utils::download.file(address, partial, mode = "wb", quiet = TRUE)
      if (status == 0) {
        core(C_data_accept, dataset, file$file, partial)
        return(invisible(TRUE))
      }
      paste("status", status)
    }, warning = conditionMessage, error = conditionMessage)
    tried <- c(tried, paste0("  ", address, ": ", why))
  }
  fail("file", "cannot download ", file$file, " of ", dataset, ":\n", paste(tried, collapse = "\n"),
       "\nWithout a network: name a folder that has the file by options(sgmcmc.data = ) or by the environment variable SGMCMC_DATA", call = NULL)
}

digits_lists <- function(values) {
  one_hot <- function(labels) outer(as.vector(labels), 0:9, `==`) + 0
  images <- values[["train-images-idx3-ubyte"]]
  labels <- one_hot(values[["train-labels-idx1-ubyte"]])
  kept <- 5001:60000  # the first 5,000 are for validation
  list(train = list(images = images[kept, ], labels = labels[kept, ]), validation = list(images = images[-kept, ], labels = labels[-kept, ]),
       test = list(images = values[["t10k-images-idx3-ubyte"]], labels = one_hot(values[["t10k-labels-idx1-ubyte"]])))
}
