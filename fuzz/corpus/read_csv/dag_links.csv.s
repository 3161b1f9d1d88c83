from,to
0_1,0_2
u