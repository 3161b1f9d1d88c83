resource,start (s),end (ms)
a,0,1
ë