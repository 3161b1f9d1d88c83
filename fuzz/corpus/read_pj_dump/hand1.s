Container, root, C, 0, 10, 10, p0
Container, p0, C, 0, 10, 10, CPU0
Container, p0, C, 0, 10, 10, CPU0
k