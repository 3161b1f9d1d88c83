resource;start;end
a;0,5;1,5
b;1.000,5;2
ı