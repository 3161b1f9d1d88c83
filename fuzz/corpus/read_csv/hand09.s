resource,start,duration
a,0,1
a,1,-1
a,1,9223372036854775807
”