State, CPU10, Worker State, 5.000, 5.000, 0.000, 0, overhead
State, CPU10, Worker State, 5.000, 25.000, 20.000, 0, Gemm
State, CPU10, Worker State, 25.000, 25.000, 0.000, 0, Zero
State, CPU10, Worker State, 25.000, 25.000, 0.000, 0, alpha
State, CPU10, Worker State, 25.000, 50.000, 25.000, 0, gemm
State, CPU2, Worker State, 9.300, 9.400, 0.100, 0, b
State, CPU2, Worker State, 0.000, 0.100, 0.100, ñ