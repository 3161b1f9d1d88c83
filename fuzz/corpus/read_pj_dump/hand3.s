State, "a, b", S, 0, 1, 1, 0, "c ""d"""
ù