model {
	x = 1 − 2; // ä
}
