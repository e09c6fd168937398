# getDataset: downloads that fail, folders, checksums; whole data sets where SGMCMC_DATA names a folder that has them.
with_variables <- function(code, ..., option = NULL) {
  names <- c("XDG_CACHE_HOME", "SGMCMC_DATA", "SGMCMC_DATA_URL")
  before <- Sys.getenv(names, unset = NA, names = TRUE)
  old <- options(sgmcmc.data = option)
  on.exit({
    Sys.unsetenv(names)
    if (any(!is.na(before))) do.call(Sys.setenv, as.list(before[!is.na(before)]))
    options(old)
  })
  Sys.unsetenv(names)
  Sys.setenv(...)
  suppressMessages(code)
}
source_folder <- Sys.getenv("SGMCMC_DATA")
scratch <- tempfile("data")
dir.create(file.path(scratch, "mirror"), recursive = TRUE)
mirror <- paste0("file://", normalizePath(file.path(scratch, "mirror")))
cache <- file.path(scratch, "cache")

test("names that are none", {
  expect_error(getDataset("covertyp"), "covertype", "sgmcmc_usage_error")
  expect_error(getDataset(5), "\"mnist\"", "sgmcmc_usage_error")
})

test("no network: the error says what to do", {
  expect_error(with_variables(getDataset("covertype"), XDG_CACHE_HOME = cache, SGMCMC_DATA_URL = mirror), "options(sgmcmc.data = )", "sgmcmc_file_error")
  expect(!length(list.files(cache, recursive = TRUE)))
})

test("wrong and truncated files are not kept", {
  packed <- gzfile(file.path(scratch, "mirror", "covtype.data.gz"), "wb")
  writeLines(rep("1,2,3", 1000), packed)
  close(packed)
  expect_error(with_variables(getDataset("covertype"), XDG_CACHE_HOME = cache, SGMCMC_DATA_URL = mirror), "bytes, not 75169317", "sgmcmc_file_error")
  bytes <- readBin(file.path(scratch, "mirror", "covtype.data.gz"), "raw", 1e6)
  writeBin(utils::head(bytes, 20), file.path(scratch, "mirror", "covtype.data.gz"))
  expect_error(with_variables(getDataset("covertype"), XDG_CACHE_HOME = cache, SGMCMC_DATA_URL = mirror), "cannot download covtype.data.gz", "sgmcmc_file_error")
  expect(!length(list.files(cache, recursive = TRUE)))
})

test("a folder that lacks the files", {
  expect_error(with_variables(getDataset("mnist"), XDG_CACHE_HOME = cache, option = scratch), "has no file train-images-idx3-ubyte.gz", "sgmcmc_file_error")
  expect_error(with_variables(getDataset("mnist"), SGMCMC_DATA = scratch), "has no file", "sgmcmc_file_error")
})

test("digits by a mirror, then from the cache", {
  if (!nzchar(source_folder)) skip("SGMCMC_DATA names no folder with the data set mnist")
  address <- paste0("file://", normalizePath(file.path(source_folder, "mnist")))
  read <- with_variables(getDataset("mnist"), XDG_CACHE_HOME = cache, SGMCMC_DATA_URL = address)
  expect(identical(dim(read$train$images), c(55000L, 784L)) && identical(dim(read$test$labels), c(10000L, 10L)))
  expect(max(read$train$images) == 1 && all(rowSums(read$validation$labels) == 1))
  expect(identical(max.col(read$validation$labels[1:4, ]) - 1L, c(5L, 0L, 4L, 1L)))
  rm(read)
  again <- with_variables(getDataset("mnist"), XDG_CACHE_HOME = cache, SGMCMC_DATA_URL = mirror)
  expect(nrow(again$test$images) == 10000)
})

test("forest cover from a folder", {
  if (!nzchar(source_folder)) skip("SGMCMC_DATA names no folder with the data set covertype")
  read <- with_variables(getDataset("covertype"), SGMCMC_DATA = source_folder)
  expect(identical(dim(read), c(581012L, 55L)) && sum(read[, 1]) == 283301 && all(range(read) == c(0, 1)))
})
unlink(scratch, recursive = TRUE)
