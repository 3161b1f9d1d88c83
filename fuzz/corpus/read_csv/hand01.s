resource,start,end,value,start
x,0,1,a,2
y,1,0,b
"q ""r""
z",1,2,c,d,e
q