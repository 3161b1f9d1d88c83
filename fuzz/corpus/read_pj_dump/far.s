State, c, S, 0, 1, 1, 0, a
State, c, S, 1, 9000000000000, 1, 0, b
æ