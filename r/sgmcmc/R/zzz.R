# tf is made last: it holds functions of all files.
tf <- make_tf()
