a,b,c
CPU0,1,2
CPU1,3,4
