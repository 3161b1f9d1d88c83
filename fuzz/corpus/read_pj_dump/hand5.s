# a comment

State, c, S, 1e3, 2e3, 1, 0, a
State, c, S, 99999999999999999999, 1, 1, 0, aÇ