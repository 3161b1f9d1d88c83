Timestamp;Event Type;Name;Process
0;Enter;a;0
1e30;Leave;a;0
-5;Enter;"b ""c""";1
ÿ