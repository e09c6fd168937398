# tf is created last, because it refers to functions of all files.
tf <- make_tf()
