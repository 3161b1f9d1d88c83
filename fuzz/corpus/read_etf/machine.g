# Two stations and a memory of 4 pages; what is declared late waits for the end of the file.
TU MILLISECONDS
O 1609459200000
T author=hand, run = 7

R 0 1 false;name=saw,row=3
R 1 1 false;name=drill
R 2 4 true;name = memory
R 3 1 false;
R 4 1.5 false;name=drill,kind=spare

C 10 0.0 2.5 0 1;name=cut,part=A,id=007
C 11 2.5 4 1 1;name=bore, deep,part=A
C 12 0.000001 5 2 0 3;name=hold,part=A
C 13 1 3 2 3 1;name=hold,part=B,amount=full
C 14 2.5 2.5 0 1;part=B,type=idle
C 15 6 7 4 0.5;name=bore,part=C,start=soon
C 16 7 8 late 1;name=pack,part=C

E 0 0.5;name=begin,resource=saw
E 1 8;name=done,part=A
E 10 3;name=alarm,resource=2

D 0 0 10 11;name=part,min_delay=0.25
D 1 3 11 15;max_delay=2,weight=1.5
D 2 1 0 10;
D 3 2 16 1;
D 4 0 10 99;
R late 1 false;name=packer

S 0; name = load , unit=percent
F 0 0 10 1.0 0.0 0.0
F 0 10 26 2.0 0.5 0.25
TS 7;name=temperature
TSS 7 0;name=oven
TSP 7 0 0 20.5 1.5 21
TSR 7 0 0 10 1 2 3
X 1 2 3
C 17 9 8 0 1;name=back
C 18 9 soon 0 1;name=never
g