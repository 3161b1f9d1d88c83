cpu,phase,t0,t1
0,compute,0,10
0,send,10,12.5
1,compute,0,20
1,send,20,23
4