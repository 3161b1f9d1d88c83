time,resource,metric,value
0,a,m,1
1,a,m,NA
2,a,m,inf
1,b,n,x
°