Container, 0, 0, 0, 12, 12, 0
Link, 0, Message, 2.500000, 6.000000, 3.500000, data, cpu0, cpu1, k1
Link, site, Message, 8.000000, 7.000000, -1.000000, ack, cpu1, cpu0
Container, 0, Site, 0, 12, 12, site
Container, site, Machine, 0, 12, 12, node
Container, node, Core, 0, 12, 12, cpu1
State, cpu1, Worker State, 0.000000, 6.000000, 6.000000, 0.000000, Idle
State, cpu1, Worker State, 6.000000, 12.000000, 6.000000, 0.000000, gemm
State, cpu1, Worker State, 7.000000, 7.000000, 0.000000, 1.000000, Callback
Variable, cpu1, ready, 0.000000, 6.000000, 6.000000, 2.000000
Variable, cpu1, ready, 6.000000, 12.000000, 6.000000, 0.500000
Container, node, Core, 0, 12, 12, cpu0
Event, cpu0, Mark, 1.500000, begin, now
State, cpu0, Worker State, 0.000000, 2.500000, 2.500000, 0.000000, gemm, 64, 0x1f
State, cpu0, Worker State, 2.500000, 12.000000, 9.500000, 0.000000, Run,ning now
D