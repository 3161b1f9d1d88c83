time,event,function,rank
0,Begin,a,0
1,End,a,0
1,End,a,0
NA,Begin,a,0
x,End,,
‘