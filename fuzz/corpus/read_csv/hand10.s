time,resource,value
0,a,x
5,a,y
