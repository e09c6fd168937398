# TensorFlow is no longer needed; scripts that install it keep working.
install_tensorflow <- function(...) message("TensorFlow is no longer needed: nothing was installed.")
