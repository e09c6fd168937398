# TensorFlow is no longer needed; scripts that install it go on.
install_tensorflow <- function(...) message("TensorFlow is no longer needed: nothing was installed.")
