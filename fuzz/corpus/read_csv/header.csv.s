resource,value,start,end
n