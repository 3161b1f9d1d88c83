cpu;phase;t0;t1;note
A;read;0,5;1,5;"x;y"
A;write;1,5;2;
B;read;0;3;say ""hi""
