cpu,resource,value,start,end
0,matrix,compute,0,10
1,vector,compute,0,12
ˆ